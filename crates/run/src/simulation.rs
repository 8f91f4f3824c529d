//! A configuration on its engine: replicate after replicate, observed or not.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use super::checked::Checked;
use super::cycle_loop::{ReplicateBatch, go_on_alone, run_alone};
use super::fault;
use super::limit;
use super::observer::Observer;
use super::own_chips;
use super::replicate::{Replicate, sharing};
use super::snapshot::{Impossible, Snapshot};
use crate::config::{Config, EngineKind};
use crate::gpu;
use crate::host::{Host, Outcome};
use crosswave_base::diagnostic::Error;
use crosswave_base::guard::guarded_with_threads;
use crosswave_base::threads::processors;
use crosswave_chips::netlists::NetlistSet;
use crosswave_event::EventEngine;
use crosswave_gate::coverage::Coverage;
use crosswave_gate::{Backend, GateEngine};
use crosswave_network::copies::Copies;
use crosswave_network::traffic::{Strategy, Workload};
use crosswave_network::{Fabric, Network, Topology};
use crosswave_probe::engine::Engine;
use crosswave_probe::message::NEVER;

/// A configuration that is ready to be run.
///
/// What depends on the network only is made once: a gate engine, with its wiring and its
/// memory, is kept for the next replicate. Threads may run replicates side by side; each has
/// an engine of its own.
///
/// ```
/// use crosswave_run::config::Config;
/// use crosswave_run::simulation::Simulation;
/// use std::path::Path;
/// let text = "[network]\nkind = \"fat-tree\"\nnodes = 16\n\
///             [traffic]\npattern = \"pair\"\nsource = 0\ndestination = 15\n";
/// let config = Config::parse(text, "run.toml", Path::new("."), &[])?;
/// let simulation = Simulation::new(&config)?;
/// let outcomes = simulation.run_all()?;
/// // Seven routers: two clocks each for the head, and one for the answer.
/// let message = &outcomes[0].messages[0];
/// assert_eq!(message.delivered_cycle - message.sent_cycle, 2 * 7 + 2);
/// assert_eq!(message.acknowledged_cycle - message.delivered_cycle, 7 + 1);
/// # Ok::<(), crosswave_base::diagnostic::Error>(())
/// ```
pub struct Simulation {
    config: Config,
    network: Network,
    /// The netlists of its chips.
    netlists: NetlistSet,
    /// Gate engines read the same one.
    fabric: Arc<Fabric>,
    /// Gate engines that nobody uses at the moment.
    engines: Mutex<Vec<IdleEngine>>,
    /// The nets that have changed, where they are counted.
    coverage: Option<Arc<Coverage>>,
}

impl Simulation {
    /// Builds the network of a configuration. The engine is made for the first replicate.
    ///
    /// # Errors
    /// Those of [`Config::check`], and of [`own_chips::load`].
    pub fn new(config: &Config) -> Result<Simulation, Error> {
        let config = own_chips::with_everywhere(config);
        config.check()?;
        let network = config.topology();
        let netlists = own_chips::netlists(&config, &mut |_, _| {})?;
        let mut fabric = network.fabric();
        // Nothing is known of when a chip of a designer's own rests.
        fabric.restless |= !netlists.is_embedded();
        Ok(Simulation {
            config: config.into_owned(),
            fabric: Arc::new(fabric),
            netlists,
            network,
            engines: Mutex::default(),
            coverage: None,
        })
    }

    /// The same, which never skips cycles in which the network rests. Results are the same.
    #[must_use]
    pub fn without_rest(mut self) -> Simulation {
        Arc::make_mut(&mut self.fabric).restless = true;
        self
    }

    /// The same, which counts the nets of its chips that change. Each replicate has an engine of its own
    /// then.
    ///
    /// # Errors
    /// When a netlist cannot be compiled.
    ///
    /// # Panics
    /// When the engine is not the gate engine.
    pub fn with_coverage(mut self) -> Result<Simulation, Error> {
        assert_eq!(
            self.config.run.engine,
            EngineKind::Gate,
            "nets are of gates"
        );
        let coverage = Coverage::new(&self.fabric, |name| self.netlists.module(name))?;
        self.coverage = Some(Arc::new(coverage));
        Ok(self)
    }

    /// The nets that have changed so far, where they are counted.
    pub fn coverage(&self) -> Option<&Coverage> {
        self.coverage.as_deref()
    }

    /// The folders of the sources of a chip, as they were named and in their order; none where it is one of
    /// the program's.
    pub fn source_folders(&self, chip: &str) -> Vec<PathBuf> {
        own_chips::source_folders(&self.config, chip)
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The network.
    pub fn network(&self) -> &dyn Topology {
        &*self.network
    }

    /// The network as chips, pins and links.
    pub fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    /// The netlists of its chips.
    pub fn netlists(&self) -> &NetlistSet {
        &self.netlists
    }

    /// Replicate `index` of the configuration: its seed and its messages.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn replicate(&self, index: u32) -> Result<Replicate, Error> {
        Replicate::new(&self.config, index)
    }

