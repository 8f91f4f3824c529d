use super::*;
use crate::domains::Clocks;
use crate::elaborate::{Arrays, Options};
use crate::run::{Run, build_recorded};
use crosswave_lanes::Backend;
use crosswave_netlist::yosys::NetVector;
use crosswave_netlist::{Design, text};
use crosswave_wave::Bit as Value;

/// A name for every net of a module, and one for all of them.
fn all_nets(module: &Module) -> Vec<NetVector> {
    let vector = |name: &str, bits: Vec<Option<Bit>>| NetVector {
        name: name.to_owned(),
        bits,
        range: BitRange::default(),
    };
    let nets = (0..module.nets.len() as u32).map(|net| Some(Bit::Net(NetId(net))));
    let mut vectors: Vec<NetVector> = module
        .nets
        .iter()
        .zip(nets.clone())
        .map(|(net, bit)| vector(&net.name, vec![bit]))
        .collect();
    let constants = [None, Some(Bit::Zero), Some(Bit::One), Some(Bit::X)];
    vectors.push(vector("all", nets.chain(constants).collect()));
    vectors
}

/// A run that records all names of a design whose last module is the top.
fn recorded(design: &Design, options: &Options) -> (Vec<String>, Run) {
    let names: Vec<Vec<NetVector>> = design.modules.iter().map(all_nets).collect();
    let root = design.modules.len() - 1;
    let tree = InstanceTree::new(design, &names, root).unwrap();
    let kept = vec![true; tree.signal_count()];
    let selection = NetSelection {
        tree: &tree,
        kept: &kept,
    };
    let run = build_recorded(design, root, options, selection).unwrap();
    let path = |vector: &RecordedVector| {
        let mut path = vector.name.clone();
        let mut at = vector.scope;
        while let Some(parent) = tree.parent(at) {
            path = format!("{}.{path}", tree.scope_name(at));
            at = parent;
        }
        path
    };
    (run.recorded().iter().map(path).collect(), run)
}

fn options(arrays: Arrays, four_state: bool, replicas: usize) -> Options {
    Options {
        clocks: Clocks::One(None),
        four_state,
        arrays,
        replicas,
        backend: Backend::best(),
        is_saved: false,
    }
}

/// The bits of a recorded name, or of its twin, the least significant last.
fn bits(run: &Run, vector: usize, replica: usize, clock: bool) -> String {
    let width = run.recorded()[vector].width;
    let bit = |bit: usize| match run.recorded()[vector].twin {
        None => run.recorded_bit(vector, bit, replica, &[clock]),
        Some(Twin::Clock(_)) => [Value::Zero, Value::One][usize::from(clock)],
        Some(Twin::Input(input)) => run.input(run.inputs()[input].first + bit, replica),
        Some(Twin::Output(output)) => run.output(run.outputs()[output].first + bit, replica),
        Some(Twin::Vector(vector)) => run.recorded_bit(vector, bit, replica, &[clock]),
    };
    (0..width).rev().map(|at| bit(at).as_char()).collect()
}

const CLOCKS: &str = "module part\n input clk\n input d\n input idle\n output q\n \
    gate b BUF clk -> ticks\n gate i NOT ticks -> inverted\n gate n NOT d -> other\n \
    flop f other -> q posedge ticks\nend\n\
    module top\n input clk\n input d\n output q\n gate b BUF clk -> c\n \
    instance u part in clk = c in d = d in idle = clk out q = q\n \
    instance v part in clk = clk in d = 1 out q = r\nend\n";

#[test]
fn nets_on_the_clock_show_the_clock() {
    let design = text::parse(CLOCKS, "test").unwrap();
    for (four_state, arrays) in [
        (false, Arrays::None),
        (true, Arrays::None),
        (false, Arrays::Named(vec!["part".to_owned()])),
        (true, Arrays::Named(vec!["part".to_owned()])),
    ] {
        let (paths, mut run) = recorded(&design, &options(arrays, four_state, 1));
        run.drive(0, 0, 0, Value::Zero);
        run.settle();
        run.edge();
        run.settle();
        let shown = |clock: bool| {
            let shown = paths.iter().enumerate();
            let shown = shown.map(|(at, path)| format!("{path} {}", bits(&run, at, 0, clock)));
            shown.collect::<Vec<_>>()
        };
        // Nets of `all`: X, 1, 0, and one that nothing drives; then in the top r, c, q, d, clk, and
        // in a part other, inverted, ticks, q, idle, d, clk.
        let unknown = if four_state { 'x' } else { '0' };
        let expected = |clock: u8, inverse: u8| {
            vec![
                "r 0".to_owned(),
                format!("c {clock}"),
                format!("all {unknown}10x0{clock}10{clock}"),
                format!("u.clk {clock}"),
                "u.d 0".to_owned(),
                format!("u.idle {clock}"),
                "u.q 1".to_owned(),
                format!("u.ticks {clock}"),
                format!("u.inverted {inverse}"),
                "u.other 1".to_owned(),
                format!("u.all {unknown}10x1{inverse}{clock}1{clock}0{clock}"),
                format!("v.clk {clock}"),
                "v.d 1".to_owned(),
                format!("v.idle {unknown}"),
                "v.q 0".to_owned(),
                format!("v.ticks {clock}"),
                format!("v.inverted {inverse}"),
                "v.other 0".to_owned(),
                format!("v.all {unknown}10x0{inverse}{clock}0{unknown}1{clock}"),
            ]
        };
        let sorted = |mut lines: Vec<String>| {
            lines.sort();
            lines
        };
        assert_eq!(sorted(shown(true)), sorted(expected(1, 0)));
        assert_eq!(sorted(shown(false)), sorted(expected(0, 1)));
        let of = |path: &str| paths.iter().position(|found| found == path).unwrap();
        assert_eq!(run.recorded()[of("u.ticks")].twin, Some(Twin::Clock(0)));
        assert_eq!(run.recorded()[of("u.d")].twin, Some(Twin::Input(0)));
        assert_eq!(run.recorded()[of("u.q")].twin, Some(Twin::Output(0)));
        assert!(run.follows_clock(of("u.all")) && run.follows_clock(of("u.inverted")));
        assert!(!run.follows_clock(of("v.q")) && !run.follows_clock(of("u.ticks")));
        let twin = run.recorded()[of("v.inverted")].twin;
        assert_eq!(twin, Some(Twin::Vector(of("u.inverted"))));
    }
}
