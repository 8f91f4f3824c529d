//! The condition under which a chip is at rest.
//!
//! A chip *rests* in a cycle when, with 0 on its links and host pins, all its
//! registers keep their values whatever its random and configuration pins are.
//! Instances at rest need not be evaluated. What has to be tested for it is a
//! set of registers and their values; the others hold anything.
//!
//! The set is found and proved when the netlist is loaded:
//!
//! 1. From reset, with 0 on links and host pins, three-valued logic is clocked
//!    until nothing changes. Registers that are known then are candidates,
//!    with the values they have.
//! 2. A register is *free* when the others keep their values if it has the
//!    other value, and it keeps that too.
//! 3. All free registers together: with the rest at their values and all free
//!    ones unknown, the rest must keep their values, and each free one must
//!    keep 0 and keep 1 while the other free ones are unknown. Those that do
//!    not are no longer free, until all hold.
//!
//! Cases are evaluated 64 at a time, each net as two words: lanes in which it
//! is known to be 1, and to be 0.

use super::known::{Known, evaluate};
use crosswave_netlist::{Bit, Leaf};

/// Clocks after which a chip that has not come to rest never does.
const CLOCKS_MAX: usize = 64;

/// The registers to test, with their values; `None` when the chip does not come
/// to rest after reset. `reset` gives the registers' values after reset, `zero`
/// says of an input port whether it is 0 at rest.
pub fn condition(
    leaf: &Leaf,
    reset: &[bool],
    zero: impl Fn(&str) -> bool,
) -> Option<Vec<(usize, bool)>> {
    let mut nets = vec![Known::NOTHING; leaf.nets()];
    for port in leaf.inputs().filter(|port| zero(&port.name)) {
        for bit in &port.bits {
            if let Bit::Net(net) = bit {
                nets[net.index()] = Known::all(false);
            }
        }
    }
    let mut logic = Logic { leaf, nets };
    let mut values: Vec<Known> = reset.iter().map(|&value| Known::all(value)).collect();
    let settled = (0..CLOCKS_MAX).any(|_| {
        let next = logic.clock(&values);
        std::mem::replace(&mut values, next) == values
    });
    if !settled {
        return None;
    }
    // A register that is unknown at rest can only be a free one.
    let known = |value: &Known| *value != Known::NOTHING;
    let mut free: Vec<bool> = values.iter().map(|value| !known(value)).collect();
    let candidates: Vec<usize> = (0..values.len()).filter(|&r| known(&values[r])).collect();
    for batch in candidates.chunks(64) {
        let mut tried = values.clone();
        for (lane, &register) in batch.iter().enumerate() {
            let bit = 1 << lane;
            tried[register].one ^= bit;
            tried[register].zero ^= bit;
        }
        let next = logic.clock(&tried);
        for (lane, &register) in batch.iter().enumerate() {
            free[register] = tried.iter().zip(&next).all(|(before, after)| {
                before.one >> lane & 1 == after.one >> lane & 1
                    && before.zero >> lane & 1 == after.zero >> lane & 1
            });
        }
    }
    loop {
        let broken = logic.broken(&values, &free);
        if broken.is_empty() {
            break;
        }
        for register in broken {
            if !known(&values[register]) {
                return None;
            }
            free[register] = false;
        }
    }
    let tested = (0..values.len()).filter(|&register| !free[register]);
    Some(
        tested
            .map(|register| (register, values[register].one != 0))
            .collect(),
    )
}

/// The logic of a module with its inputs at rest.
struct Logic<'a> {
    leaf: &'a Leaf,
    nets: Vec<Known>,
}

