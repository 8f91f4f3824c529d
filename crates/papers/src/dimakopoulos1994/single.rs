//! Broadcast, scatter, gather and multinode broadcast: sections 2 to 4.

use super::print;
use super::study::{Study, TreeKind, list, shown, steps, through_queues};
use crate::quantity::Quantity;
use crosswave_base::diagnostic::Error;
use crosswave_collectives::fault::Fault;
use crosswave_collectives::generate::{Discipline, scatter};
use crosswave_collectives::ideal;
use crosswave_collectives::operation::{Multinode, Operation};
use crosswave_collectives::schedule::{Destination, Schedule};
use crosswave_collectives::tree::meeting_level;
use crosswave_collectives::{bounds, check};

/// The paper, as sources name it.
const PAPER: &str = "Dimakopoulos & Dimopoulos 1994";
/// The processor that has, or gets, all messages.
const ROOT: u32 = 1;
/// Levels of the tree in which queues and arrivals are looked at one by one.
const LEVELS: u32 = 6;
/// Levels of the tree in which two scatterings go on at once.
const PAIR_LEVELS: u32 = 4;

fn of(section: &str) -> String {
    format!("{PAPER}, {section}")
}

fn nodes(levels: u32) -> u64 {
    1 << levels
}

/// One processor to all, and all to one: section 2 and theorem 1.
///
/// # Errors
/// When someone asks to stop.
pub fn one_to_all(study: &mut Study<'_>) -> Result<Vec<Quantity>, Error> {
    let max = study.levels_max();
    let root = ROOT;
    let order = Discipline::FurthestFirst;
    let broadcast = Operation::Broadcast { root };
    let broadcast = Quantity::claimed(
        "broadcast_steps",
        of("table 1"),
        list(1..=max, |d| print::broadcast(d.into())),
    )
    .named("broadcast, n = 2, 4, …")
    .analytic(list(1..=max, bounds::broadcast_steps))
    .simulated(study.steps(1..=max, TreeKind::Constant, broadcast)?)
    .judged(None);
    let mut all = vec![broadcast];
    let operations = [
        ("scatter", "theorem 1", Operation::Scatter { root, order }),
        ("gather", "table 1", Operation::Gather { root }),
    ];
    for (name, source, operation) in operations {
        let quantity = Quantity::claimed(
            format!("{name}_steps"),
            of(source),
            list(2..=max, |d| print::scatter(nodes(d))),
        )
        .named(format!("{name}, n = 4, 8, …"))
        .analytic(list(2..=max, bounds::scatter_steps))
        .simulated(study.steps(2..=max, TreeKind::Constant, operation)?);
        all.push(quantity.judged(None));
    }
    let scatter = Operation::Scatter { root, order };
    let two = Quantity::claimed(
        "scatter_steps_of_2",
        of("theorem 1"),
        print::scatter(2).to_string(),
    )
    .analytic(bounds::scatter_steps(1).to_string())
    .simulated(study.steps(1..=1, TreeKind::Constant, scatter)?);
    let why = "two processors are two links apart, and there is one message; the bound of n + 1 needs \
               a processor at a distance of four, so that n >= 4";
    all.push(two.judged(Some(why.into())));
    Ok(all)
}

/// The steps in which a scatter's last messages of each level arrive: section 3.
///
/// # Errors
/// When someone asks to stop.
pub fn arrivals(study: &mut Study<'_>) -> Result<Vec<Quantity>, Error> {
    let n = nodes(LEVELS);
    let expected = list(1..=LEVELS, |i| print::last_arrival(n, i.into()));
    let last = || {
        let tree = TreeKind::Constant.tree(LEVELS);
        let mut last = [0; LEVELS as usize];
        for packet in scatter(&tree, ROOT, Discipline::FurthestFirst).packets {
            if let Destination::Processor(to) = packet.destination {
                let level = meeting_level(packet.source, to);
                let arrival = packet.step + 2 * u64::from(level) - 1;
                let last = &mut last[level as usize - 1];
                *last = arrival.max(*last);
            }
        }
        last
    };
    let found = study.measure("arrivals of a scatter", || {
        last().map(|step| step.to_string()).join(", ")
    })?;
    let levels = Quantity::claimed(
        "scatter_last_arrivals_n64",
        of("section 3"),
        expected.clone(),
    )
    .named("last arrivals of a scatter by level, n = 64")
    .analytic(expected)
    .simulated(found)
    .judged(None);
    let falls = |second: u64, third: u64| match second.cmp(&third) {
        std::cmp::Ordering::Greater => "falls",
        std::cmp::Ordering::Equal => "stays",
        std::cmp::Ordering::Less => "rises",
    };
    let by_formula = falls(print::last_arrival(n, 2), print::last_arrival(n, 3));
    let found = study.measure("arrivals of a scatter at levels 2 and 3", || {
        falls(last()[1], last()[2])
    })?;
    let why = "T_2 = n - 2 + 3 and T_3 = n - 4 + 5 are both n + 1; T_i falls from i = 3 on, and the \
               maximum is what the theorem says";
    let second = Quantity::claimed("scatter_from_t2_to_t3", of("section 3"), "falls".to_owned())
        .analytic(by_formula.to_owned())
        .simulated(found)
        .judged(Some(why.into()));
    Ok(vec![levels, second])
}

