//! Whether the system grants the memory that a run takes.

use crate::diagnostic::{Class, Diagnostic, Report};
use crate::experiment::config::{Config, EngineKind};
use crate::experiment::memory::{self, Need};
use crate::network::Network;
use crate::system::{self, Granted};
use crate::traffic::TrafficConfig;

/// What a run is for, as far as its memory depends on it.
#[derive(Clone, Copy)]
pub(super) struct Planned<'a> {
    /// The configuration.
    pub config: &'a Config,
    /// Where it was read from.
    pub origin: &'a str,
    /// Its network.
    pub network: &'a Network,
    /// Whether the messages of replicate 0 are written.
    pub keeps_records: bool,
}

impl Planned<'_> {
    /// Fails when a run with so many messages in a replicate takes more memory than the
    /// system grants.
    pub(super) fn check(self, messages: u64) -> Result<(), Report> {
        match system::granted_memory() {
            Some(granted) => self.compare(messages, granted),
            None => Ok(()),
        }
    }

    fn compare(self, messages: u64, granted: Granted) -> Result<(), Report> {
        let need = self.need(self.config.run.engine, messages)?;
        if need.total() <= granted.bytes {
            return Ok(());
        }
        let mut help = self.lower(need, messages);
        let other = EngineKind::Event;
        if self.config.run.engine != other && self.need(other, messages)?.total() <= granted.bytes {
            help.push_str(", or take run.engine = \"event\"");
        }
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        Err(Report::one(
            Class::Usage,
            self.origin,
            Diagnostic::new(
                "memory",
                format!(
                    "the run takes about {} MiB, and the system grants {} MiB: {}",
                    mib(need.total()),
                    granted.bytes >> 20,
                    granted.bound
                ),
                help,
            ),
        ))
    }

    fn need(self, engine: EngineKind, messages: u64) -> Result<Need, Report> {
        let mut config = self.config.clone();
        config.run.engine = engine;
        memory::need(&config, self.network, messages, self.keeps_records)
    }

    /// What to lower, by what takes most.
    fn lower(self, need: Need, messages: u64) -> String {
        let most = need.program.max(need.network).max(need.messages);
        let lower = if most == need.messages {
            match &self.config.traffic {
                TrafficConfig::Pattern(_) => "traffic.repeat or traffic.messages",
                TrafficConfig::Steady(_) => "traffic.load or traffic.cycles",
                TrafficConfig::Trace(_) => "traffic.limit",
            }
        } else if most == need.program && self.config.run.threads > 1 {
            "run.threads"
        } else {
            "network.nodes or network.link_delay_cycles"
        };
        let at_a_time = match need.together {
            1 => String::new(),
            count => format!(" of {count} replicates at a time"),
        };
        format!(
            "the network takes {} MiB, and {messages} messages{at_a_time} take {} MiB; \
             lower {lower}",
            need.network.div_ceil(1 << 20),
            need.messages.div_ceil(1 << 20),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::experiment::run;
    use crate::system::Bound;

    fn said(text: &str, megabytes: u64) -> String {
        let config = Config::parse(text, "test.toml", Path::new("."), &[]);
        let config = config.unwrap_or_else(|report| panic!("{report}"));
        let network = run::network(&config);
        let planned = Planned {
            config: &config,
            origin: "test.toml",
            network: &network,
            keeps_records: false,
        };
        let granted = Granted {
            bytes: megabytes << 20,
            bound: Bound::ControlGroup,
        };
        let messages = memory::expected_messages(&config).expect("no trace");
        match planned.compare(messages, granted) {
            Ok(()) => String::new(),
            Err(report) => {
                assert_eq!(report.class, Class::Usage);
                report.to_string()
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
        assert!(said(&threads, 12).contains("lower run.threads"));
    }

    #[test]
    fn replicates_that_share_an_engine_count() {
        let text = "[network]\nkind='fat-tree'\nnodes=64\n[traffic]\npattern='random'\n\
                    repeat=1000\n[run]\nreplicates=40\n";
        assert_eq!(said(text, 250), "");
        let found = said(text, 150);
        assert!(
            found.contains("64000 messages of 32 replicates at a time"),
            "{found}"
        );
        assert!(found.contains("or take run.engine = \"event\""), "{found}");
    }
}
