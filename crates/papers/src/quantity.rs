//! One quantity of a paper, and its verdict.

use std::fmt;

use serde::{Serialize, Serializer};

use crosswave_base::statistics::Tally;

/// Standard errors by which a simulated value may be off.
pub(super) const SIGMAS: f64 = 3.0;

/// A value that a paper prints in one place.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number.
    Count(u64),
    /// Another number.
    Real(f64),
    /// Text, such as a list of parts.
    Text(String),
}

impl Value {
    fn number(&self) -> Option<f64> {
        match self {
            Value::Count(count) => Some(*count as f64),
            Value::Real(real) => Some(*real),
            Value::Text(_) => None,
        }
    }

    /// True when two values are the same, numbers to within `slack`.
    fn agrees(&self, other: &Value, slack: f64) -> bool {
        match (self.number(), other.number()) {
            (Some(a), Some(b)) => (a - b).abs() <= slack,
            _ => self == other,
        }
    }
}

/// With a precision, as in `{:.3}`, real numbers have so many decimals; without, as many
/// as they need.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Count(count) => write!(f, "{count}"),
            Value::Real(real) => match f.precision() {
                Some(decimals) => write!(f, "{real:.decimals$}"),
                None => write!(f, "{real}"),
            },
            Value::Text(text) => f.write_str(text),
        }
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Value::Count(count)
    }
}

impl From<f64> for Value {
    fn from(real: f64) -> Self {
        Value::Real(real)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

/// The simulated value of a quantity.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredValue {
    /// The value, or its mean.
    pub value: Value,
    /// The standard error of a mean; `None` for what does not vary.
    pub stderr: Option<f64>,
}

impl MeasuredValue {
    /// A value that does not vary.
    pub fn exact(value: impl Into<Value>) -> MeasuredValue {
        MeasuredValue {
            value: value.into(),
            stderr: None,
        }
    }

    /// The mean of a tally.
    pub fn mean(tally: &Tally) -> MeasuredValue {
        MeasuredValue {
            value: tally.mean().into(),
            stderr: Some(tally.standard_error()),
        }
    }
}

/// The verdict on a quantity, the better first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Everything at hand agrees with the paper.
    Reproduced,
    /// Simulation neither confirms nor contradicts: more replicates would tell.
    Undecided,
    /// Something disagrees, and it is known why: formula and simulation agree with each other
    /// and not with the paper, or the formula is an approximation.
    Differs,
    /// Anything else.
    NotReproduced,
}

impl Verdict {
    /// All, the better first.
    pub const ALL: [Verdict; 4] = [
        Verdict::Reproduced,
        Verdict::Undecided,
        Verdict::Differs,
        Verdict::NotReproduced,
    ];
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Reproduced => "reproduced",
            Verdict::Undecided => "undecided",
            Verdict::Differs => "differs",
            Verdict::NotReproduced => "not reproduced",
        })
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A quantity of a paper. Its JSON has the fields in this order, `null` for
/// what there is not.
///
/// Made by [`new`](Self::new), [`claimed`](Self::claimed) or [`unprinted`](Self::unprinted),
/// given what is known of it, and [`judged`](Self::judged): before that its verdict is "not
/// reproduced".
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Quantity {
    /// Its name for programs, which ends with its unit when it has one.
    pub id: String,
    /// Its name in words.
    pub name: String,
    /// Paper, section, and equation or table.
    pub source: String,
    /// The value that the paper prints, when it prints a number.
    pub printed: Option<Value>,
    /// The value that a statement of the paper comes to, when it prints no number.
    pub claimed: Option<Value>,
    /// The value of the paper's formula.
    pub analytic: Option<Value>,
    /// The value found by trying every case on the models of the chips.
    pub enumerated: Option<Value>,
    /// The value found by simulation.
    pub simulated: Option<Value>,
    /// Standard error of the simulated value, when it is a mean.
    pub stderr: Option<f64>,
    /// The greatest difference of values that agree; of a simulated mean it is 3 standard
    /// errors more.
    pub tolerance: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason why it is not reproduced; empty when it is.
    pub reason: String,
    /// True when it is expected to be reproduced.
    pub expected: bool,
    #[serde(skip)]
    range: Option<(f64, f64)>,
    #[serde(skip)]
    sharpness: f64,
    #[serde(skip)]
    approximation: Option<String>,
}

