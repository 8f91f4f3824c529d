//! Registers that note whether nets have risen and fallen.
//!
//! A module gets two flip-flops for each net and direction that is watched, in the same clock as its own:
//! one notes that the net has had the value before the change, one that it had the other value later. Both
//! keep what they have noted until the next reset. So a net has *risen* once it was 0 in some cycle and 1
//! in a later one, which an engine shows as any other register, for each instance by itself.
//!
//! Engines leave out instances at rest, in which no register can change. What follows random pins changes
//! even then, so it is watched only in cycles in which an instance is not at rest, and in the one after.

use smol_str::{SmolStr, format_smolstr};

use super::function::Function;
use super::model::{Bit, Flop, Module, NetId, PortDirection};

/// The beginning of the names of what watches.
const MARK: &str = "$watch$";

/// The end of the name of the one that notes the value before a change.
const BEFORE: &str = "$before";

/// The name of the flip-flop that is 1 in a cycle after one in which an instance was not at rest.
pub const AWAKE: &str = "$watch$awake";

/// True for the name of a flip-flop that watches, or knows when others do; no output depends on it.
pub fn is_watcher(name: &str) -> bool {
    name.starts_with(MARK)
}

/// A change of a net.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// From 0 to 1.
    Rise,
    /// From 1 to 0.
    Fall,
}

impl Change {
    fn name(self) -> &'static str {
        match self {
            Change::Rise => "rise",
            Change::Fall => "fall",
        }
    }
}

/// A net, and the change of it that is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Watch {
    /// The net.
    pub net: NetId,
    /// The change.
    pub change: Change,
}

impl Watch {
    /// The name of the flip-flop that is 1 once the change has happened.
    pub fn register(self) -> SmolStr {
        format_smolstr!("{MARK}{}${}", self.change.name(), self.net.0)
    }

    /// The watch that a flip-flop of that name belongs to, and what it notes.
    pub fn of_register(name: &str) -> Option<(Watch, Noted)> {
        let name = name.strip_prefix(MARK)?;
        let (name, noted) = match name.strip_suffix(BEFORE) {
            Some(name) => (name, Noted::Before),
            None => (name, Noted::Change),
        };
        let (change, net) = name.split_once('$')?;
        let mut changes = [Change::Rise, Change::Fall].into_iter();
        let watch = Watch {
            net: NetId(net.parse().ok()?),
            change: changes.find(|known| known.name() == change)?,
        };
        Some((watch, noted))
    }
}

/// Something that a flip-flop notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Noted {
    /// The net has had the value before the change.
    Before,
    /// The change.
    Change,
}

/// The name of the flip-flop that is 1 once some net of an [`Alarm`] has had the other value.
pub const ALARM: &str = "$watch$alarm";

/// Nets that have had one value so far, in all instances, with this value. One flip-flop notes that some
/// net of them had the other one.
pub type Alarm = Vec<(NetId, bool)>;

/// The condition under which an instance is at rest: all inputs of these ports are 0, and these
/// flip-flops, by name, have these values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RestCondition {
    /// Input ports.
    pub inputs: Vec<String>,
    /// Flip-flops and their values.
    pub registers: Vec<(SmolStr, bool)>,
}

/// A module to which cells are added.
struct Adder {
    module: Module,
    clock: Bit,
    reset: Bit,
}

impl Adder {
    fn gate(&mut self, name: &str, function: Function, inputs: &[Bit]) -> Bit {
        self.module.add_gate(name, function, inputs)
    }

    fn flop(&mut self, name: &str, data: Bit, q: NetId) {
        let flop = Flop::plain(self.clock, data, q);
        self.module.add_flop(name, flop);
    }

    /// A flip-flop that is 0 after the reset, and 1 from the cycle on after one in which `event` is 1.
    fn sticky(&mut self, name: &str, event: Bit) -> Bit {
        let q = self.module.add_net(name);
        let kept = self.gate(&format!("{name}$kept"), Function::Or, &[Bit::Net(q), event]);
        let data = self.gate(
            &format!("{name}$data"),
            Function::AndNot,
            &[kept, self.reset],
        );
        self.flop(name, data, q);
        Bit::Net(q)
    }

