//! One netlist for many sets of values of a module's parameters.
//!
//! Yosys elaborates the module with each set, and the modules that are alike ([`rtlil`])
//! are synthesised as one with pins. A pin is a bit of a constant that is not the same in all of them; bits
//! that always have the same values are one pin.
//!
//! An elaboration takes some hundredths of a second, where a synthesis takes seconds: 256 sets of a
//! router of 2,900 gates take 6 s on one thread in place of 256 syntheses.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use super::Design;
use super::kept::Kept;
use super::rtlil::{self, Elaborated, PORT_BITS};
use super::script;
use super::sources::Sources;
use super::tool::Yosys;
use crosswave_base::diagnostic::Error;
use crosswave_base::threads;

/// Parameters and their values, as Verilog writes them.
pub type ParameterSet = Vec<(String, String)>;

/// Sets that one Yosys elaborates: their texts lie in a folder together.
const BATCH: usize = 64;
/// Bytes of the texts of modules that are not alike, at most.
const TEXTS_MAX: usize = 256 << 20;
/// Pins of a module at most.
const PINS_MAX: usize = 4096;

/// The modules of some sets of parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merged {
    /// The modules that are for several sets, by the lowest of their sets.
    pub modules: Vec<MergedModule>,
    /// The numbers of the sets whose modules are like no other one.
    pub alone: Vec<usize>,
    /// The reason for more than one module.
    pub reason: Option<String>,
}

/// A module for several sets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedModule {
    /// Its netlist: the JSON that Yosys wrote.
    pub json: String,
    /// Its sets.
    pub members: Vec<SetPins>,
}

/// A set of a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetPins {
    /// The number of the set.
    pub set: usize,
    /// The values of the ports of pins, by their numbers.
    pub pins: Vec<u64>,
}

/// Modules of one form.
struct Alike {
    /// The text of the first.
    text: String,
    members: Vec<(usize, Elaborated)>,
}

/// Merges the modules of sets of parameters that a design has besides its own. The sets differ. `begun` is
/// called before Yosys runs, with its version.
///
/// # Errors
/// When a file cannot be read, or there is no Yosys. What Yosys refuses is a reason for modules apart.
pub fn merged(
    design: &Design<'_>,
    sets: &[ParameterSet],
    begun: impl FnOnce(&str),
) -> Result<Merged, Error> {
    let sources = Sources::read(design)?;
    let yosys = Yosys::find(design.options.frontend)?;
    let Some(top) = sources.top.clone() else {
        let reason = "the sources do not declare the module";
        return Ok(Merged::apart(sets.len(), reason.to_owned()));
    };
    let script = script::elaboration(&sources, sets) + &script::of_module(&top);
    let kept = Kept::merged(&sources.hash(&yosys.version, &script));
    let known = kept
        .read()
        .and_then(|text| serde_json::from_str(&text).ok());
    let known = known.filter(|merged: &Merged| merged.is_of(sets.len()));
    let merged = match known {
        Some(known) => known,
        None => {
            begun(&yosys.version);
            let task = Task {
                sources: &sources,
                yosys: &yosys,
                top: &top,
                sets,
            };
            let made = task.merged();
            // A refusal may be of this machine.
            if let Some(Ok(text)) = made.as_ref().ok().map(serde_json::to_string) {
                kept.write(&text);
            }
            made.unwrap_or_else(|reason| Merged::apart(sets.len(), reason))
        }
    };
    Ok(Merged {
        reason: merged.reason.map(|reason| sources.as_named(&reason)),
        ..merged
    })
}

impl Merged {
    /// A module for each set.
    fn apart(sets: usize, reason: String) -> Merged {
        Merged {
            modules: Vec::new(),
            alone: (0..sets).collect(),
            reason: Some(reason),
        }
    }

    /// True when each of so many sets has one module.
    fn is_of(&self, sets: usize) -> bool {
        let members = self.modules.iter().flat_map(|of| &of.members);
        let members = members.map(|member| member.set);
        let mut all: Vec<usize> = members.chain(self.alone.iter().copied()).collect();
        all.sort_unstable();
        all.into_iter().eq(0..sets)
    }
}

/// The sets to be merged.
struct Task<'a> {
    sources: &'a Sources,
    yosys: &'a Yosys,
    top: &'a str,
    sets: &'a [ParameterSet],
}

