//! From a validated configuration to the outcome of its replicates.

use crate::chip::{netlists, protocol};
use crate::diagnostic::Report;
use crate::event::EventEngine;
use crate::experiment::config::{Config, EngineKind, Release, Winner};
use crate::experiment::host::{Host, Observer, Outcome};
use crate::gate::{Backend, GateEngine};
use crate::network::Fabric;
use crate::network::fat_tree::FatTree;
use crate::probe::engine::Engine;
use crate::random;
use crate::traffic::{self, Strategy, Workload};

/// Stream from which the seeds of replicates are drawn.
const STREAM_REPLICATE: u64 = 0x7265_706c;

/// The seed of replicate `index`; replicate 0 has the seed of the run itself.
pub fn replicate_seed(seed: u64, index: u32) -> u64 {
    match index {
        0 => seed,
        index => random::word(random::key(seed, STREAM_REPLICATE, 0), u64::from(index)),
    }
}

/// The fat tree that a configuration describes.
pub fn fat_tree(config: &Config) -> FatTree {
    let (strategy, backoff_limit) = match config.retry.strategy {
        Strategy::Immediate => (protocol::STRATEGY_IMMEDIATE, 0),
        Strategy::Rounds => (protocol::STRATEGY_ROUNDS, 0),
        Strategy::Backoff { limit } => (protocol::STRATEGY_BACKOFF, u64::from(limit)),
    };
    FatTree {
        nodes: config.network.nodes,
        link_delay_cycles: config.network.link_delay_cycles.clone(),
        winner_fixed: config.router.winner == Winner::Fixed,
        release_tail: config.router.release == Release::Tail,
        strategy,
        backoff_limit,
    }
}

/// An engine of the configured kind at cycle 0.
pub fn engine(config: &Config, fabric: &Fabric, seed: u64) -> Result<Box<dyn Engine>, Report> {
    Ok(match config.run.engine {
        EngineKind::Event => Box::new(EventEngine::new(
            fabric.clone(),
            seed,
            config.run.threads as usize,
        )),
        EngineKind::Gate => {
            let threads = config.run.threads as usize;
            Box::new(GateEngine::new(
                fabric.clone(),
                netlists::module,
                seed,
                threads,
                Backend::best(),
            )?)
        }
    })
}

/// Runs one replicate: its workload, on a new engine of the configured kind.
pub fn replicate(
    config: &Config,
    tree: &FatTree,
    fabric: &Fabric,
    workload: &Workload,
    seed: u64,
    observer: &mut impl Observer<dyn Engine>,
) -> Result<Outcome, Report> {
    let mut engine = engine(config, fabric, seed)?;
    let by_rounds = config.retry.strategy == Strategy::Rounds;
    let host = Host::new(tree, workload, fabric.rest_cycles, by_rounds);
    Ok(host.run(engine.as_mut(), config.run.cycles_max, observer))
}

/// The workload of a replicate.
pub fn workload(config: &Config, seed: u64) -> Result<Workload, Report> {
    traffic::build(&config.traffic, config.network.nodes, seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::host::End;

    /// The same on both engines, which have to agree on everything.
    fn outcome(text: &str) -> Outcome {
        let event = outcome_on(&format!(
            "{text}\n[run]\nengine='event'\ncycles_max=100000\n"
        ));
        for threads in [1, 3] {
            let gate = outcome_on(&format!(
                "{text}\n[run]\nengine='gate'\ncycles_max=100000\nthreads={threads}\n"
            ));
            assert_eq!(event, gate, "{text}");
        }
        event
    }

    fn outcome_on(text: &str) -> Outcome {
        let config = Config::parse(text, "test", std::path::Path::new("."), &[])
            .unwrap_or_else(|e| panic!("{e}"));
        let tree = fat_tree(&config);
        let fabric = tree.fabric();
        let workload = workload(&config, config.run.seed).unwrap();
        replicate(&config, &tree, &fabric, &workload, config.run.seed, &mut ()).unwrap()
    }

    #[test]
    fn one_message_takes_two_clocks_a_router_and_one_back() {
        for words in [1u64, 2, 64] {
            let outcome = outcome(&format!(
                "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='pair'\nsource=0\ndestination=15\nwords={words}\n"
            ));
            assert_eq!(outcome.end, End::Finished);
            let m = outcome.messages[0];
            let routers = 7;
            assert_eq!((m.offered_cycle, m.sent_cycle, m.attempts), (1, 2, 1));
            assert_eq!(m.delivered_cycle, 2 + 2 * routers + words + 1);
            assert_eq!(m.acknowledged_cycle, m.delivered_cycle + routers + 1);
        }
    }

    #[test]
    fn random_traffic_is_delivered_under_every_rule() {
        for nodes in [2, 4, 16, 64, 1024] {
            for strategy in ["immediate", "rounds", "backoff"] {
                for release in ["acknowledge", "tail"] {
                    for delay in [0, 3] {
                        let outcome = outcome(&format!(
                            "[network]\nkind='fat-tree'\nnodes={nodes}\nlink_delay_cycles={delay}\n[router]\nrelease='{release}'\n[traffic]\npattern='random'\nmessages={nodes}\nwords=5\n[retry]\nstrategy='{strategy}'"
                        ));
                        assert_eq!(
                            outcome.end,
                            End::Finished,
                            "{nodes} {strategy} {release} {delay}"
                        );
                        assert_eq!(outcome.collisions.refused, 0);
                        let attempts: u64 =
                            outcome.messages.iter().map(|m| u64::from(m.attempts)).sum();
                        assert_eq!(
                            attempts,
                            u64::from(nodes as u32) + outcome.collisions.total()
                        );
                        assert!(
                            outcome
                                .messages
                                .iter()
                                .all(|m| m.delivered_cycle != crate::probe::message::NEVER)
                        );
                    }
                }
            }
        }
    }
}