impl Logic<'_> {
    /// The values of the registers after a clock.
    fn clock(&mut self, registers: &[Known]) -> Vec<Known> {
        for (register, &value) in self.leaf.registers.iter().zip(registers) {
            self.nets[register.q.index()] = value;
        }
        for gate in &self.leaf.gates {
            self.nets[gate.output.index()] = evaluate(gate, &self.nets);
        }
        let data = self.leaf.registers.iter().map(|register| register.data);
        data.map(|bit| Known::of(&self.nets, bit)).collect()
    }

    /// Free registers that have to be tested after all: those that do not keep
    /// their value, or all of them when a tested one does not keep its own.
    fn broken(&mut self, values: &[Known], free: &[bool]) -> Vec<usize> {
        let all: Vec<usize> = (0..values.len())
            .filter(|&register| free[register])
            .collect();
        let mut start = values.to_vec();
        for &register in &all {
            start[register] = Known::NOTHING;
        }
        let mut broken = Vec::new();
        for batch in all.chunks(32) {
            // Lane 2i holds register i at 0, lane 2i + 1 at 1.
            let mut tried = start.clone();
            for (index, &register) in batch.iter().enumerate() {
                tried[register] = Known {
                    zero: 1 << (2 * index),
                    one: 2 << (2 * index),
                };
            }
            let next = self.clock(&tried);
            let kept = |register: usize, lane: usize| {
                let (before, after) = (tried[register], next[register]);
                before.one >> lane & 1 & !(after.one >> lane) == 0
                    && before.zero >> lane & 1 & !(after.zero >> lane) == 0
            };
            for (index, &register) in batch.iter().enumerate() {
                if !kept(register, 2 * index) || !kept(register, 2 * index + 1) {
                    broken.push(register);
                }
            }
            let tested = (0..values.len()).filter(|&register| !free[register]);
            if tested
                .into_iter()
                .any(|register| !(0..64).all(|lane| kept(register, lane)))
            {
                return all;
            }
        }
        broken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_chips::{CHIPS, Role, netlists};
    use crosswave_netlist::text;

    fn leaf(body: &str) -> Leaf {
        let design = text::parse(
            &format!("module m\n input clk\n input a\n input x\n output q\n{body}end\n"),
            "test",
        )
        .unwrap_or_else(|error| panic!("{error}"));
        Leaf::new(&design.modules[0], "clk", &[]).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_register_that_holds_is_free_and_one_that_moves_is_tested() {
        // p follows a; q takes x when p is 1, else holds.
        let leaf = leaf(
            " flop p a -> p posedge clk\n gate m MUX q x p -> d\n flop q d -> q posedge clk\n",
        );
        let tested = condition(&leaf, &[false, false], |port| port == "a");
        assert_eq!(tested, Some(vec![(0, false)]));
    }

    #[test]
    fn what_never_settles_never_rests() {
        let toggles = leaf(" gate n NOT q -> d\n flop q d -> q posedge clk\n");
        assert_eq!(condition(&toggles, &[false], |_| true), None);
        let drawn = leaf(" flop q x -> q posedge clk\n");
        assert_eq!(condition(&drawn, &[false], |port| port == "a"), None);
    }

    #[test]
    fn two_registers_that_swap_are_not_both_free() {
        let swap = leaf(" flop p q -> p posedge clk\n flop q p -> q posedge clk\n");
        let tested = condition(&swap, &[false, false], |_| true);
        assert_eq!(tested.map(|tested| tested.len()), Some(2));
    }

    #[test]
    fn the_chips_rest_with_registers_to_spare() {
        // The others stand in no network.
        for chip in CHIPS.iter().filter(|chip| !chip.links.is_empty()) {
            let name = chip.name;
            let module = netlists::plain(name).unwrap_or_else(|error| panic!("{error}"));
            // Half-duplex links count their turns for ever.
            let tied = [
                "reset",
                "strategy",
                "backoff_limit",
                "early_acknowledge",
                "half_duplex",
            ];
            let ports = module
                .ports
                .iter()
                .filter(|port| tied.contains(&&*port.name));
            let ties: Vec<(String, usize, bool)> = ports
                .flat_map(|port| (0..port.bits.len()).map(|bit| (port.name.clone(), bit, false)))
                .collect();
            let leaf = Leaf::new(module, "clock", &ties).unwrap_or_else(|e| panic!("{e}"));
            let reset = vec![false; leaf.registers.len()];
            let zero = |port: &str| {
                let role = chip.ports[chip.port(port)].role;
                matches!(role, Role::Link { .. } | Role::Host)
            };
            let tested = condition(&leaf, &reset, zero);
            let tested = tested.map_or(0, |tested| tested.len());
            assert!(tested > 0, "{name}");
            assert!(tested <= leaf.registers.len(), "{name}");
        }
    }
}