impl Task<'_> {
    /// Merges all sets; or the reason why none are.
    fn merged(&self) -> Result<Merged, String> {
        let groups = self.groups()?;
        let reason = self.reason(&groups);
        let several: Vec<&Alike> = groups.iter().filter(|of| of.members.len() > 1).collect();
        let alone = groups.iter().filter(|of| of.members.len() == 1);
        let alone = alone.map(|of| of.members[0].0).collect();
        let modules = threads::each(several.len(), |at| self.module(several[at]));
        Ok(Merged {
            modules: modules.into_iter().collect::<Result<_, _>>()?,
            alone,
            reason,
        })
    }

    /// The sets whose modules are alike, by the lowest of them.
    fn groups(&self) -> Result<Vec<Alike>, String> {
        let batches: Vec<&[ParameterSet]> = self.sets.chunks(BATCH).collect();
        let texts = AtomicUsize::new(0);
        let forms = threads::each(batches.len(), |at| {
            self.forms(at * BATCH, batches[at], &texts)
        });
        let mut places: BTreeMap<[u8; 32], usize> = BTreeMap::new();
        let mut groups: Vec<Alike> = Vec::new();
        for of_batch in forms {
            for alike in of_batch? {
                let form = alike.members[0].1.form;
                let place = *places.entry(form).or_insert(groups.len());
                match groups.get_mut(place) {
                    Some(group) => group.members.extend(alike.members),
                    None => groups.push(alike),
                }
            }
        }
        Ok(groups)
    }

    /// The same of a batch whose sets have numbers from `first` on. `texts` are the bytes of all texts.
    fn forms(
        &self,
        first: usize,
        sets: &[ParameterSet],
        texts: &AtomicUsize,
    ) -> Result<Vec<Alike>, String> {
        let mut groups: Vec<Alike> = Vec::new();
        let mut are_many = false;
        let ran = self.yosys.elaborate(self.sources, sets, |set, text| {
            let found = Elaborated::read(&text, self.top);
            let mut known = groups.iter();
            let known = known.position(|of| of.members[0].1.form == found.form);
            let member = (first + set, found);
            if let Some(known) = known {
                groups[known].members.push(member);
                return;
            }
            let bytes = texts.fetch_add(text.len(), Ordering::Relaxed) + text.len();
            are_many |= bytes > TEXTS_MAX;
            if !are_many {
                let members = vec![member];
                groups.push(Alike { text, members });
            }
        });
        ran.map_err(|error| {
            let mistakes = error.diagnostics.iter();
            let mistakes: Vec<&str> = mistakes.map(|mistake| &*mistake.message).collect();
            mistakes.join("; ")
        })?;
        match are_many {
            true => Err("too many of them are unlike".to_owned()),
            false => Ok(groups),
        }
    }

    /// The module of sets that are alike.
    fn module(&self, alike: &Alike) -> Result<MergedModule, String> {
        let first = &alike.members[0].1;
        let mut differing = vec![0; first.bits.len()];
        for (_, member) in &alike.members {
            let words = differing.iter_mut().zip(&first.bits).zip(&member.bits);
            words.for_each(|((differing, one), other)| *differing |= one ^ other);
        }
        // Bits that have the same values in all sets are one pin.
        let mut columns: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
        let mut pins: BTreeMap<usize, usize> = BTreeMap::new();
        for bit in
            (0..differing.len() * 64).filter(|bit| differing[bit / 64] >> (bit % 64) & 1 != 0)
        {
            let members = alike.members.iter();
            let column = members.map(|(_, of)| of.bit(bit)).collect();
            let next = columns.len();
            pins.insert(bit, *columns.entry(column).or_insert(next));
        }
        if columns.len() > PINS_MAX {
            return Err(format!("more than {PINS_MAX} bits differ"));
        }
        let mut members: Vec<SetPins> = alike
            .members
            .iter()
            .map(|(set, _)| SetPins {
                set: *set,
                pins: vec![0; columns.len().div_ceil(PORT_BITS)],
            })
            .collect();
        for (column, pin) in &columns {
            for (member, bit) in members.iter_mut().zip(column) {
                member.pins[pin / PORT_BITS] |= u64::from(*bit) << (pin % PORT_BITS);
            }
        }
        let text = rtlil::with_pins(&alike.text, self.top, &pins);
        let made = self.yosys.synthesise_module(self.sources, self.top, &text);
        let json = made.map_err(|error| error.diagnostics[0].message.clone())?;
        Ok(MergedModule { json, members })
    }

    /// The reason for more than one module.
    fn reason(&self, groups: &[Alike]) -> Option<String> {
        let [one, other, ..] = groups else {
            return None;
        };
        let set = |of: &Alike| {
            let set = self.sets[of.members[0].0].iter();
            let values: Vec<String> = set
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            values.join(", ")
        };
        let place = rtlil::difference(&one.text, &other.text, self.top);
        let place = place.map_or(String::new(), |place| format!(", at {place}"));
        Some(format!(
            "with {} it has other cells than with {}{place}",
            set(other),
            set(one)
        ))
    }
}