    /// Number of replicates that share an engine at most.
    pub fn together(&self) -> usize {
        match self.coverage {
            // One that has ended would go on beside the others.
            Some(_) => 1,
            None => sharing(self.config.run.engine, &self.instances()),
        }
    }

    /// The numbers of instances of its arrays.
    pub fn instances(&self) -> Vec<usize> {
        let arrays = self.fabric.arrays.iter();
        arrays.map(|array| array.instances).collect()
    }

    /// True when a gate engine that has run found out that one thread is faster than those it has.
    pub fn prefers_one_thread(&self) -> bool {
        let engines = self.engines();
        engines.iter().any(|idle| idle.engine.prefers_one_thread())
    }

    /// The most threads that it may use at a time.
    pub fn processors(&self) -> usize {
        match self.threads() {
            0 => processors(),
            threads => threads,
        }
    }

    /// The cycle after which a run of `workload` is given up ([`limit::cycles_max`]).
    pub fn cycles_max(&self, workload: &Workload) -> u64 {
        limit::cycles_max(&self.config, self.network(), &self.fabric, workload)
    }

    /// A new engine of the configured kind, in cycle 0.
    ///
    /// # Errors
    /// When a netlist cannot be compiled.
    pub fn engine(&self, seed: u64) -> Result<Box<dyn Engine>, Error> {
        Ok(match self.config.run.engine {
            EngineKind::Event => Box::new(self.event_engine(seed, self.threads())),
            EngineKind::Gate => Box::new(self.gate_engine(seed, self.threads())?),
            EngineKind::Gpu => gpu::engine(self.fabric.clone(), &self.netlists, &[seed])?,
        })
    }

    /// A new engine, in cycle 0, that is made sooner than others and runs a few cycles: the event
    /// engine, where all chips have models.
    ///
    /// # Errors
    /// When a netlist cannot be compiled.
    pub fn light_engine(&self, seed: u64) -> Result<Box<dyn Engine>, Error> {
        match self.network.own_netlists().is_empty() {
            true => Ok(Box::new(self.event_engine(seed, self.threads()))),
            false => Ok(Box::new(self.gate_engine(seed, self.threads())?)),
        }
    }

    /// The threads of an engine; 0 leaves the number to it. Those beyond the processors would only
    /// take turns with the others, so that there are none, whatever is configured.
    pub fn threads(&self) -> usize {
        (self.config.run.threads as usize).min(processors())
    }

    fn event_engine(&self, seed: u64, threads: usize) -> EventEngine {
        EventEngine::new(Fabric::clone(&self.fabric), seed, threads)
    }

    fn gate_engine(&self, seed: u64, threads: usize) -> Result<GateEngine, Error> {
        let (fabric, backend) = (self.fabric.clone(), Backend::best());
        if let Some(coverage) = &self.coverage {
            return GateEngine::counting(fabric, coverage.clone(), seed, threads, backend);
        }
        GateEngine::new(
            fabric,
            |name| self.netlists.plain(name),
            seed,
            threads,
            backend,
        )
    }

    /// A gate engine of as many copies as there are seeds, in cycle 0: one that is idle, or else a
    /// new one.
    fn gate_engine_of(&self, seeds: &[u64], threads: usize) -> Result<IdleEngine, Error> {
        let copies = seeds.len();
        let idle = {
            let mut engines = self.engines();
            let fits = |idle: &IdleEngine| (idle.copies.count(), idle.threads) == (copies, threads);
            let place = engines.iter().position(fits);
            place.map(|place| engines.swap_remove(place))
        };
        if let Some(mut idle) = idle {
            idle.engine.restart(seeds);
            return Ok(idle);
        }
        let (copies, engine) = match seeds {
            [seed] => (self.fabric.copies, self.gate_engine(*seed, threads)?),
            _ => {
                let fabric = self.fabric.replicated(copies);
                let netlist = |name: &str| self.netlists.plain(name);
                let (copies, backend) = (fabric.copies, Backend::best());
                let engine = GateEngine::of_copies(fabric, netlist, seeds, threads, backend);
                (copies, engine?)
            }
        };
        Ok(IdleEngine {
            copies,
            threads,
            engine,
        })
    }