/// Multinode broadcast and scatterings: sections 4 and 5.
///
/// # Errors
/// When someone asks to stop.
pub fn multinode(study: &mut Study<'_>) -> Result<Vec<Quantity>, Error> {
    let max = study.levels_max();
    let of_way = Operation::MultinodeBroadcast;
    let flooding = Quantity::claimed(
        "multinode_flooding_steps",
        of("theorem 2"),
        list(2..=max, |d| print::scatter(nodes(d))),
    )
    .named("multinode broadcast by flooding, n = 4, 8, …")
    .analytic(list(2..=max, bounds::scatter_steps))
    .simulated(study.steps(2..=max, TreeKind::Constant, of_way(Multinode::Flooding))?);
    let phases = Quantity::claimed(
        "multinode_without_queues_steps",
        of("section 4.1"),
        list(1..=max, |d| print::without_queues(nodes(d), d.into())),
    )
    .named("multinode broadcast without queues, in phases, n = 2, 4, …")
    .analytic(list(1..=max, bounds::multinode_in_phases_steps))
    .simulated(study.steps(1..=max, TreeKind::Constant, of_way(Multinode::Phases))?);
    let mut all = vec![flooding.judged(None), phases.judged(None)];
    // The paper asks in section 6 what is least without queues, and has no number.
    if study.simulates() {
        let nested = Quantity::unprinted("multinode_without_queues_least_steps", of("section 6"))
            .named("multinode broadcast without queues in the fewest steps, n = 2, 4, …")
            .analytic(list(1..=max, bounds::scatter_steps))
            .simulated(study.steps(1..=max, TreeKind::Constant, of_way(Multinode::Nested))?);
        all.push(nested.judged(None));
    }
    let scatterings = 1..=max.min(6);
    let consecutive = Quantity::claimed(
        "consecutive_scatterings_steps",
        of("section 5"),
        list(2..=*scatterings.end(), |d| {
            print::consecutive_scatterings(nodes(d))
        }),
    )
    .named("scatterings one after the other, n = 4, 8, …")
    .analytic(list(2..=*scatterings.end(), |d| {
        nodes(d) * bounds::scatter_steps(d)
    }))
    .simulated(study.measure("consecutive scatterings", || {
        list(2..=*scatterings.end(), |d| shown(rounds(d, &[0])))
    })?);
    let pairs = Quantity::claimed(
        "scatterings_in_pairs_steps",
        of("section 5"),
        list(2..=*scatterings.end(), |d| {
            print::consecutive_scatterings(nodes(d)) / 2
        }),
    )
    .named("scatterings by two at a time, n = 4, 8, …")
    .analytic(list(2..=*scatterings.end(), |d| {
        nodes(d) / 2 * bounds::scatter_steps(d)
    }))
    .simulated(study.measure("scatterings by two at a time", || {
        list(2..=*scatterings.end(), |d| {
            shown(rounds(d, &[0, (1 << (d - 1)) + 1]))
        })
    })?);
    all.extend([consecutive.judged(None), pairs.judged(None)]);
    let n = nodes(PAIR_LEVELS);
    let partners = Quantity::claimed(
        "scattering_partners_n16",
        of("section 5"),
        (n - 1).to_string(),
    )
    .named("processors that can scatter together with one, n = 16")
    .analytic((n / 4).to_string())
    .simulated(study.measure("partners of a scattering", || {
        let partners = 1..1 << PAIR_LEVELS;
        let free = partners.filter(|&partner| together(PAIR_LEVELS, &[0, partner]).is_ok());
        free.count()
    })?);
    let why = "two furthest-first scatterings meet on their way unless their sources are far apart: \
               with messages for source XOR n - 1, n - 2, … the partners of processor 0 are those \
               of the nearer quarter of the other half, n/4 from n = 16 on";
    all.push(partners.judged(Some(why.into())));
    Ok(all)
}

