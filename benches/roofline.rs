//! A roofline of one's own: what this machine can do, what a network asks of it in
//! a cycle, and how near the gate engine comes.
//!
//! `cargo bench --bench roofline -- [NODES]... [--kind KIND] [--threads T] [--json]`
//! (default 1024 1048576, `fat-tree`, and one thread and all; the other kind is
//! `bidelta`)
//!
//! `docs/performance-diary.md` says how to read it.

use crosswave_gate::cost::Cost;
use crosswave_gate::{Backend, GateEngine};
use crosswave_lanes::native::Isa;
use serde::Serialize;

mod common;

use common::machine::Machine;
use common::rates::{self, Rates};
use common::speed::{Load, Span, measure};
use common::{option, short, table};

/// One limit: the time that a cycle takes at least, were nothing else to do.
#[derive(Debug, Clone, Serialize)]
struct Limit {
    name: String,
    /// Amount of it that a cycle needs, in `unit`: instructions, or bytes.
    amount: f64,
    unit: &'static str,
    seconds: f64,
}

/// A network under the roofline.
#[derive(Debug, Clone, Serialize)]
struct Roof {
    nodes: u32,
    threads: usize,
    backend: String,
    /// Lane words in all arrays.
    groups: usize,
    state_bytes: usize,
    /// Bytes touched in a cycle, each counted once; they decide the level.
    touched_bytes: usize,
    level: String,
    limits: Vec<Limit>,
    /// The bytes again, were neighbours' outputs not in any cache.
    links_read_apart: Limit,
    binding: String,
    bound_cycles_per_s: f64,
    /// The native code alone, its memory in the nearest cache.
    code_cycles_per_s: f64,
    engine_cycles_per_s: f64,
    cycles_per_s: f64,
    engine_to_bound: f64,
    whole_to_bound: f64,
}

/// Sums over the arrays.
fn total(costs: &[Cost], of: impl Fn(&Cost) -> usize) -> f64 {
    costs.iter().map(&of).sum::<usize>() as f64
}

/// The limits of one cycle.
///
/// Instructions: those of the native code, and for links that are not read in
/// place a load and two operations a window and a store a plane. Bytes: each once,
/// even of outputs, which a group and its neighbours read; less often than once a cycle
/// where several cycles are taken at a time.
fn limits(costs: &[Cost], rates: &Rates, visits: f64) -> (Vec<Limit>, Limit) {
    let instructions = |name: &str, count: &dyn Fn(&Cost) -> usize, rate: &dyn Fn(&Cost) -> f64| {
        let seconds = costs.iter().map(|cost| count(cost) as f64 / rate(cost));
        Limit {
            name: name.to_owned(),
            amount: total(costs, count),
            unit: "instructions",
            seconds: seconds.sum(),
        }
    };
    let counts = |cost: &Cost| cost.counts.expect("native code");
    let passes = |cost: &Cost| cost.passes;
    let of = |cost: &Cost| *rates.of_width(cost.width);
    let logic = instructions(
        "operations",
        &|cost| {
            passes(cost) * counts(cost).compute + 2 * cost.links.windows + cost.shuffles.compute
        },
        &|cost| of(cost).compute_per_s,
    );
    let words = |cost: &Cost| cost.groups * cost.width;
    let (fair, third) = rates.random_words_per_s;
    let random = Limit {
        name: "random bits".to_owned(),
        amount: total(costs, |cost| words(cost) * (cost.random.0 + cost.random.1)),
        unit: "words",
        seconds: total(costs, |cost| words(cost) * cost.random.0) / fair
            + total(costs, |cost| words(cost) * cost.random.1) / third,
    };
    // Random bits are operations on the same registers.
    let compute = Limit {
        name: "operations and random bits".to_owned(),
        amount: logic.amount,
        unit: "instructions",
        seconds: logic.seconds + random.seconds,
    };
    let loads = instructions(
        "loads",
        &|cost| {
            passes(cost) * (counts(cost).loads + counts(cost).folded)
                + cost.links.windows
                + cost.shuffles.loads
                + cost.shuffles.folded
        },
        &|cost| of(cost).loads_per_s,
    );
    let stores = instructions(
        "stores",
        &|cost| {
            passes(cost) * (counts(cost).stores + counts(cost).spills)
                + cost.links.planes
                + cost.shuffles.stores
                + cost.shuffles.spills
        },
        &|cost| of(cost).stores_per_s,
    );
    let level = rates.level(touched(costs));
    let outputs = visits * total(costs, |cost| cost.bytes.outputs);
    let updated = visits * total(costs, |cost| cost.bytes.state_written);
    let read = outputs
        + visits
            * total(costs, |cost| {
                cost.bytes.state - cost.bytes.state_written + cost.bytes.pins + cost.bytes.wiring
            });
    let bytes = Limit {
        name: format!("bytes, {}", level.level),
        amount: read + 2.0 * updated + outputs,
        unit: "bytes",
        seconds: read / level.read + updated / level.update + outputs / level.write,
    };
    let links = visits * total(costs, |cost| cost.links.bytes);
    let apart = Limit {
        name: format!("{}, links read apart", bytes.name),
        amount: bytes.amount + links,
        unit: "bytes",
        seconds: bytes.seconds + links / level.read,
    };
    let mut limits = vec![logic];
    // Code that draws by itself has the operations of it.
    if random.amount > 0.0 {
        limits.extend([random, compute]);
    }
    limits.extend([loads, stores, bytes]);
    (limits, apart)
}

