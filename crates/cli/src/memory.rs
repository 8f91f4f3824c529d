//! Check that the system grants the memory that a run takes.

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::system::{self, Granted};
use crosswave_network::Topology;
use crosswave_network::traffic::TrafficConfig;
use crosswave_run::config::{Config, EngineKind};
use crosswave_run::memory;
use crosswave_run::memory::{MessageLoad, Need, RecordFile};

/// A planned task, as far as its memory depends on it.
#[derive(Clone, Copy)]
pub(super) enum Task<'a> {
    /// A run.
    Run {
        /// The files of what becomes of each message.
        records: &'a [RecordFile],
        /// Bytes of the recorder of a waveform.
        waveform: u64,
        /// True when it counts which nets change.
        coverage: bool,
    },
    /// An export.
    Export,
}

/// A task with a configuration.
#[derive(Clone, Copy)]
pub(super) struct Planned<'a> {
    /// The configuration.
    pub config: &'a Config,
    /// The file that it was read from.
    pub origin: &'a str,
    /// Its network.
    pub network: &'a dyn Topology,
    /// The task.
    pub task: Task<'a>,
}

impl Planned<'_> {
    /// Fails when the task with such messages in a replicate takes more memory than the
    /// system grants.
    pub(super) fn check(self, load: impl Into<MessageLoad>) -> Result<(), Error> {
        match system::granted_memory() {
            Some(granted) => self.compare(load.into(), granted),
            None => Ok(()),
        }
    }

    fn compare(self, load: MessageLoad, granted: Granted) -> Result<(), Error> {
        let need = self.need(self.config.run.engine, load)?;
        if need.total() <= granted.bytes {
            return Ok(());
        }
        let mut help = self.lower(need, load.messages);
        let other = EngineKind::Event;
        let chooses = matches!(self.task, Task::Run { .. }) && self.config.run.engine != other;
        if chooses && self.need(other, load)?.total() <= granted.bytes {
            help.push_str(", or take run.engine = \"event\"");
        }
        if matches!(self.task, Task::Run { .. }) && self.config.run.threads != 1 {
            let mut config = self.config.clone();
            config.run.threads = 1;
            let alone = Planned {
                config: &config,
                ..self
            };
            if alone.need(config.run.engine, load)?.total() <= granted.bytes {
                help.push_str(", or set run.threads = 1, so that fewer replicates run at a time");
            }
        }
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let task = match self.task {
            Task::Run { .. } => "run",
            Task::Export => "export",
        };
        Err(Error::one(
            Class::Usage,
            self.origin,
            Diagnostic::new(
                "memory",
                format!(
                    "the {task} takes about {} MiB, and the system grants {} MiB: {}",
                    mib(need.total()),
                    granted.bytes >> 20,
                    granted.bound
                ),
                help,
            ),
        ))
    }

    fn need(self, engine: EngineKind, load: MessageLoad) -> Result<Need, Error> {
        let Task::Run {
            records,
            waveform,
            coverage,
        } = self.task
        else {
            return Ok(memory::export_need(self.network, load));
        };
        let mut config = self.config.clone();
        config.run.engine = engine;
        let need = memory::need(&config, self.network, load)?;
        Ok(Need {
            waveform,
            follower: memory::follower(self.network, records, load),
            coverage: match coverage {
                true => memory::coverage(&config, self.network)?,
                false => 0,
            },
            ..need
        })
    }

    /// Advice on which number to lower, depending on the part that takes the most memory.
    fn lower(self, need: Need, messages: u64) -> String {
        let parts = [
            need.program,
            need.network,
            need.messages,
            need.waveform,
            need.follower,
            need.coverage,
            need.text,
        ];
        let most = parts.into_iter().max().unwrap_or(0);
        let lower = if most == need.waveform {
            "what wave.scopes selects"
        } else if most == need.coverage {
            "network.nodes, or leave out --coverage"
        } else if most == need.follower {
            "network.nodes, or leave out --events and --transactions"
        } else if most == need.messages {
            match &self.config.traffic {
                TrafficConfig::Pattern(_) => "traffic.repeat or traffic.messages",
                TrafficConfig::Steady(_) => "traffic.load or traffic.cycles",
                TrafficConfig::Trace(_) => "traffic.limit",
            }
        } else if most == need.program && self.config.run.threads > 1 && need.text == 0 {
            "run.threads"
        } else {
            "network.nodes or network.link_delay_cycles"
        };
        let at_a_time = match need.together {
            1 => String::new(),
            count => format!(" of {count} replicates at a time"),
        };
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let besides = [
            (need.text, "their Verilog"),
            (need.waveform, "the recorder of the waveform"),
            (need.follower, "following the messages"),
            (need.coverage, "counting which nets change"),
        ];
        let besides = besides.into_iter().filter(|(bytes, _)| *bytes > 0);
        let rest: String = besides
            .map(|(bytes, what)| format!(", and {what} {} MiB", mib(bytes)))
            .collect();
        format!(
            "the network takes {} MiB, and {messages} messages{at_a_time} take {} MiB{rest}; \
             lower {lower}",
            mib(need.network),
            mib(need.messages),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crosswave_base::system::Bound;
    use crosswave_base::threads::processors;

    fn said(text: &str, megabytes: u64) -> String {
        let run = Task::Run {
            records: &[],
            waveform: 0,
            coverage: false,
        };
        said_of(run, text, megabytes)
    }

    fn said_of(task: Task<'_>, text: &str, megabytes: u64) -> String {
        let config = Config::parse(text, "test.toml", Path::new("."), &[]);
        let config = config.unwrap_or_else(|error| panic!("{error}"));
        let network = config.topology();
        let planned = Planned {
            config: &config,
            origin: "test.toml",
            network: &*network,
            task,
        };
        let granted = Granted {
            bytes: megabytes << 20,
            bound: Bound::ControlGroup,
        };
        let messages = memory::expected_messages(&config).expect("no trace");
        match planned.compare(messages.into(), granted) {
            Ok(()) => String::new(),
            Err(error) => {
                assert_eq!(error.class, Class::Usage);
                error.to_string()
            }
        }
    }

    #[test]
    fn what_takes_most_is_to_be_lowered() {
        let tree = |nodes: u32, traffic: &str| {
            format!("[network]\nkind='fat-tree'\nnodes={nodes}\n[traffic]\n{traffic}\n")
        };
        let large = tree(1 << 20, "pattern='random'\nmessages=10");
        assert_eq!(said(&large, 1 << 20), "");
        let network = said(&large, 500);
        assert!(network.contains("the system grants 500 MiB: the limit of its control group"));
        assert!(network.contains("lower network.nodes or"), "{network}");
        assert!(!network.contains("event"), "it takes more: {network}");
        let many = said(&tree(64, "pattern='random'\nrepeat=100000"), 100);
        assert!(many.contains("6400000 messages take"), "{many}");
        assert!(many.contains("lower traffic.repeat or"), "{many}");
        let steady = tree(64, "pattern='steady'\nload=0.5\ncycles=400000");
        assert!(said(&steady, 100).contains("lower traffic.load or traffic.cycles"));
        let threads = tree(64, "pattern='random'") + "[run]\nthreads=256\n";
        assert!(said(&threads, 9).contains("lower run.threads"));
    }

    #[test]
    fn waveforms_and_exports_count() {
        let text = "[network]\nkind='fat-tree'\nnodes=4096\n[traffic]\npattern='random'\n";
        let recorded = |signals: usize| Task::Run {
            records: &[],
            waveform: memory::waveform(1_134_592, signals),
            coverage: false,
        };
        assert_eq!(said_of(recorded(100), text, 30), "");
        let found = said_of(recorded(1_134_592), text, 80);
        for part in [
            "the run takes about ",
            ", and the recorder of the waveform 105 MiB; lower what wave.scopes selects",
        ] {
            assert!(found.contains(part), "{found}");
        }
        assert_eq!(said_of(Task::Export, text, 200), "");
        let found = said_of(Task::Export, text, 80);
        for part in [
            "the export takes about ",
            ", and their Verilog 116 MiB; lower network.nodes or",
        ] {
            assert!(found.contains(part), "{found}");
        }
    }

    #[test]
    fn replicates_that_share_an_engine_count() {
        let text = "[network]\nkind='fat-tree'\nnodes=64\n[traffic]\npattern='random'\n\
                    repeat=1000\n[run]\nreplicates=40\nthreads=1\n";
        assert_eq!(said(text, 250), "");
        let found = said(text, 150);
        assert!(
            found.contains("64000 messages of 32 replicates at a time"),
            "{found}"
        );
        assert!(found.contains("or take run.engine = \"event\""), "{found}");
        // Those that run side by side count as well.
        if processors() > 1 {
            let beside = text
                .replace("=40\n", "=400\n")
                .replace("threads=1", "threads=2");
            let found = said(&beside, 250);
            let help = "or set run.threads = 1, so that fewer replicates run at a time";
            assert!(found.contains(help), "{found}");
        }
    }
}
