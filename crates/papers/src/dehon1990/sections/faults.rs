//! Sections 2.1.2, 3.3.4, 3.5.4 and 5.2.2: single faults, faults at random places, and a stack
//! that is taken out.

use serde_json::json;

use super::context::{DehonContext, claim};
use crate::dehon1990::faults::{self, Critical, Serviced};
use crate::dehon1990::figures::faults as figure;
use crate::dehon1990::figures::faults::{FULL_64, FULL_4096, HALVES_64, HYBRID_768};
use crate::dehon1990::local_routing::LocalRouting;
use crate::effort::Effort;
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::{MeasuredValue, Quantity, Value};
use crosswave_base::decimal::Decimal;
use crosswave_base::diagnostic::Error;
use crosswave_network::transit::UpStage;

/// The section.
pub(super) fn section(context: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Section 5.2.2: faults");
    section.text(
        "A router is removed by its enable pins, and those that lead to it are told, or are not. The thesis \
         says what shall be survived and has no numbers; how a fault is made is assumed. The wiring says on \
         which routers connections depend: those that are alone in their stage of some way. Beside it stands \
         what comes through when each router is removed in turn and messages are tried again and again, up to \
         10,000 cycles: from all of 64 processors, and in larger trees from 64 that are drawn anew for every \
         router, and from those that depend on it as the wiring says.",
    );
    if !context.simulates() {
        return Ok(section);
    }
    single(context, &mut section)?;
    both(context, &mut section)?;
    let drawn = figure::simulated(context.effort, context.points.store(), context.watch)?;
    let captions = [
        "Messages that come through, by routers at random places that are off",
        "Attempts of those that come through",
        "Their cycles from offer to acknowledgement",
    ];
    context.put("dehon1990-faults", &drawn, &captions, &mut section);
    stack(context, &mut section)?;
    Ok(section)
}

/// Each router removed in turn.
fn single(context: &mut DehonContext, section: &mut Section) -> Result<(), Error> {
    let mut trees = vec![FULL_64, HALVES_64, HYBRID_768];
    if context.effort == Effort::All {
        trees.push(FULL_4096);
    }
    let mut table = PageTable::new(
        "Routers without which some connection cannot be made",
        [
            "tree",
            "routers",
            "critical, by wiring",
            "critical, by retry",
            "processors one cuts off",
        ],
    );
    let (mut quantities, mut words) = (Vec::new(), Vec::new());
    for tree in trees {
        let found = faults::critical(tree, context.points.store(), context.watch)?;
        table.row([
            tree.name.into(),
            found.routers.to_string(),
            found.by_wiring.to_string(),
            found.by_retry.to_string(),
            found.nodes_cut_off.to_string(),
        ]);
        words.push(format!(
            "{} of {} in {}",
            found.by_wiring, found.routers, tree.name
        ));
        quantities.extend(of_single(&found));
    }
    section.parts.push(PagePart::Table(table));
    let paper = "all fat trees described survive the failure of any single router";
    let found = format!("critical routers: {}", words.join(", "));
    claim(section, "Single faults", paper, found, quantities);
    Ok(())
}

/// The quantities compared for one tree.
fn of_single(found: &Critical) -> [Quantity; 2] {
    let name = found.tree.name;
    let standard = found.by_wiring > 0 && found.in_stage_up == found.by_wiring;
    let why = "both wires of a processor lead to one router of UT64x2's stage up when that is one \
               crossbar: four processors depend on it";
    let known = standard.then(|| why.to_owned());
    let critical = Quantity::claimed(
        format!("section-5.2.2.{name}.critical_routers"),
        "DeHon 1990, section 5.2.2: no single failure cuts anything off",
        0,
    )
    .named(format!("routers without which {name} is cut in two"))
    .enumerated(found.by_wiring)
    .simulated(Some(MeasuredValue::exact(found.by_retry)))
    .judged(known);
    let nodes = Quantity::unprinted(
        format!("section-5.2.2.{name}.processors_cut_off_by_one"),
        "DeHon 1990, section 5.2.2",
    )
    .named(format!(
        "most processors of {name} that one router cuts off"
    ))
    .enumerated(found.nodes_cut_off)
    .simulated(Some(MeasuredValue::exact(found.nodes_cut_off_by_retry)))
    .judged(None);
    [critical, nodes]
}

