//! The inputs that all sections share.

use crate::dehon1990::trees::Counted;
use crate::effort::Effort;
use crate::page::{Data, PagePart, Picture, Section};
use crate::paper::Charts;
use crate::quantity::{MeasuredValue, Quantity, Verdict};
use crosswave_base::diagnostic::Error;
use crosswave_figures::plot;
use crosswave_observe::points::Points;
use crosswave_observe::points::watch::Watch;

/// The inputs that all sections share.
pub struct DehonContext<'a> {
    /// The amount of simulation.
    pub effort: Effort,
    /// True when pictures are made that nothing else is simulated for.
    pub draws: bool,
    /// The counts of unit trees, unless formulas are all that is asked for.
    pub counted: Option<Counted>,
    /// The points simulated so far.
    pub points: &'a mut Points,
    /// The caller, which is told of progress and may ask to stop.
    pub watch: &'a mut dyn Watch,
}

impl DehonContext<'_> {
    /// True when anything is simulated.
    pub fn simulates(&self) -> bool {
        self.effort > Effort::Formulas
    }

    /// Says what comes next, unless someone asks to stop.
    ///
    /// # Errors
    /// When someone does.
    pub fn begin(&mut self, what: &str) -> Result<(), Error> {
        self.watch.begins(what);
        crosswave_observe::points::watch::check_cancelled(self.watch)
    }

    /// Puts a figure of the registry into a section, with its numbers and its command.
    pub fn put(&self, name: &str, drawn: &Charts, captions: &[&str], section: &mut Section) {
        for (at, (chart, caption)) in drawn.charts.iter().zip(captions).enumerate() {
            let letter = ["", "a", "b", "c"][if drawn.charts.len() > 1 { at + 1 } else { 0 }];
            section.parts.push(PagePart::Picture(Picture {
                name: format!("{name}{letter}"),
                svg: plot::svg(chart),
                caption: (*caption).into(),
            }));
        }
        section.parts.push(PagePart::Data(Data {
            name: format!("{name}.csv"),
            text: drawn.csv.clone(),
        }));
        section.parts.push(self.command(name));
    }

    /// The command that draws a figure of the registry as the report has it.
    pub fn command(&self, name: &str) -> PagePart {
        let all = match self.effort {
            Effort::All => " --all",
            _ => "",
        };
        PagePart::Commands(vec![format!("crosswave figure {name}{all} --out figures")])
    }
}

/// A count that the paper prints, and that of the network that was built.
pub fn count(id: String, source: &str, printed: u64, found: u64) -> Quantity {
    Quantity::new(id, format!("DeHon 1990, {source}"), printed)
        .simulated(Some(MeasuredValue::exact(found)))
        .judged(None)
}

/// Adds a claim, when there is anything that it rests on.
pub fn claim(
    section: &mut Section,
    about: &str,
    paper: &str,
    found: impl Into<String>,
    quantities: Vec<Quantity>,
) {
    if !quantities.is_empty() {
        section.claim(about, paper, found, quantities);
    }
}

/// The number of quantities that came out, in words.
pub fn came_out(quantities: &[Quantity]) -> String {
    let of = |verdict| quantities.iter().filter(|q| q.verdict == verdict).count();
    let mut words = format!(
        "{} of {} numbers come out",
        of(Verdict::Reproduced),
        quantities.len()
    );
    for (verdict, what) in [
        (Verdict::Undecided, "are undecided"),
        (Verdict::Differs, "differ for a reason that is given"),
        (Verdict::NotReproduced, "do not come out"),
    ] {
        if of(verdict) > 0 {
            words += &format!(", {} {what}", of(verdict));
        }
    }
    words
}
