//! Several clocks as one: every flip-flop acts at the end of a cycle, if its clock has its edge there.
//!
//! A clock port of a module becomes an input that is 1 in a cycle at whose end the clock rises. If
//! falling edges are used, an input beside it is 1 where it falls. A flip-flop, and a port that writes a
//! memory, is enabled by the one of its clock and edge, and all are clocked by one more input, which has
//! an edge at the end of every cycle:
//!
//! ```text
//! next = e & reset ? value : e & enable ? data : q        e: its clock has its edge now
//! ```
//!
//! Asynchronous controls act as before. A clock is followed through buffers, inverters and instances
//! that pass it on. Gated and divided clocks are refused, and so is a clock that is read as data.

use std::collections::BTreeMap;

use super::clock::{Wrong, check_wanted};
use super::record::ClockPort;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::{Design, DesignHierarchy, Module};
use find::{ModuleClocks, module_clocks};
use join::{Joiner, NewNames};

mod find;
mod join;
#[cfg(test)]
mod tests;

/// A clock as its user describes it. It is high in the first half of its period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockPeriod {
    /// The input.
    pub name: String,
    /// Cycles from one rising edge to the next.
    pub period: u64,
    /// The first rising edge is so many cycles after the start; one at the start itself is none.
    pub shift: u64,
}

impl ClockPeriod {
    /// True when it rises at the end of each cycle.
    pub(super) fn is_each_cycle(&self) -> bool {
        self.period == 1 && self.shift == 0
    }
}

/// The clocks of a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clocks {
    /// One, whose rising edges end the cycles; it has this name, or is found.
    One(Option<String>),
    /// Those of these periods.
    Periods(Vec<ClockPeriod>),
    /// Those of the stimuli, unless there is one and only its rising edges count.
    OfStimulus,
}

/// A clock of the top, as inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JoinedClock {
    /// The input that is 1 in a cycle at whose end the clock rises; in waveforms the clock.
    pub name: String,
    /// True when something acts on its rising edge.
    pub rises: bool,
    /// The input that is 1 in a cycle at whose end it falls, if something acts on that.
    pub falls: Option<String>,
}

/// A design whose flip-flops follow one clock.
#[derive(Debug)]
pub(super) struct JoinedDesign {
    pub design: Design,
    /// The input of the top that has an edge at the end of every cycle.
    pub clock: String,
    /// The clocks, in the order of the ports of the top.
    pub clocks: Vec<JoinedClock>,
}

/// The clock of a design, and what has become of those that it had.
#[derive(Debug, Clone, Default)]
pub(super) struct DesignClock {
    /// The clock; `None` when it is to be found.
    pub wanted: Option<String>,
    /// The clocks before, if they have been joined.
    pub joined: Vec<JoinedClock>,
}

impl DesignClock {
    /// The ports of the top that show clocks; `clock` is the one that it has now.
    pub fn ports<'a>(&'a self, clock: Option<&'a str>) -> Vec<ClockPort<'a>> {
        let port = |name: &'a str, shows| ClockPort { name, shows };
        if self.joined.is_empty() {
            let one = clock.map(|name| port(name, Some((0, false))));
            return one.into_iter().collect();
        }
        let mut ports = Vec::new();
        for (number, joined) in (0..).zip(&self.joined) {
            ports.push(port(&joined.name, Some((number, false))));
            // A module whose port rises as the clock falls sees the inverse.
            let falls = joined.falls.as_deref();
            ports.extend(falls.map(|falls| port(falls, Some((number, true)))));
        }
        ports.extend(clock.map(|name| port(name, None)));
        ports
    }

    /// The clock before, by its number, and true for its rising edge, of which an input of the top tells.
    pub fn edge(&self, input: &str) -> Option<(usize, bool)> {
        let mut clocks = self.joined.iter().enumerate();
        clocks.find_map(|(number, clock)| match &clock.falls {
            _ if clock.name == input => Some((number, true)),
            Some(falls) if falls == input => Some((number, false)),
            _ => None,
        })
    }
}