    fn engines(&self) -> MutexGuard<'_, Vec<IdleEngine>> {
        let engines = self.engines.lock();
        engines.expect("no thread panics while it holds the lock")
    }

    /// The host of a workload.
    fn host<'a>(&'a self, workload: &'a Workload) -> Host<'a> {
        let by_rounds = self.config.retry.strategy == Strategy::Rounds;
        let rest_cycles = match self.fabric.restless {
            true => NEVER,
            false => self.fabric.rest_cycles,
        };
        Host::new(self.network(), workload, rest_cycles, by_rounds)
    }

    /// Runs a workload on an engine of the network that stands in cycle 0, to its end.
    pub fn run_on(
        &self,
        engine: &mut dyn Engine,
        workload: &Workload,
        observer: &mut dyn Observer,
    ) -> Outcome {
        let host = self.host(workload);
        let cycles_max = self.cycles_max(workload);
        run_alone(host, engine, &self.fabric.changes, cycles_max, observer)
    }

    /// Runs replicates on an engine of copies of the network that stands in cycle 0, the
    /// first replicate in copy 0, to their ends.
    ///
    /// # Panics
    /// When there are more replicates than copies, or none.
    pub fn run_together_on(
        &self,
        engine: &mut dyn Engine,
        copies: Copies,
        replicates: &[Replicate],
        observer: &mut dyn Observer,
    ) -> Vec<Outcome> {
        let workloads = replicates.iter().map(|replicate| &replicate.workload);
        let workloads: Vec<&Workload> = workloads.collect();
        let cycles_max = self.cycles_max(workloads[0]);
        self.run_workloads_on(engine, copies, &workloads, cycles_max, observer)
    }

    /// The same of workloads, which are given up after a cycle.
    ///
    /// # Panics
    /// As there.
    pub fn run_workloads_on(
        &self,
        engine: &mut dyn Engine,
        copies: Copies,
        workloads: &[&Workload],
        cycles_max: u64,
        observer: &mut dyn Observer,
    ) -> Vec<Outcome> {
        let hosts = workloads
            .iter()
            .map(|workload| self.host(workload))
            .collect();
        let changes = self.fabric.changes_in(copies);
        ReplicateBatch::new(hosts, copies, &changes).run(engine, cycles_max, observer)
    }

    /// Runs one replicate to its end.
    ///
    /// # Errors
    /// When a netlist cannot be compiled.
    pub fn run_one(
        &self,
        replicate: &Replicate,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, Error> {
        let mut outcomes = self.run(std::slice::from_ref(replicate), observer)?;
        Ok(outcomes.pop().expect("the outcome of a replicate"))
    }

    /// Runs one replicate to its end from where a snapshot of it was taken, on an engine of
    /// the same kind.
    ///
    /// # Errors
    /// When a netlist cannot be compiled, and [`Impossible`] when the snapshot is of another run.
    ///
    /// # Panics
    /// May panic when the snapshot is of no run; see [`Simulation::take_up`].
    pub fn go_on(
        &self,
        Replicate { seed, workload }: &Replicate,
        snapshot: &Snapshot,
        observer: &mut dyn Observer,
    ) -> Result<Result<Outcome, Impossible>, Error> {
        let mut engine = self.engine(*seed)?;
        let gone_on = go_on_alone(
            self.host(workload),
            &mut *engine,
            snapshot,
            &self.fabric.changes,
            self.cycles_max(workload),
            observer,
        );
        fault::check(&*engine)?;
        Ok(gone_on)
    }

    /// [`Simulation::go_on`] from a snapshot whose bytes are not trusted. What it holds is checked
    /// before it is used; what no check of the parts finds shows where the run goes on: an
    /// assertion that fails then refuses the snapshot, and what was observed is of no use.
    ///
    /// # Errors
    /// When a netlist cannot be compiled, and [`Impossible`] when the snapshot is of another run,
    /// or of none.
    pub fn take_up(
        &self,
        replicate: &Replicate,
        snapshot: &Snapshot,
        observer: &mut dyn Observer,
    ) -> Result<Result<Outcome, Impossible>, Error> {
        let mut checked = (Checked::new(&self.fabric), observer);
        let gone_on = guarded_with_threads(|| self.go_on(replicate, snapshot, &mut checked));
        match gone_on {
            Ok(Ok(Ok(_))) if checked.0.has_failed() => {
                let message = "a chip shows a value that its port cannot have";
                Ok(Err(Impossible::new(message)))
            }
            Ok(gone_on) => gone_on,
            Err(assertion) => Ok(Err(Impossible::new(format!("going on fails: {assertion}")))),
        }
    }

    /// Runs replicates to their ends, several together: each in a copy of the network on one
    /// gate engine. Their outcomes are those of [`Simulation::run_one`].
    ///
    /// # Errors
    /// When a netlist cannot be compiled.
    ///
    /// # Panics
    /// When there are none, or several and the engine is not the gate engine.
    pub fn run(
        &self,
        replicates: &[Replicate],
        observer: &mut dyn Observer,
    ) -> Result<Vec<Outcome>, Error> {
        self.run_on_threads(self.threads(), replicates, observer)
    }

    /// [`Simulation::run`] on an engine with so many threads; 0 leaves the number to it.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// As there.
    pub fn run_on_threads(
        &self,
        threads: usize,
        replicates: &[Replicate],
        observer: &mut dyn Observer,
    ) -> Result<Vec<Outcome>, Error> {
        if self.config.run.engine == EngineKind::Event {
            let [Replicate { seed, workload }] = replicates else {
                panic!("copies are lanes of gates: one replicate at a time on the event engine");
            };
            let engine: &mut dyn Engine = &mut self.event_engine(*seed, threads);
            return Ok(vec![self.run_on(engine, workload, observer)]);
        }
        let mut seeds: Vec<u64> = replicates.iter().map(|replicate| replicate.seed).collect();
        seeds.resize(seeds.len().next_power_of_two(), 0);
        if self.config.run.engine == EngineKind::Gpu {
            return self.run_on_gpu(&seeds, replicates, observer);
        }
        let mut idle = self.gate_engine_of(&seeds, threads)?;
        let engine: &mut dyn Engine = &mut idle.engine;
        let outcomes = match replicates {
            [Replicate { workload, .. }] => vec![self.run_on(engine, workload, observer)],
            _ => self.run_together_on(engine, idle.copies, replicates, observer),
        };
        fault::check(engine)?;
        idle.engine.note_coverage();
        self.engines().push(idle);
        Ok(outcomes)
    }

    /// Runs replicates on a GPU engine of as many copies as there are seeds.
    fn run_on_gpu(
        &self,
        seeds: &[u64],
        replicates: &[Replicate],
        observer: &mut dyn Observer,
    ) -> Result<Vec<Outcome>, Error> {
        let fabric = match seeds {
            [_] => self.fabric.clone(),
            _ => Arc::new(self.fabric.replicated(seeds.len())),
        };
        let copies = fabric.copies;
        let engine = &mut *gpu::engine(fabric, &self.netlists, seeds)?;
        let outcomes = match replicates {
            [Replicate { workload, .. }] => vec![self.run_on(engine, workload, observer)],
            _ => self.run_together_on(engine, copies, replicates, observer),
        };
        fault::check(engine)?;
        Ok(outcomes)
    }
}

