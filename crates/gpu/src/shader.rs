//! The code of an array's clock edge, in WGSL.

use std::fmt::Write;

use crate::links::{FIELDS, LinkTerms, Links};
use crate::plan::{ArrayPlan, Origin, Plans, Region, TILE};
use crate::random;
use crosswave_chips::RandomKind;
use crosswave_chips::registers::{Output, Storage};
use crosswave_netlist::{Bit, Function, Gate};
use crosswave_network::copies::Copies;

/// Invocations of a workgroup.
pub const WORKGROUP: usize = 128;

/// The entry point of a clock edge.
pub const EDGE: &str = "edge";
/// The entry point of the edge under reset.
pub const RESET: &str = "reset";

/// The bindings of the code of a clock edge, by number.
const BINDINGS: &str = "\
struct Cycle { held: u32, keys: u32, cycle: u32, slot: u32 }
@group(0) @binding(0) var<storage, read> driven: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;
@group(0) @binding(2) var<storage, read_write> state: array<u32>;
@group(0) @binding(3) var<storage, read> pins: array<u32>;
@group(0) @binding(4) var<storage, read> links: array<u32>;
@group(0) @binding(5) var<storage, read> keys: array<vec2<u32>>;
@group(0) @binding(6) var<uniform> now: Cycle;
";

/// Writes planes of what is asked for one after another, and words of pins to their places.
pub const GATHER: &str = "\
struct Plane { driven: u32, first: u32, stride: u32, words: u32 }
@group(0) @binding(0) var<storage, read> driven: array<u32>;
@group(0) @binding(1) var<storage, read> state: array<u32>;
@group(0) @binding(2) var<storage, read> planes: array<Plane>;
@group(0) @binding(3) var<storage, read_write> found: array<u32>;
@compute @workgroup_size(128) fn gather(@builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>) {
  let plane = planes[id.y];
  let word = id.x;
  if (word >= plane.words) { return; }
  let place = plane.first + (word >> 5u) * plane.stride + (word & 31u);
  let to = id.y * groups.x * 128u + word;
  if (plane.driven != 0u) { found[to] = driven[place]; } else { found[to] = state[place]; }
}
";

/// Writes words to the places that stand before them.
pub const SCATTER: &str = "\
@group(0) @binding(0) var<storage, read> written: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> pins: array<u32>;
@group(0) @binding(2) var<uniform> count: vec4<u32>;
@compute @workgroup_size(128) fn scatter(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= count.x) { return; }
  let one = written[id.x];
  pins[one.x] = one.y;
}
";

/// The code of an array: its edge, and its edge under reset.
pub fn code(plans: &Plans, array: usize, links: &Links, copies: Copies) -> String {
    let plan = &plans.arrays[array];
    let mut code = String::from(BINDINGS);
    code.push_str(&random::functions());
    code.push_str(
        "fn turned(word: u32, by: u32) -> u32 { return (word << by) | (word >> ((32u - by) & 31u)); }\n",
    );
    begin(&mut code, EDGE, plan);
    edge(&mut code, plan, &links.of[array], copies);
    code.push_str("}\n");
    begin(&mut code, RESET, plan);
    for (register, &one) in plan.reset.iter().enumerate() {
        let value = if one { "0xffffffffu" } else { "0u" };
        store(&mut code, plan, register, value);
    }
    code.push_str("}\n");
    code
}

/// Begins an entry point for an array: `w` is the word, and `o`, `s` and `p` are its places in the first planes
/// of outputs, state and pins.
pub fn begin(code: &mut String, entry: &str, plan: &ArrayPlan) {
    let _ = write!(
        code,
        "@compute @workgroup_size({WORKGROUP}) fn {entry}(@builtin(global_invocation_id) id: vec3<u32>) {{
  let w = id.x;
  if (w >= {}u) {{ return; }}
  let tile = w / {TILE}u;
  let at = w % {TILE}u;
  let o = {};
  let s = {};
  let p = {};
",
        plan.driven.words,
        first_place(plan.driven),
        first_place(plan.state),
        first_place(plan.pin_words),
    );
}