/// Makes the clocks below the module with index `root` inputs of a design with one clock. `None` when no
/// module has more than one clock, of which only rising edges count, unless `always`.
///
/// # Errors
/// Clocks that are no inputs of one bit of the top, or are read as data.
pub(super) fn join_clocks(
    design: &Design,
    root: usize,
    always: bool,
) -> Result<Option<JoinedDesign>, Error> {
    let hierarchy = DesignHierarchy::new(design, root);
    let mut clocks: BTreeMap<&str, ModuleClocks> = BTreeMap::new();
    let mut sound = Ok(());
    for &number in &hierarchy.order {
        let module = &design.modules[number];
        let mut wrong = Wrong::default();
        let found = module_clocks(
            module,
            design,
            &hierarchy,
            &clocks,
            number == root,
            &mut wrong,
        );
        sound = sound.and(wrong.finish(module));
        clocks.insert(&module.name, found);
    }
    let top = &design.modules[root];
    let of_top = &clocks[top.name.as_str()].uses;
    if !always && clocks.values().all(ModuleClocks::is_one) {
        return Ok(None);
    }
    sound?;
    let names = NewNames::of(design);
    let mut joined = design.clone();
    for &number in &hierarchy.order {
        Joiner::new(&mut joined.modules[number], &names).join(design, &hierarchy, &clocks);
    }
    let clocks = of_top.iter().map(|(&(port, _), uses)| {
        let name = top.ports[port].name.clone();
        let falls = (uses.falling > 0).then(|| names.falls(&name));
        let rises = uses.rising > 0;
        JoinedClock { name, rises, falls }
    });
    let clocks = clocks.collect();
    Ok(Some(JoinedDesign {
        design: joined,
        clock: names.clock,
        clocks,
    }))
}

/// Asks for the periods of clocks: the name of each, and whether something acts on its rising and its falling
/// edges.
pub(super) fn periods_needed<'a>(
    clocks: impl Iterator<Item = (&'a str, bool, bool)> + Clone,
) -> Error {
    let named = clocks
        .clone()
        .map(|(name, rises, falls)| match (rises, falls) {
            (true, true) => format!("both edges of `{name}`"),
            (false, true) => format!("falling edges of `{name}`"),
            (_, false) => format!("`{name}`"),
        });
    let named: Vec<String> = named.collect();
    let periods = clocks.map(|(name, _, falls)| {
        let period = if falls { 2 } else { 1 };
        format!("--clock {name}={period}")
    });
    let periods: Vec<String> = periods.collect();
    let message = format!(
        "flip-flops follow {}, and it is not known how they run",
        named.join(" and ")
    );
    let help = format!(
        "give their periods in cycles, as in {}; without --clock, a waveform with them as the stimulus says it",
        periods.join(" ")
    );
    let diagnostic = Diagnostic::new("--clock", message, help);
    Error::one(Class::Usage, "command line", diagnostic)
}

/// Refuses periods that are not those of the clocks of a module.
///
/// # Errors
/// A period of something else than a clock, a clock without one, and falling edges within a cycle.
pub(super) fn check_periods(
    module: &Module,
    clocks: &[JoinedClock],
    periods: &[ClockPeriod],
) -> Result<(), Error> {
    let wrong = |message: String, help: String| {
        let diagnostic = Diagnostic::new("--clock", message, help);
        Err(Error::one(Class::Usage, "command line", diagnostic))
    };
    for (index, period) in periods.iter().enumerate() {
        let name = &period.name;
        check_wanted(module, name)?;
        if !clocks.iter().any(|clock| clock.name == *name) {
            let names: Vec<String> = clocks.iter().map(|one| format!("`{}`", one.name)).collect();
            let found = match names.is_empty() {
                true => "there are no flip-flops".to_owned(),
                false => format!("the flip-flops are clocked by {}", names.join(", ")),
            };
            let message = format!("`{name}` clocks no flip-flop; {found}");
            return wrong(message, "leave it out".to_owned());
        }
        if periods[..index].iter().any(|other| other.name == *name) {
            let message = format!("`{name}` has two periods");
            return wrong(message, "give each clock one".to_owned());
        }
    }
    for clock in clocks {
        let name = &clock.name;
        let Some(period) = periods.iter().find(|period| period.name == *name) else {
            let message = format!("`{name}` clocks flip-flops too, but its period is not known");
            return wrong(message, format!("add --clock {name}=CYCLES"));
        };
        if clock.falls.is_some() && period.period % 2 == 1 {
            let message = format!(
                "flip-flops act on the falling edges of `{name}`, which are within a cycle: its period \
                 is {}, expected an even number of cycles",
                period.period
            );
            return wrong(
                message,
                "double the periods and shifts of all clocks".to_owned(),
            );
        }
    }
    Ok(())
}