/// Counts the configurations of UT64x2 that meet both section 5.2.2 and section 5.2.4.
fn both(context: &mut DehonContext, section: &mut Section) -> Result<(), Error> {
    const REPLICATES: u64 = 600;
    let mut table = PageTable::new(
        "The stage up of UT64x2: fault tolerance against routing, 64 processors, fully loaded",
        [
            "stage up",
            "critical routers",
            "routed fraction",
            "3 standard errors",
        ],
    );
    let mut holding = 0;
    let mut words = Vec::new();
    for (tree, name) in [(FULL_64, "one crossbar"), (HALVES_64, "two crossbars")] {
        let critical = faults::critical(tree, context.points.store(), context.watch)?;
        context.begin("64 processors, fully loaded")?;
        let halves = tree.up_stage == UpStage::TwoCrossbars;
        let key = json!({ "fully loaded UT64x2": halves, "replicates": REPLICATES });
        let (routed, stderr) = context.points.store().kept(&key, || {
            let mut routing = LocalRouting::new(figure::UNIT_TREE, halves);
            Ok(routing.of_replicates(1.0, REPLICATES).routed)
        })?;
        let tolerant = critical.by_wiring == 0;
        let routes = (0.7 - 3.0 * stderr..=0.8 + 3.0 * stderr).contains(&routed);
        holding += u64::from(tolerant && routes);
        words.push(format!(
            "with {name} {:.1} % are routed and {} routers are critical",
            100.0 * routed,
            critical.by_wiring
        ));
        table.row([
            name.into(),
            critical.by_wiring.to_string(),
            format!("{routed:.3}"),
            format!("{:.3}", 3.0 * stderr),
        ]);
    }
    section.parts.push(PagePart::Table(table));
    let quantity = Quantity::claimed(
        "section-5.2.configurations_that_have_both",
        "DeHon 1990, sections 5.2.2 and 5.2.4",
        1,
    )
    .named("configurations of UT64x2's stage up with no critical router and 70 % to 80 % routed")
    .simulated(Some(MeasuredValue::exact(Value::Count(holding))))
    .judged(Some(words.join(", ")));
    let paper = "fat trees survive single faults and route 70 % to 80 %";
    let found = format!("{holding} of the two configurations of UT64x2's stage up have both");
    claim(section, "Both at once", paper, found, vec![quantity]);
    Ok(())
}

/// A stack that is taken out while the network runs.
fn stack(context: &mut DehonContext, section: &mut Section) -> Result<(), Error> {
    const STACK: &str = "unit_1_0_2";
    // Well below the most that uniform traffic can have.
    let load = Decimal::parse("0.01").expect("a decimal");
    let phase_cycles = match context.effort {
        Effort::All => 2_000,
        _ => 300,
    };
    context.begin("4,096 processors, a stack taken out and put back")?;
    let store = context.points.store();
    let found = faults::serviced(FULL_4096, STACK, load, phase_cycles, store)?;
    let Serviced {
        messages: (offered, delivered),
        throughput_fraction,
        latency_cycles,
    } = found;
    let mut table = PageTable::new(
        format!(
            "One of four UT64x8 of 4,096 processors out for {phase_cycles} cycles, offered load {}",
            load.to_f64()
        ),
        [
            "phase",
            "throughput, words per node and cycle",
            "mean latency, cycles",
        ],
    );
    for (at, phase) in ["before", "without it", "after"].into_iter().enumerate() {
        table.row([
            phase.into(),
            format!("{:.4}", throughput_fraction[at]),
            format!("{:.1}", latency_cycles[at]),
        ]);
    }
    section.parts.push(PagePart::Table(table));
    let quantity = Quantity::claimed(
        "section-3.5.4.serviced.messages_delivered",
        "DeHon 1990, section 3.5.4: faults are repaired while the network is in operation",
        offered,
    )
    .named("messages that come through while a stack is taken out and put back")
    .simulated(Some(MeasuredValue::exact(delivered)))
    .judged(None);
    let paper = "a stack can be taken out and put back while the network runs";
    let words = format!(
        "{delivered} of {offered} messages come through; their latency is {:.1}, {:.1} and {:.1} cycles \
         before, meanwhile and after",
        latency_cycles[0], latency_cycles[1], latency_cycles[2]
    );
    claim(
        section,
        "Service in operation",
        paper,
        words,
        vec![quantity],
    );
    Ok(())
}