impl Quantity {
    /// A quantity of which only the print is known, to be met exactly.
    pub fn new(
        id: impl Into<String>,
        source: impl Into<String>,
        printed: impl Into<Value>,
    ) -> Self {
        Quantity {
            printed: Some(printed.into()),
            ..Quantity::unprinted(id, source)
        }
    }

    /// A quantity of which the paper says something that comes to a value, and prints none.
    pub fn claimed(
        id: impl Into<String>,
        source: impl Into<String>,
        claimed: impl Into<Value>,
    ) -> Self {
        Quantity {
            claimed: Some(claimed.into()),
            ..Quantity::unprinted(id, source)
        }
    }

    /// A quantity that a statement of the paper, read so that it can fail, puts between two
    /// values, both included.
    pub fn between(
        id: impl Into<String>,
        source: impl Into<String>,
        (least, most): (f64, f64),
    ) -> Self {
        Quantity {
            range: Some((least, most)),
            ..Quantity::claimed(id, source, format!("{least} to {most}"))
        }
    }

    /// A quantity of which nothing is known, and for which the paper has no number:
    /// what is found in several ways is compared with each other.
    pub fn unprinted(id: impl Into<String>, source: impl Into<String>) -> Self {
        let id = id.into();
        Quantity {
            name: id.replace('_', " "),
            id,
            source: source.into(),
            printed: None,
            claimed: None,
            analytic: None,
            enumerated: None,
            simulated: None,
            stderr: None,
            tolerance: 0.0,
            verdict: Verdict::NotReproduced,
            reason: String::new(),
            expected: true,
            range: None,
            sharpness: f64::INFINITY,
            approximation: None,
        }
    }

    /// The quantity with a name in words.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The quantity with what the formula gives.
    pub fn analytic(mut self, value: impl Into<Value>) -> Self {
        self.analytic = Some(value.into());
        self
    }

    /// The quantity with what trying every case gives.
    pub fn enumerated(mut self, value: impl Into<Value>) -> Self {
        self.enumerated = Some(value.into());
        self
    }

    /// The quantity with what simulation gives, when there is a simulation.
    pub fn simulated(mut self, measured: Option<MeasuredValue>) -> Self {
        if let Some(MeasuredValue { value, stderr }) = measured {
            self.simulated = Some(value);
            self.stderr = stderr;
        }
        self
    }

