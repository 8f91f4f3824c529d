//! The places where messages collide, and their partners there.

use serde_json::json;

use super::context::StrumpenContext;
use crate::cases::Cases;
use crate::effort::Effort;
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::MeasuredValue;
use crate::strumpen2005::run::Run;
use crosswave_base::diagnostic::Error;
use crosswave_network::fat_tree::collisions::Scenario;
use crosswave_network::topology::OutputHolder;
use crosswave_observe::points::watch::check_cancelled;
use crosswave_observe::points::{PointStopRule, Statistic};
use crosswave_run::collisions::{CollisionObserver, Scenarios};
use crosswave_run::simulation::Simulation;

/// The section.
pub(super) fn section(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Where messages collide");
    section.text(
        "The paper sees rounds; here every router is watched. Scenario 1: two messages from above \
         want the same downstream port. Scenario 2: one that turns in the router, from the other \
         downstream port, and one from above. Both: all three. A message is involved when it comes \
         in the same clock or holds the port. In a round, one that turns comes before those from above, \
         which have been higher: they meet its circuit, so that scenario 2 and both have no winner \
         of the same clock.",
    );
    let (levels, replicates) = match context.effort {
        Effort::All => (10, 20),
        _ => (6, 20),
    };
    let (mut upward, mut rejected) = (0, 0);
    for messages in [1u32 << (levels - 3), 1 << levels] {
        let [of_upward, of_all] = table(levels, messages, replicates, context, &mut section)?;
        upward += of_upward;
        rejected += of_all;
    }
    let heads = Cases::broken(rejected, upward);
    let quantity = heads
        .claim(
            format!("heads_rejected_on_their_way_down_n{}", 1u32 << levels),
            "S&K 2005, section 3: two messages never collide upstream",
        )
        .named(format!(
            "rejected heads that were going down, n = {}",
            1u32 << levels
        ))
        .simulated(Some(MeasuredValue::exact(heads.kept())));
    section.claim(
        "Messages that go up",
        "never collide: there is a port for each",
        format!("{upward} of {rejected} rejected heads were going up"),
        vec![quantity.judged(None)],
    );
    section.text(
        "That every head that does not turn is given a port up, in every state that a router with two \
         ports up can reach and whatever arrives, is an assertion of the router's proof (hdl/proof), too. \
         A router of a leaner tree, with one port up, rejects going up.",
    );
    Ok(section)
}

fn table(
    levels: u32,
    messages: u32,
    replicates: u32,
    context: &mut StrumpenContext,
    section: &mut Section,
) -> Result<[u64; 2], Error> {
    let run = Run::rounds(levels, messages);
    let spec = run.spec(PointStopRule::exactly(1, Statistic::Rounds));
    let mut config = spec.config.clone();
    config.run.engine = crosswave_run::config::EngineKind::Event;
    let key = json!({
        "all collisions": spec.key(), "replicates": replicates,
    });
    let watch = &mut *context.watch;
    watch.begins(&format!("{}, watching routers", spec.title));
    let counts: Vec<[u64; 8]> = context.points.store().kept(&key, || {
        let simulation = Simulation::new(&config)?;
        let collisions = simulation.network().collisions();
        let collisions = collisions.expect("circuits stand until their answers have passed");
        let mut all = Scenarios::new(collisions);
        for index in 0..replicates {
            check_cancelled(watch)?;
            let replicate = simulation.replicate(index)?;
            let mut observer = CollisionObserver::new(collisions, simulation.fabric());
            simulation.run_one(&replicate, &mut observer)?;
            all.add(observer.found());
        }
        let of = |level: usize| {
            let count = |scenario: Scenario| {
                OutputHolder::ALL.map(|winner| all.count(level, scenario as usize, winner))
            };
            let counts = Scenario::ALL.map(count);
            let flat = counts.as_flattened();
            std::array::from_fn(|at| flat[at])
        };
        Ok((0..all.levels()).map(of).collect())
    })?;
    let total: u64 = counts.iter().flatten().sum();
    let mut table = PageTable::new(
        format!(
            "Rejected heads of {replicates} replicates by the level of the router, n = {}, m = \
             {messages}, rounds; won by a head of the same clock, or by a circuit that was there",
            run.nodes()
        ),
        [
            "level",
            "1, head",
            "1, circuit",
            "2, head",
            "2, circuit",
            "both, head",
            "both, circuit",
            "going up",
            "all",
            "% of all",
        ],
    );
    for (level, of) in counts.iter().enumerate() {
        let sum: u64 = of.iter().sum();
        let [a, b, c, d, e, f, _, _] = of.map(|count| count.to_string());
        let up = of[6] + of[7];
        let share = format!("{:.1}", 100.0 * sum as f64 / total as f64);
        table.row([
            level.to_string(),
            a,
            b,
            c,
            d,
            e,
            f,
            up.to_string(),
            sum.to_string(),
            share,
        ]);
    }
    section.parts.push(PagePart::Table(table));
    Ok([counts.iter().map(|of| of[6] + of[7]).sum(), total])
}