    /// A bit that is 1 when some bit has another value than is given: a balanced tree, for the depth.
    fn differs(&mut self, name: &str, terms: Vec<(Bit, bool)>) -> Bit {
        let mut differing: Vec<Bit> = Vec::new();
        for (number, (bit, value)) in terms.into_iter().enumerate() {
            differing.push(match value {
                true => self.gate(&format!("{name}$not${number}"), Function::Not, &[bit]),
                false => bit,
            });
        }
        let mut number = 0;
        while differing.len() > 1 {
            let pairs: Vec<Vec<Bit>> = differing.chunks(2).map(<[Bit]>::to_vec).collect();
            differing.clear();
            for pair in pairs {
                differing.push(match pair[..] {
                    [_, _] => {
                        number += 1;
                        self.gate(&format!("{name}${number}"), Function::Or, &pair)
                    }
                    _ => pair[0],
                });
            }
        }
        differing.pop().unwrap_or(Bit::Zero)
    }

    /// A bit that is 1 in cycles in which an instance is not at rest, in the one after, and in the first
    /// one after the reset; always, where there is no rest.
    fn live(&mut self, condition: Option<&RestCondition>) -> Bit {
        let Some(condition) = condition else {
            let q = self.module.add_net(AWAKE);
            self.flop(AWAKE, Bit::One, q);
            return Bit::One;
        };
        let module = &self.module;
        let mut terms = Vec::new();
        for (cell, flop) in module.flops() {
            let mut tested = condition.registers.iter();
            if let Some((_, value)) = tested.find(|(name, _)| *name == cell.name) {
                terms.push((Bit::Net(flop.q), *value));
            }
        }
        let inputs = module.ports_of(PortDirection::Input);
        let inputs = inputs.filter(|port| condition.inputs.contains(&port.name));
        terms.extend(inputs.flat_map(|port| port.bits.iter().map(|&bit| (bit, false))));
        let active = self.differs(&format!("{MARK}any"), terms);
        let q = self.module.add_net(AWAKE);
        let data = self.gate(
            &format!("{AWAKE}$data"),
            Function::Or,
            &[active, self.reset],
        );
        self.flop(AWAKE, data, q);
        self.gate(&format!("{MARK}live"), Function::Or, &[active, Bit::Net(q)])
    }
}