/// The place of an invocation's word of a region's first plane.
fn first_place(region: Region) -> String {
    format!("{}u + tile * {}u + at", region.first, region.planes * TILE)
}

/// A word of a plane, whose first one is at `base`.
pub fn plane(buffer: &str, base: &str, plane: usize) -> String {
    format!("{buffer}[{base} + {}u]", plane * TILE)
}

impl ArrayPlan {
    /// The word of a register in the current cycle.
    pub fn register_word(&self, register: usize) -> String {
        match self.registers.places[register] {
            Storage::Outputs(number) => plane("driven", "o", number),
            Storage::State(number) => plane("state", "s", number),
        }
    }

    /// The word of an output of one bit in the current cycle.
    pub fn output_word(&self, port: usize) -> String {
        match self.registers.outputs[port][..] {
            [Output::Register(register)] => self.register_word(register),
            [Output::Constant(true)] => "0xffffffffu".to_owned(),
            _ => "0u".to_owned(),
        }
    }
}

fn edge(code: &mut String, plan: &ArrayPlan, links: &[LinkTerms], copies: Copies) {
    // All that is read is loaded first.
    for (link, terms) in links.iter().enumerate() {
        let bits = plan.inputs.iter().filter_map(|&(_, origin)| match origin {
            Origin::Link { link: of, bit } if of == link => Some(bit),
            _ => None,
        });
        let mut bits: Vec<usize> = bits.collect();
        bits.sort_unstable();
        bits.dedup();
        if !bits.is_empty() {
            arriving(code, plan, link, terms, &bits);
        }
    }
    for plane_number in 0..plan.pins.len() {
        let word = plane("pins", "p", plane_number);
        let _ = writeln!(code, "  let p{plane_number} = {word};");
    }
    let mut names = vec![String::new(); plan.leaf.nets()];
    for (register, of) in plan.leaf.registers.iter().enumerate() {
        let word = plan.register_word(register);
        let _ = writeln!(code, "  let r{register} = {word};");
        names[of.q.index()] = format!("r{register}");
    }
    draw(code, plan, copies);
    for &(net, origin) in &plan.inputs {
        names[net.index()] = match origin {
            Origin::Link { link, bit } => format!("l{link}_{bit}"),
            Origin::Pin(plane) => format!("p{plane}"),
            Origin::Random(number) => format!("d{number}"),
        };
    }
    for (number, gate) in plan.leaf.gates.iter().enumerate() {
        let _ = writeln!(code, "  let g{number} = {};", function(gate, &names));
        names[gate.output.index()] = format!("g{number}");
    }
    for (register, of) in plan.leaf.registers.iter().enumerate() {
        let holds = matches!(plan.registers.places[register], Storage::State(_))
            && of.data == Bit::Net(of.q);
        if !holds {
            let value = name(of.data, &names);
            store(code, plan, register, &value);
        }
    }
}

/// Stores the next value of a register.
fn store(code: &mut String, plan: &ArrayPlan, register: usize, value: &str) {
    match plan.registers.places[register] {
        Storage::State(number) => {
            let _ = writeln!(code, "  {} = {value};", plane("state", "s", number));
        }
        Storage::Outputs(_) => {
            let drivers = plan.registers.drivers.iter();
            for driver in drivers.filter(|driver| driver.register == register) {
                for &number in &driver.planes {
                    let _ = writeln!(code, "  {} = {value};", plane("next", "o", number));
                }
            }
        }
    }
}