/// Bytes that a cycle touches.
fn touched(costs: &[Cost]) -> usize {
    let bytes = costs.iter().map(|cost| {
        let bytes = cost.bytes;
        bytes.state + 2 * bytes.outputs + bytes.pins + bytes.wiring
    });
    bytes.sum()
}

/// Seconds of the native code of all groups when its memory is in L1.
fn code_seconds(engine: &GateEngine, threads: usize) -> f64 {
    let codes = engine.codes().into_iter().filter(|&(_, groups)| groups > 0);
    let seconds = codes.map(|(native, groups)| {
        rates::call_seconds(native, threads) * groups as f64 / threads as f64
    });
    seconds.sum()
}

fn roof(kind: &str, nodes: u32, isa: Isa, rates: &Rates) -> Roof {
    let threads = rates.threads;
    let load = Load::saturated_of_kind(kind, nodes);
    let mut speeds = Vec::new();
    let (mut costs, mut state_bytes, mut visits, mut code) = (Vec::new(), 0, 1.0, 0.0);
    for _ in 0..2 {
        let engine: GateEngine = load.engine(Backend::Native(isa), threads);
        costs = engine.costs();
        code = code_seconds(&engine, threads);
        state_bytes = engine.memory_bytes();
        visits = engine.visits_per_cycle();
        speeds.push(measure(&load, engine, Span::of(nodes)));
    }
    let fastest = |speeds: &mut dyn Iterator<Item = f64>| speeds.fold(0.0, f64::max);
    let whole = fastest(&mut speeds.iter().map(|speed| speed.cycles_per_s));
    let engine = fastest(&mut speeds.iter().map(|speed| speed.engine_cycles_per_s));
    let (limits, links_read_apart) = limits(&costs, rates, visits);
    let binding = limits
        .iter()
        .max_by(|a, b| a.seconds.total_cmp(&b.seconds))
        .expect("there are limits");
    let bound = 1.0 / binding.seconds;
    let touched_bytes = touched(&costs);
    Roof {
        nodes,
        threads,
        backend: Backend::Native(isa).to_string(),
        groups: costs.iter().map(|cost| cost.groups).sum(),
        state_bytes,
        touched_bytes,
        level: rates.level(touched_bytes).level.clone(),
        binding: binding.name.clone(),
        bound_cycles_per_s: bound,
        code_cycles_per_s: 1.0 / code,
        engine_cycles_per_s: engine,
        cycles_per_s: whole,
        engine_to_bound: engine / bound,
        whole_to_bound: whole / bound,
        limits,
        links_read_apart,
    }
}

