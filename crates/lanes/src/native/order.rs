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
use super::pressure::Pressure;
use super::progress::{CodeStep, Order};
use crosswave_netlist::MappedValue;

/// Sinks among which the next one is chosen.
const WINDOW: usize = 48;

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
    let mut window: Vec<u32> = roots.by_ref().take(WINDOW).collect();
    while let Some(best) = (0..window.len()).min_by_key(|&at| pressure.of(&order, window[at])) {
        order.cone(window.remove(best), &need);
        window.extend(roots.next());
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