    /// The quantity with another tolerance than 0.
    pub fn within(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// With the difference that must be seen: when 3 standard errors are more, agreement
    /// decides nothing.
    pub fn sharp_to(mut self, difference: f64) -> Self {
        self.sharpness = difference;
        self
    }

    /// With a formula, or a reading, that may be off, and why. Being off is then no failure,
    /// and is told.
    pub fn approximate(mut self, why: impl Into<String>) -> Self {
        self.approximation = Some(why.into());
        self
    }

    /// The quantity with its verdict.
    ///
    /// What is found is compared with the print, or the claim, and with each other.
    /// `explanation` says why the paper is not met: then
    /// the quantity is not expected to be reproduced. It excuses the paper only: when
    /// what is found contradicts itself, the quantity fails.
    pub fn judged(mut self, explanation: Option<String>) -> Self {
        let error = SIGMAS * self.stderr.unwrap_or(0.0);
        let slack = self.tolerance + error;
        let target = self.printed.as_ref().or(self.claimed.as_ref());
        let analytic = self.analytic.as_ref();
        let enumerated = self.enumerated.as_ref();
        let simulated = self.simulated.as_ref();
        let exact = || [analytic, enumerated].into_iter().flatten();
        let meets = |value: &Value, slack: f64| match (self.range, value.number()) {
            (Some((least, most)), Some(number)) => (least - slack..=most + slack).contains(&number),
            _ => target.is_none_or(|target| value.agrees(target, slack)),
        };
        let in_target = exact().all(|value| meets(value, self.tolerance))
            && simulated.is_none_or(|value| meets(value, slack));
        let consistent = simulated.is_none_or(|value| exact().all(|e| value.agrees(e, slack)))
            && exact().all(|one| exact().all(|other| one.agrees(other, self.tolerance)));
        let known = [
            ("printed", self.printed.as_ref()),
            ("claimed", self.claimed.as_ref()),
            ("analytic", analytic),
            ("enumerated", enumerated),
            ("simulated", simulated),
        ];
        let known = known.iter().filter_map(|(name, value)| {
            let value = (*value)?;
            Some(match *name {
                "printed" | "claimed" => format!("{name} {value}"),
                _ => format!("{name} {value:.3}"),
            })
        });
        let known: Vec<String> = known.collect();
        let (verdict, reason) = if exact().next().is_none() && simulated.is_none() {
            (
                Verdict::NotReproduced,
                "neither formula nor simulation".into(),
            )
        } else if known.len() < 2 {
            let reason = format!("nothing to compare with: {}", known.join(", "));
            (Verdict::NotReproduced, reason)
        } else if in_target && consistent && error > self.sharpness {
            let reason = format!(
                "three standard errors are {error:.3}, more than the {:.3} that would tell",
                self.sharpness
            );
            (Verdict::Undecided, reason)
        } else if in_target && consistent {
            (Verdict::Reproduced, String::new())
        } else if let Some(why) = &self.approximation {
            self.expected = false;
            (Verdict::Differs, format!("{}: {why}", known.join(", ")))
        } else if let Some(explanation) = explanation.filter(|_| consistent) {
            self.expected = false;
            (Verdict::Differs, explanation)
        } else {
            (Verdict::NotReproduced, known.join(", "))
        };
        self.verdict = verdict;
        self.reason = reason;
        self
    }

    /// The reason why it is not reproduced, without the numbers where words alone say it; empty
    /// when it is.
    pub fn why(&self) -> &str {
        match (self.verdict, &self.approximation) {
            (Verdict::Differs, Some(why)) => why,
            _ => &self.reason,
        }
    }

    /// Marks a statement that is known not to come out, for an unknown reason: it is not
    /// reproduced, which is no failure of the program.
    pub fn not_expected(mut self) -> Self {
        self.expected = false;
        self
    }

    /// True when it is reproduced, and no hardware was asked: neither simulated nor tried case by case.
    pub fn is_by_formula(&self) -> bool {
        let is_asked = self.simulated.is_some() || self.enumerated.is_some();
        self.verdict == Verdict::Reproduced && !is_asked
    }

    /// True when it is reproduced, or undecided, or not expected to be reproduced.
    pub fn holds(&self) -> bool {
        !self.expected || matches!(self.verdict, Verdict::Reproduced | Verdict::Undecided)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(
        analytic: Option<f64>,
        simulated: Option<(f64, f64)>,
        explained: bool,
    ) -> (Verdict, bool) {
        let mut quantity = Quantity::new("q", "", 1.0).within(0.05);
        quantity.analytic = analytic.map(Value::Real);
        let quantity = quantity
            .simulated(simulated.map(|(mean, stderr)| MeasuredValue {
                value: Value::Real(mean),
                stderr: Some(stderr),
            }))
            .judged(explained.then(|| "known".into()));
        (quantity.verdict, quantity.holds())
    }

    #[test]
    fn verdicts() {
        use Verdict::{Differs, NotReproduced, Reproduced};
        assert_eq!(verdict(None, None, true), (NotReproduced, false));
        assert_eq!(verdict(Some(1.04), None, false), (Reproduced, true));
        assert_eq!(verdict(Some(1.06), None, false), (NotReproduced, false));
        assert_eq!(verdict(Some(1.06), None, true), (Differs, true));
        // An explanation that is not needed is not given.
        assert_eq!(verdict(Some(1.0), None, true), (Reproduced, true));
        // The slack of a mean is three standard errors.
        assert_eq!(verdict(None, Some((1.07, 0.01)), false), (Reproduced, true));
        assert_eq!(
            verdict(None, Some((1.09, 0.01)), false),
            (NotReproduced, false)
        );
        assert_eq!(
            verdict(Some(1.0), Some((1.07, 0.01)), false),
            (Reproduced, true)
        );
        // It does not excuse what contradicts the formula.
        assert_eq!(verdict(Some(1.2), Some((1.2, 0.01)), true), (Differs, true));
        assert_eq!(
            verdict(Some(1.2), Some((1.4, 0.01)), true),
            (NotReproduced, false)
        );
    }

    #[test]
    fn without_a_print_formula_and_simulation_are_compared() {
        let quantity = |simulated: Option<u64>| {
            Quantity::unprinted("q", "")
                .analytic(3_u64)
                .simulated(simulated.map(|count| MeasuredValue {
                    value: Value::Count(count),
                    stderr: None,
                }))
                .judged(None)
        };
        assert_eq!(quantity(Some(3)).verdict, Verdict::Reproduced);
        assert_eq!(quantity(Some(4)).reason, "analytic 3, simulated 4");
        assert_eq!(quantity(None).reason, "nothing to compare with: analytic 3");
    }

    #[test]
    fn what_cannot_tell_is_undecided() {
        let quantity = |stderr| {
            Quantity::unprinted("q", "")
                .enumerated(1.1)
                .simulated(Some(MeasuredValue {
                    value: Value::Real(1.12),
                    stderr: Some(stderr),
                }))
                .sharp_to(0.05)
                .judged(None)
        };
        assert_eq!(quantity(0.01).verdict, Verdict::Reproduced);
        assert_eq!(quantity(0.02).verdict, Verdict::Undecided);
        assert!(quantity(0.02).holds());
        // Far off is far off, however wide the interval.
        assert_eq!(quantity(0.005).verdict, Verdict::NotReproduced);
    }

    #[test]
    fn an_approximation_that_is_off_differs_and_is_told() {
        let quantity = |formula: f64| {
            Quantity::unprinted("q", "")
                .analytic(formula)
                .simulated(Some(MeasuredValue::exact(28.0)))
                .approximate("bins are a model")
                .judged(None)
        };
        assert_eq!(quantity(28.0).verdict, Verdict::Reproduced);
        let off = quantity(20.0);
        assert_eq!((off.verdict, off.holds()), (Verdict::Differs, true));
        assert_eq!(
            off.reason,
            "analytic 20.000, simulated 28.000: bins are a model"
        );
    }

    #[test]
    fn a_range_is_met_within_the_error() {
        let quantity = |value: f64, stderr: Option<f64>| {
            let measured = MeasuredValue {
                value: value.into(),
                stderr,
            };
            let quantity = Quantity::between("q", "", (0.5, 1.5)).simulated(Some(measured));
            quantity.judged(None)
        };
        assert_eq!(quantity(1.5, None).verdict, Verdict::Reproduced);
        assert_eq!(quantity(1.6, Some(0.05)).verdict, Verdict::Reproduced);
        let outside = quantity(1.6, Some(0.01));
        assert_eq!(outside.verdict, Verdict::NotReproduced);
        assert_eq!(outside.reason, "claimed 0.5 to 1.5, simulated 1.600");
        assert!(!outside.holds());
        assert!(outside.not_expected().holds());
    }

    #[test]
    fn every_way_is_held_against_every_other() {
        let quantity = |analytic: u64, enumerated: u64, claimed: u64| {
            let quantity = Quantity::claimed("q", "", claimed);
            let quantity = quantity.analytic(analytic).enumerated(enumerated);
            quantity.judged(Some("known".into())).verdict
        };
        assert_eq!(quantity(3, 3, 3), Verdict::Reproduced);
        assert_eq!(quantity(3, 3, 4), Verdict::Differs);
        assert_eq!(quantity(3, 4, 3), Verdict::NotReproduced);
    }

    #[test]
    fn texts_are_compared_as_they_are() {
        let quantity = |text: &str| {
            Quantity::new("q", "", "B64x8".to_owned())
                .analytic(text.to_owned())
                .judged(None)
        };
        assert_eq!(quantity("B64x8").verdict, Verdict::Reproduced);
        assert_eq!(quantity("B64x2").verdict, Verdict::NotReproduced);
    }

    #[test]
    fn json_has_every_field_in_order() {
        let quantity = Quantity::new("q", "paper, table 1", 3_u64)
            .analytic(4_u64)
            .judged(Some("misprinted".into()));
        assert_eq!(
            serde_json::to_string(&quantity).expect("JSON"),
            "{\"id\":\"q\",\"name\":\"q\",\"source\":\"paper, table 1\",\"printed\":3,\
             \"claimed\":null,\"analytic\":4,\"enumerated\":null,\"simulated\":null,\"stderr\":null,\"tolerance\":0.0,\"verdict\":\"differs\",\
             \"reason\":\"misprinted\",\"expected\":false}"
        );
    }
}