fn print_rates(rates: &Rates) {
    println!("\n{} threads\n", rates.threads);
    let rows: Vec<Vec<String>> = rates
        .instructions
        .iter()
        .map(|at| {
            let rate = |value| format!("{}/s", short(value));
            vec![
                at.bits.to_string(),
                rate(at.compute_per_s),
                rate(at.loads_per_s),
                rate(at.stores_per_s),
            ]
        })
        .collect();
    let header = ["bits", "operations", "loads from L1", "stores to L1"];
    println!("{}", table(&header, &rows));
    let (fair, third) = rates.random_words_per_s;
    println!(
        "random words: {}/s fair, {}/s of one third\n",
        short(fair),
        short(third)
    );
    let rows: Vec<Vec<String>> = rates
        .bandwidths
        .iter()
        .map(|at| {
            let rate = |value| format!("{}B/s", short(value));
            vec![
                at.level.clone(),
                format!("{}B", short(at.working_set as f64)),
                rate(at.read),
                rate(at.write),
                rate(at.stream),
                rate(at.update),
                rate(at.triad),
            ]
        })
        .collect();
    let header = [
        "level", "of each", "read", "write", "stream", "update", "triad",
    ];
    println!("{}", table(&header, &rows));
}

fn print_roof(roof: &Roof) {
    println!(
        "\n{} nodes, {}, {} threads: {} groups, {}B, {}B touched in a cycle: {}\n",
        roof.nodes,
        roof.backend,
        roof.threads,
        roof.groups,
        short(roof.state_bytes as f64),
        short(roof.touched_bytes as f64),
        roof.level
    );
    let row = |name: &str, amount: String, seconds: f64| {
        vec![
            name.to_owned(),
            amount,
            format!("{:.3}", seconds * 1e6),
            format!("{:.0}", 1.0 / seconds),
            format!("{:.2}", 1.0 / seconds / roof.bound_cycles_per_s),
        ]
    };
    let mut rows: Vec<Vec<String>> = roof
        .limits
        .iter()
        .chain([&roof.links_read_apart])
        .map(|limit| {
            let binds = if limit.name == roof.binding {
                ", binds"
            } else {
                ""
            };
            let name = format!("{}{binds}", limit.name);
            let amount = format!("{} {}", short(limit.amount), limit.unit);
            row(&name, amount, limit.seconds)
        })
        .collect();
    for (name, rate) in [
        ("the code alone, in L1", roof.code_cycles_per_s),
        ("engine, measured", roof.engine_cycles_per_s),
        ("engine and host, measured", roof.cycles_per_s),
    ] {
        rows.push(row(name, String::new(), 1.0 / rate));
    }
    let header = [
        "limit",
        "a cycle needs",
        "us a cycle",
        "cycles/s",
        "of the bound",
    ];
    println!("{}", table(&header, &rows));
}

#[derive(Serialize)]
struct Error<'a> {
    machine: &'a Machine,
    rates: &'a [Rates],
    networks: &'a [Roof],
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let machine = Machine::here();
    let json = arguments.iter().any(|argument| argument == "--json");
    let Some(isa) = Isa::ALL.into_iter().find(|isa| isa.is_available()) else {
        println!("no native code on this machine, and no roofline");
        return;
    };
    let threads: Vec<usize> = match option(&arguments, "--threads") {
        Some(count) => vec![count.parse().expect("a number of threads")],
        None if machine.threads == 1 => vec![1],
        None => vec![1, machine.threads],
    };
    let kind = option(&arguments, "--kind").unwrap_or("fat-tree");
    let mut nodes: Vec<u32> = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word == "--threads" || word == "--kind" {
            words.next();
        } else {
            nodes.extend(word.parse::<u32>());
        }
    }
    if nodes.is_empty() {
        nodes = vec![1024, 1 << 20];
    }
    if !json {
        println!("{}", machine.line());
    }
    let (mut all, mut roofs) = (Vec::new(), Vec::new());
    for threads in threads {
        let rates = Rates::measure(&machine, isa, threads);
        if !json {
            print_rates(&rates);
        }
        for &nodes in &nodes {
            // A thread for less than a few groups measures the barrier.
            if threads > 1 && nodes < 1 << 14 && option(&arguments, "--threads").is_none() {
                continue;
            }
            let roof = roof(kind, nodes, isa, &rates);
            if !json {
                print_roof(&roof);
            }
            roofs.push(roof);
        }
        all.push(rates);
    }
    if json {
        let error = Error {
            machine: &machine,
            rates: &all,
            networks: &roofs,
        };
        println!(
            "{}",
            serde_json::to_string_pretty(&error).expect("plain data")
        );
    }
}
