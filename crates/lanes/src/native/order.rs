//! The order of functions and stores.
//!
//! Sinks are taken one after another, each time the one among the next [`WINDOW`]
//! after which the fewest values have to be kept ([`Pressure`]). What a sink needs is
//! computed depth first, the operand that needs more registers before the other (Sethi, Ullman,
//! JACM 1970; for shared values the numbers are estimates). A store goes as early
//! as its value and its place allow: a place of the state has to wait for all that
//! read it. Leaves that are written to each other's places in a circle are broken
//! by a copy.

use super::lower::{Function, Lowered};
use super::pressure::{Pressure, SLOTS};
use super::progress::{CodeStep, Order};
use crosswave_netlist::MappedValue;

/// Sinks among which the next one is chosen.
const WINDOW: usize = 48;
const _: () = assert!(WINDOW <= SLOTS, "each has a slot");

/// A sink that may be the next one.
struct Candidate {
    /// The function that computes it.
    root: u32,
    /// The slot of its cone.
    slot: usize,
    /// The change in the number of kept values.
    change: i32,
}

/// Orders a program. Copies may be added to its functions.
pub fn order(lowered: &mut Lowered) -> Vec<CodeStep> {
    let need = needs(&lowered.functions);
    let mut order = Order::new(lowered);
    let mut roots: Vec<u32> = Vec::new();
    for (value, _) in &order.lowered.sinks {
        if let MappedValue::Function(root) = *value {
            roots.push(root);
        }
    }
    let mut pressure = Pressure::new(&order);
    order.guard(&need);
    let mut roots = roots.into_iter();
    pressure.turned(&mut order);
    let mut candidate = |pressure: &mut Pressure, order: &Order, slot| {
        let root = roots.next()?;
        let change = pressure.of(order, root, slot);
        Some(Candidate { root, slot, change })
    };
    let slots = 0..WINDOW;
    let mut window: Vec<Candidate> = slots
        .map_while(|slot| candidate(&mut pressure, &order, slot))
        .collect();
    while let Some(best) = (0..window.len()).min_by_key(|&at| window[at].change) {
        let Candidate { root, slot, .. } = window.remove(best);
        order.cone(root, &need);
        let turned = pressure.turned(&mut order);
        for one in &mut window {
            if turned >> one.slot & 1 == 1 {
                one.change = pressure.of(&order, one.root, one.slot);
            }
        }
        window.extend(candidate(&mut pressure, &order, slot));
        if cfg!(test) {
            for one in &window {
                assert_eq!(one.change, pressure.of(&order, one.root, one.slot));
            }
        }
    }
    order.rest();
    order.steps
}

/// The estimate of registers that each function needs.
fn needs(functions: &[Function]) -> Vec<u32> {
    let mut need: Vec<u32> = Vec::with_capacity(functions.len());
    for function in functions {
        let mut of_inputs = [0; 3];
        for (at, input) in function.inputs().iter().enumerate() {
            if let MappedValue::Function(input) = *input {
                of_inputs[at] = need[input as usize];
            }
        }
        of_inputs.sort_unstable_by(|a, b| b.cmp(a));
        let held = of_inputs.iter().enumerate();
        need.push(
            held.map(|(held, &input)| held as u32 + input)
                .max()
                .unwrap_or(0)
                .max(1),
        );
    }
    need
}
