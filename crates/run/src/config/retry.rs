//! The table `[retry]`: when a message that lost is sent again.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crosswave_document::{Document, Key, KeyRow, Wrong};
use crosswave_network::description::NetworkKind;
use crosswave_network::traffic::Strategy;
use crosswave_network::traffic::retry::{
    BACKOFF_LIMIT_DEFAULT, BACKOFF_LIMIT_MAX, RANDOM_LIMIT_DEFAULT,
};

/// The keys, `strategy` apart, which kinds of networks have of their own.
pub(super) const KEYS: &[KeyRow] = &[KeyRow {
    key: ("retry", "backoff_limit"),
    value: "integer",
    default: "`10`; `6` with `\"random\"`",
    legal: "1 to 12",
    only: "`retry.strategy = \"backoff\"` or `\"random\"`",
    meaning: "The limit of the wait, which after collision j is uniform in 0 to 2^min(j, limit) − 1 \
          cycles, with `\"random\"` in 0 to 2^limit − 1.",
}];

/// The strategy by which a message that lost is sent again. It serializes as `strategy`, and
/// `backoff_limit` when the strategy has a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryConfig {
    /// The strategy with its parameters.
    pub strategy: Strategy,
}

impl Serialize for RetryConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("strategy", self.strategy.name())?;
        if let Strategy::Backoff { limit } | Strategy::Random { limit } = self.strategy {
            map.serialize_entry("backoff_limit", &limit)?;
        }
        map.end()
    }
}

impl RetryConfig {
    /// Reads the table, for a network of a kind. What is wrong gets a stand-in.
    pub(super) fn read(document: &mut Document<'_>, kind: &NetworkKind) -> RetryConfig {
        const STRATEGY: Key = ("retry", "strategy");
        const LIMIT: Key = ("retry", "backoff_limit");
        let limit = document.integer32(LIMIT, 1..=BACKOFF_LIMIT_MAX);
        let backoff = Strategy::Backoff {
            limit: limit.unwrap_or(BACKOFF_LIMIT_DEFAULT),
        };
        let random = Strategy::Random {
            limit: limit.unwrap_or(RANDOM_LIMIT_DEFAULT),
        };
        let all = [
            Strategy::None,
            Strategy::Immediate,
            Strategy::Rounds,
            random,
            backoff,
        ];
        let choices: Vec<(&str, Strategy)> = kind
            .strategies
            .iter()
            .filter_map(|&name| Some((name, *all.iter().find(|strategy| strategy.name() == name)?)))
            .collect();
        let default = choices[0].1;
        let strategy = document.choice(STRATEGY, &choices).unwrap_or(default);
        let applies = strategy == backoff || strategy == random || document.failed(STRATEGY);
        if document.has(LIMIT) && !applies {
            let message = format!("the strategy {:?} does not take this key", strategy.name());
            let limited = [backoff, random].map(Strategy::name);
            let limited = limited.iter().filter(|name| kind.strategies.contains(name));
            let limited: Vec<String> = limited.map(|name| format!("{name:?}")).collect();
            let help = match limited.is_empty() {
                true => "remove it".to_owned(),
                false => format!(
                    "remove it, or set retry.strategy = {}",
                    limited.join(" or ")
                ),
            };
            document.wrong(LIMIT, None, Wrong::new(message, help));
        }
        RetryConfig { strategy }
    }
}
