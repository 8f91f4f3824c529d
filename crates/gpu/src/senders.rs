//! The code of a host for interfaces that send one message after another
//! ([`SendQueues`](crosswave_probe::engine::SendQueues)), in WGSL.
//!
//! It stands between two edges. In a cycle that has just begun it drives the pins of interfaces whose
//! message was over in the cycle before, or whose next message is due, and then notes what ports show in
//! that cycle. An entry of the list of messages is the cycle from which it may be asked for, followed by
//! the bits of the pins.

use std::fmt::Write;

use crate::plan::ArrayPlan;
use crate::shader::{begin, plane};

/// The entry point.
pub const SEND: &str = "send";

/// Planes of flags of each interface: those with a message asked for, with pins that show one, and with
/// messages left.
pub const FLAGS: usize = 3;

/// The bits of the host's pins, and the ports that are noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SenderPlan {
    /// Pin planes of the interfaces that messages decide, by the bits of an entry.
    pub planes: Vec<usize>,
    /// The port of one bit that says that a message is over.
    pub over: usize,
    /// Ports of one bit that are noted.
    pub noted: Vec<usize>,
}

impl SenderPlan {
    /// The plan of an interface, of which such pins are driven and such outputs are noted.
    pub fn new(plan: &ArrayPlan, driven: &[usize], over: usize, noted: &[usize]) -> SenderPlan {
        let planes = driven.iter().flat_map(|&port| plan.pins_of[port].clone());
        SenderPlan {
            planes: planes.collect(),
            over,
            noted: noted.to_vec(),
        }
    }

    /// Words of an entry.
    pub fn stride(&self) -> usize {
        1 + self.planes.len().div_ceil(32)
    }

    /// The bits of a message's pins.
    pub fn pack(&self, plan: &ArrayPlan, pins: &[(usize, u64)], entry: &mut Vec<u32>) {
        let first = entry.len();
        entry.resize(first + self.planes.len().div_ceil(32), 0);
        for (at, &plane) in self.planes.iter().enumerate() {
            let (port, bit) = plan.pins[plane];
            let value = pins.iter().find(|(of, _)| *of == port);
            let value = value.map_or(0, |(_, value)| value >> bit & 1);
            entry[first + at / 32] |= (value as u32) << (at % 32);
        }
    }

    /// The code.
    pub fn code(&self, plan: &ArrayPlan) -> String {
        let words = plan.driven.words;
        let (stride, noted) = (self.stride(), self.noted.len());
        let mut code = String::from(
            "struct Cycle { held: u32, keys: u32, cycle: u32, slot: u32 }
@group(0) @binding(0) var<storage, read> driven: array<u32>;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read_write> pins: array<u32>;
@group(0) @binding(3) var<storage, read> messages: array<u32>;
@group(0) @binding(4) var<storage, read_write> queues: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read_write> flags: array<u32>;
@group(0) @binding(6) var<storage, read_write> seen: array<u32>;
@group(0) @binding(7) var<uniform> now: Cycle;
",
        );
        begin(&mut code, SEND, plan);
        let _ = writeln!(
            code,
            "  var offered = flags[w];
  var shown = flags[{words}u + w];
  var left = flags[{}u + w];
  var begun = 0u;",
            2 * words,
        );
        for number in 0..self.planes.len() {
            let _ = writeln!(code, "  var v{number} = 0u;");
        }
        let _ = writeln!(
            code,
            "  var waiting = left & ~offered;
  while (waiting != 0u) {{
    let lane = firstTrailingBit(waiting);
    waiting &= waiting - 1u;
    let entry = queues[w * 32u + lane].x * {stride}u;
    if (messages[entry] <= now.cycle) {{
      begun |= 1u << lane;"
        );
        for number in 0..self.planes.len() {
            if number % 32 == 0 {
                let word = number / 32;
                let _ = writeln!(code, "      let m{word} = messages[entry + {}u];", word + 1);
            }
            let (word, bit) = (number / 32, number % 32);
            let _ = writeln!(
                code,
                "      v{number} |= ((m{word} >> {bit}u) & 1u) << lane;"
            );
        }
        code.push_str(
            "    }\n  }\n  let changed = begun | (shown & ~offered);\n  if (changed != 0u) {\n",
        );
        for (number, &of) in self.planes.iter().enumerate() {
            let word = plane("pins", "p", of);
            let _ = writeln!(code, "    {word} = ({word} & ~changed) | v{number};");
        }
        let over = plan.output_word(self.over);
        let _ = writeln!(
            code,
            "  }}
  offered |= begun;
  shown = (shown & ~changed) | begun;
  let over = {over} & offered;
  offered &= ~over;
  var ended = over;
  while (ended != 0u) {{
    let lane = firstTrailingBit(ended);
    ended &= ended - 1u;
    let queue = queues[w * 32u + lane];
    queues[w * 32u + lane].x = queue.x + 1u;
    if (queue.x + 1u == queue.y) {{ left &= ~(1u << lane); }}
  }}
  flags[w] = offered;
  flags[{words}u + w] = shown;
  flags[{}u + w] = left;",
            2 * words
        );
        for (number, &port) in self.noted.iter().enumerate() {
            let value = plan.output_word(port);
            let _ = writeln!(
                code,
                "  seen[(now.slot * {noted}u + {number}u) * {words}u + w] = {value};"
            );
        }
        code.push_str("}\n");
        code
    }
}