/// The step in which scatterings end that several sources begin together.
fn together(levels: u32, sources: &[u32]) -> Result<u64, Fault> {
    let tree = TreeKind::Constant.tree(levels);
    let schedule = of_sources(levels, sources, 1);
    check::check(&tree, &schedule).map(|outcome| outcome.finish_step)
}

/// Scatterings that several sources begin in a step.
fn of_sources(levels: u32, sources: &[u32], step: u64) -> Schedule {
    let tree = TreeKind::Constant.tree(levels);
    let scatter = |&source: &u32| scatter(&tree, source, Discipline::FurthestFirst).packets;
    let mut packets: Vec<_> = sources.iter().flat_map(scatter).collect();
    for packet in &mut packets {
        packet.step += step - 1;
    }
    Schedule { packets }
}

/// The steps of a total exchange in rounds of scatterings, each begun when the one before has
/// ended: round s has the sources s XOR `offsets`.
fn rounds(levels: u32, offsets: &[u32]) -> Result<u64, String> {
    let tree = TreeKind::Constant.tree(levels);
    let mut done = vec![false; tree.processors() as usize];
    let mut all = Schedule::default();
    let mut step = 1;
    for first in 0..tree.processors() {
        if done[first as usize] {
            continue;
        }
        let sources: Vec<u32> = offsets.iter().map(|offset| first ^ offset).collect();
        for &source in &sources {
            done[source as usize] = true;
        }
        all.packets
            .extend(of_sources(levels, &sources, step).packets);
        step += bounds::scatter_steps(levels);
    }
    steps(&tree, &all, false)
}

/// The longest queues of flooding.
///
/// # Errors
/// When someone asks to stop.
pub fn queues(study: &mut Study<'_>) -> Result<Vec<Quantity>, Error> {
    let found = study.measure("queues of flooding", || {
        let tree = TreeKind::Constant.tree(LEVELS);
        let schedule = Operation::MultinodeBroadcast(Multinode::Flooding).schedule(&tree);
        let schedule = schedule.map_err(|error| error.to_string());
        let run = schedule.and_then(|schedule| {
            ideal::run(&tree, &schedule, None).map_err(|failure| failure.to_string())
        });
        run.map_or_else(
            |wrong| wrong,
            |outcome| {
                let queues: Vec<String> = outcome.queues().iter().map(u32::to_string).collect();
                queues.join(", ")
            },
        )
    })?;
    let switches = study.measure("queues of flooding in switches", || {
        let tree = TreeKind::Constant.tree(LEVELS);
        let schedule = Operation::MultinodeBroadcast(Multinode::Flooding).schedule(&tree);
        let found = schedule.ok().and_then(|all| through_queues(&tree, &all));
        found.map_or_else(String::new, |found| {
            let queues: Vec<String> = found.longest.iter().map(u64::to_string).collect();
            queues.join(", ")
        })
    })?;
    let why = "below the root the queues are as printed; at the root both children fill its two down \
               channels at the rate at which these pass, and nothing waits";
    let all = Quantity::claimed(
        "flooding_queues_n64",
        of("section 4.1"),
        list(1..=LEVELS, |i| print::queue(i.into())),
    )
    .named("longest queues of flooding at levels 1 to 6, n = 64")
    .analytic(list(1..=LEVELS, |i| bounds::flooding_queue(LEVELS, i)))
    .simulated(found)
    .judged(Some(why.into()));
    if !study.simulates() {
        return Ok(vec![all]);
    }
    let in_switches = Quantity::unprinted("flooding_queues_of_switches_n64", of("section 4.1"))
        .named("the same in routing nodes of packet_switch")
        .analytic(list(1..=LEVELS, |i| bounds::flooding_queue(LEVELS, i)))
        .simulated(switches)
        .judged(None);
    Ok(vec![all, in_switches])
}