/// A gate engine that may be used again, for as many copies of the network on as many threads.
struct IdleEngine {
    copies: Copies,
    threads: usize,
    engine: GateEngine,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::End;

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
        let simulation = Simulation::new(&config).unwrap();
        let replicate = simulation.replicate(0).unwrap();
        simulation.run_one(&replicate, &mut ()).unwrap()
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
    fn one_by_one_is_each_alone() {
        for engine in ["gate", "event"] {
            let text = format!(
                "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='random'\nwords=2\n[run]\nengine='{engine}'\nreplicates=3\n"
            );
            let config = Config::parse(&text, "test", std::path::Path::new("."), &[])
                .unwrap_or_else(|e| panic!("{e}"));
            let kept = Simulation::new(&config).unwrap();
            let mut outcomes = Vec::new();
            for index in 0..3 {
                let replicate = kept.replicate(index).unwrap();
                let found = kept.run_one(&replicate, &mut ()).unwrap();
                let alone = Simulation::new(&config)
                    .unwrap()
                    .run_one(&replicate, &mut ())
                    .unwrap();
                assert_eq!(found, alone, "{engine} {index}");
                outcomes.push(found);
            }
            assert_ne!(outcomes[0], outcomes[1]);
        }
    }

    #[test]
    fn random_traffic_is_delivered_under_every_rule() {
        for nodes in [2, 4, 16, 64, 1024] {
            for strategy in ["immediate", "rounds", "backoff"] {
                for release in ["acknowledge", "early-acknowledge", "tail"] {
                    for delay in [0, 3] {
                        let outcome = outcome(&format!(
                            "[network]\nkind='fat-tree'\nnodes={nodes}\nlink_delay_cycles={delay}\n[router]\nrelease='{release}'\n[traffic]\npattern='random'\nmessages={nodes}\nwords=5\n[retry]\nstrategy='{strategy}'"
                        ));
                        assert_eq!(
                            outcome.end,
                            End::Finished,
                            "{nodes} {strategy} {release} {delay}"
                        );
                        assert_eq!(outcome.rejections.of("refused_by_receiver"), [0]);
                        let attempts: u64 =
                            outcome.messages.iter().map(|m| u64::from(m.attempts)).sum();
                        assert_eq!(
                            attempts,
                            u64::from(nodes as u32) + outcome.rejections.total()
                        );
                        assert!(
                            outcome
                                .messages
                                .iter()
                                .all(|m| m.delivered_cycle != crosswave_probe::message::NEVER)
                        );
                    }
                }
            }
        }
    }
}