/// Loads the bits of the word that arrives at a link port.
fn arriving(code: &mut String, plan: &ArrayPlan, link: usize, of: &LinkTerms, bits: &[usize]) {
    let words = plan.driven.words;
    let field = |term: &str, field: usize| {
        let fields = if of.plain { 1 } else { FIELDS };
        format!(
            "links[{}u + ({term} * {fields}u + {field}u) * {words}u + w]",
            of.first
        )
    };
    let bit_place = |bit: usize, turn: &str| match (of.rotated, bit) {
        (true, 0..8) => format!("(({}u - 2u * ({turn} >> 8u)) & 7u) * {TILE}u", bit + 8),
        _ => format!("{}u", bit * TILE),
    };
    if of.plain {
        let _ = writeln!(code, "  let a{link} = {};", field("0u", 0));
        for &bit in bits {
            let _ = writeln!(
                code,
                "  let l{link}_{bit} = driven[a{link} + {}u];",
                bit * TILE
            );
        }
        return;
    }
    for bit in bits {
        let _ = writeln!(code, "  var l{link}_{bit} = 0u;");
    }
    // Few terms are loaded together, whether or not they are needed.
    let unrolled = of.terms <= 2;
    if !unrolled {
        let _ = writeln!(code, "  for (var t = 0u; t < {}u; t++) {{", of.terms);
    }
    for term in 0..if unrolled { of.terms } else { 1 } {
        let number = if unrolled {
            format!("{term}u")
        } else {
            "t".to_owned()
        };
        let _ = writeln!(code, "  {{ let a = {};", field(&number, 0));
        let _ = writeln!(code, "    let turn = {};", field(&number, 1));
        let _ = writeln!(code, "    let lanes = {};", field(&number, 2));
        if !unrolled {
            code.push_str("    if (lanes == 0u) { break; }\n");
        }
        code.push_str("    let by = turn & 31u;\n");
        for &bit in bits {
            let place = bit_place(bit, "turn");
            let _ = writeln!(
                code,
                "    l{link}_{bit} |= turned(driven[a + {place}], by) & lanes;"
            );
        }
        code.push_str("  }\n");
    }
    if !unrolled {
        code.push_str("  }\n");
    }
}

/// Draws the random inputs, which are 0 while they are held.
fn draw(code: &mut String, plan: &ArrayPlan, copies: Copies) {
    if plan.random.is_empty() {
        return;
    }
    let (count, shift) = (copies.count(), copies.count().ilog2());
    let _ = writeln!(
        code,
        "  let both = w >> 1u; let high = (w & 1u) != 0u;
  let copy = both & {}u; let group = both >> {shift}u;",
        count - 1
    );
    for (number, input) in plan.random.iter().enumerate() {
        let function = match input.kind {
            RandomKind::Fair => "fair",
            RandomKind::Third => "third",
        };
        let key = (plan.first_random + number) * count;
        let _ = writeln!(
            code,
            "  var d{number} = 0u;
  if (now.held == 0u) {{ d{number} = {function}(keys[now.keys + {key}u + copy], group, high); }}"
        );
    }
}

/// The name of a bit's word.
fn name(bit: Bit, names: &[String]) -> String {
    match bit {
        Bit::Zero | Bit::X => "0u".to_owned(),
        Bit::One => "0xffffffffu".to_owned(),
        Bit::Net(net) => names[net.index()].clone(),
    }
}

/// The function of a gate.
fn function(gate: &Gate, names: &[String]) -> String {
    let input = |at: usize| name(gate.inputs[at], names);
    let (a, b, c, d) = match gate.inputs.len() {
        1 => (input(0), String::new(), String::new(), String::new()),
        2 => (input(0), input(1), String::new(), String::new()),
        3 => (input(0), input(1), input(2), String::new()),
        _ => (input(0), input(1), input(2), input(3)),
    };
    match gate.function {
        Function::Buf => a,
        Function::Not => format!("~{a}"),
        Function::And => format!("{a} & {b}"),
        Function::Nand => format!("~({a} & {b})"),
        Function::Or => format!("{a} | {b}"),
        Function::Nor => format!("~({a} | {b})"),
        Function::Xor => format!("{a} ^ {b}"),
        Function::Xnor => format!("~({a} ^ {b})"),
        Function::AndNot => format!("{a} & ~{b}"),
        Function::OrNot => format!("{a} | ~{b}"),
        Function::Mux => format!("{a} ^ (({a} ^ {b}) & {c})"),
        Function::Nmux => format!("~({a} ^ (({a} ^ {b}) & {c}))"),
        Function::Aoi3 => format!("~(({a} & {b}) | {c})"),
        Function::Oai3 => format!("~(({a} | {b}) & {c})"),
        Function::Aoi4 => format!("~(({a} & {b}) | ({c} & {d}))"),
        Function::Oai4 => format!("~(({a} | {b}) & ({c} | {d}))"),
    }
}