/// A module with watchers and an alarm, besides all that it has. `clock` and `reset` name its inputs; the
/// reset is active high. `follows_random` says of a net that it depends on random pins in the same cycle;
/// with `knows_rest` the module knows when it is awake even if no such net is watched.
///
/// # Panics
/// When the module has no such inputs of one bit.
pub fn watched(
    module: Module,
    [clock, reset]: [&str; 2],
    watches: &[Watch],
    alarm: &Alarm,
    follows_random: impl Fn(NetId) -> bool,
    (knows_rest, rest): (bool, Option<&RestCondition>),
) -> Module {
    if watches.is_empty() && alarm.is_empty() {
        return module;
    }
    let input = |name: &str| {
        let port = module.port(name).filter(|port| port.bits.len() == 1);
        port.unwrap_or_else(|| panic!("{} has the input {name}", module.name))
            .bits[0]
    };
    let (clock, reset) = (input(clock), input(reset));
    let mut adder = Adder {
        module,
        clock,
        reset,
    };
    let mut watched = watches.iter().map(|watch| watch.net);
    let mut alarming = alarm.iter().map(|(net, _)| *net);
    let any = knows_rest || watched.any(&follows_random) || alarming.any(&follows_random);
    let live = any.then(|| adder.live(rest));
    if !alarm.is_empty() {
        let (random, others): (Alarm, Alarm) =
            alarm.iter().partition(|(net, _)| follows_random(*net));
        let terms = |nets: Alarm| nets.into_iter().map(|(net, value)| (Bit::Net(net), value));
        let others = adder.differs(ALARM, terms(others).collect());
        let mut random = adder.differs(&format!("{ALARM}$random"), terms(random).collect());
        if let Some(live) = live {
            random = adder.gate(&format!("{ALARM}$live"), Function::And, &[random, live]);
        }
        let event = adder.gate(&format!("{ALARM}$event"), Function::Or, &[others, random]);
        adder.sticky(ALARM, event);
    }
    for &watch in watches {
        let name = watch.register();
        let net = Bit::Net(watch.net);
        let inverse = adder.gate(&format!("{name}$not"), Function::Not, &[net]);
        let [before, after] = match watch.change {
            Change::Rise => [inverse, net],
            Change::Fall => [net, inverse],
        };
        let live = live.filter(|_| follows_random(watch.net));
        let [before, after] = [("was", before), ("is", after)].map(|(of, bit)| match live {
            Some(live) => adder.gate(&format!("{name}${of}$live"), Function::And, &[bit, live]),
            None => bit,
        });
        let seen = adder.sticky(&format!("{name}{BEFORE}"), before);
        let event = adder.gate(&format!("{name}$event"), Function::And, &[seen, after]);
        adder.sticky(&name, event);
    }
    adder.module
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evaluation, lower_flops, text};

    /// A register that takes an input, a gate that the input reaches at once, and one that is always 0
    /// after the reset.
    const TEXT: &str = "module m\n input clk\n input rst\n input a\n output q\n output x\n output z\n \
        gate g1 ANDNOT a rst -> d\n flop f d -> q posedge clk\n gate g2 AND a q -> x\n \
        gate g3 NOT q -> n\n gate g4 AND n q -> z\nend\n";

    fn module() -> Module {
        let design = text::parse(TEXT, "test").expect("sound");
        lower_flops(design.modules[0].clone(), "clk").expect("one clock")
    }

    fn net(module: &Module, name: &str) -> NetId {
        let of_name = |net: &usize| module.nets[*net].name == name;
        let found = (0..module.nets.len()).find(of_name).expect("it is there");
        NetId(u32::try_from(found).expect("few"))
    }

    #[test]
    fn names_of_registers_are_read_again() {
        for change in [Change::Rise, Change::Fall] {
            let watch = Watch {
                net: NetId(71),
                change,
            };
            let register = watch.register();
            assert_eq!(Watch::of_register(&register), Some((watch, Noted::Change)));
            let before = format!("{register}{BEFORE}");
            assert_eq!(Watch::of_register(&before), Some((watch, Noted::Before)));
        }
        for name in [
            "",
            "a",
            "$watch$rise$",
            "$watch$rise$7$event",
            "$watch$awake",
        ] {
            assert_eq!(Watch::of_register(name), None, "{name}");
        }
    }

    /// Watchers note what comparing each cycle with the earlier ones finds, and the module does what it
    /// did.
    #[test]
    fn changes_are_noted_from_the_first_cycle_on() {
        let module = module();
        let names = ["a", "q", "x", "z", "n"];
        let watches: Vec<Watch> = names
            .iter()
            .flat_map(|name| {
                let net = net(&module, name);
                [Change::Rise, Change::Fall].map(|change| Watch { net, change })
            })
            .collect();
        // The first two are 0 until the pattern begins.
        let alarm: Alarm = watches
            .iter()
            .step_by(2)
            .take(2)
            .map(|watch| (watch.net, false))
            .collect();
        let rest = RestCondition {
            inputs: vec!["a".to_owned()],
            registers: vec![("f".into(), false)],
        };
        for (pattern, random, rest) in [
            (0b1101_0000_u32, false, None),
            (0b1101_0000, true, Some(&rest)),
            (0b1, true, None),
            (0, true, Some(&rest)),
        ] {
            let watched = watched(
                module.clone(),
                ["clk", "rst"],
                &watches,
                &alarm,
                |_| random,
                (false, rest),
            );
            let evaluations =
                [&module, &watched].map(|module| Evaluation::new(module).expect("sound"));
            let mut nets = [&module, &watched].map(|module| vec![false; module.nets.len()]);
            let mut shown: Vec<Vec<bool>> = Vec::new();
            for cycle in 0..32 {
                for ((module, nets), evaluation) in
                    [&module, &watched].iter().zip(&mut nets).zip(&evaluations)
                {
                    let drive = |nets: &mut [bool], name: &str, value: bool| {
                        Evaluation::drive(
                            module.port(name).expect("a port"),
                            nets,
                            u64::from(value),
                        );
                    };
                    drive(nets, "rst", cycle == 0);
                    drive(nets, "a", cycle > 2 && pattern >> (cycle % 8) & 1 != 0);
                    evaluation.settle(nets);
                }
                let [plain, watching] = &nets;
                assert_eq!(plain[..], watching[..module.nets.len()]);
                if cycle > 0 {
                    shown.push(plain.clone());
                }
                // A register shows in the next cycle what this one has noted.
                evaluations[1].edge(&mut nets[1]);
                for watch in &watches {
                    let mut values = shown.iter().map(|nets| nets[watch.net.index()]);
                    let first = watch.change == Change::Fall;
                    let happened =
                        values.any(|value| value == first) && values.any(|value| value != first);
                    let register = net(&watched, &watch.register());
                    assert_eq!(nets[1][register.index()], happened, "{watch:?} {cycle}");
                }
                let alarm_net = net(&watched, ALARM);
                let expected = shown
                    .iter()
                    .any(|nets| alarm.iter().any(|(net, _)| nets[net.index()]));
                assert_eq!(nets[1][alarm_net.index()], expected, "{cycle}");
                evaluations[0].edge(&mut nets[0]);
            }
        }
    }
}
