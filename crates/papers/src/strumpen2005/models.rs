//! Models I and II, played and, for Model I, computed.

use serde_json::json;

use crosswave_analytic::balls;
use crosswave_analytic::balls::chain::ModelI;
use crosswave_analytic::collision::{Bins, bins};
use crosswave_analytic::destinations::{self, Survivor};
use crosswave_base::diagnostic::Error;
use crosswave_base::random;
use crosswave_base::statistics::Tally;
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::{Watch, check_cancelled};

/// Seed of all plays.
const SEED: u64 = 1;
/// Stream of the seeds of plays.
const STREAM_PLAYS: u64 = u64::from_be_bytes(*b"mod-play");

/// The name of a reading of Corollary 1.
pub fn reading_name(reading: Bins) -> &'static str {
    match reading {
        Bins::Floor => "floor",
        Bins::Reciprocal => "reciprocal",
    }
}

/// A model to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// Model I.
    One,
    /// Model II, and which destination survives in a bin.
    Two(Survivor),
}

impl Model {
    fn name(self) -> &'static str {
        match self {
            Model::One => "I",
            Model::Two(Survivor::RandomGroup) => "II, a random destination survives",
            Model::Two(Survivor::LargestGroup) => "II, the most frequent destination survives",
            Model::Two(Survivor::RandomBall) => "II, the destination of a random ball survives",
        }
    }
}

/// Rounds of so many plays of a model.
///
/// # Errors
/// When results cannot be kept, or someone asks to stop.
///
/// # Panics
/// When there is no collision, as with two nodes.
pub fn plays(
    store: &mut Store,
    model: Model,
    levels: u32,
    reading: Bins,
    messages: u64,
    count: u32,
    watch: &mut dyn Watch,
) -> Result<Tally, Error> {
    let key = json!({
        "model": model.name(),
        "nodes": 1u64 << levels,
        "bins": reading_name(reading),
        "messages": messages,
        "plays": count,
    });
    let bins = bins(levels, reading).expect("there are collisions");
    watch.begins(&format!(
        "Model {}, n = {}, m = {messages}",
        model.name(),
        1u64 << levels
    ));
    let rounds: Vec<u32> = store.kept(&key, || {
        let seeds = random::key(SEED, STREAM_PLAYS, 0);
        (0..count)
            .map(|index| {
                check_cancelled(watch)?;
                let seed = random::word(seeds, u64::from(index));
                Ok(match model {
                    Model::One => balls::play(bins, messages, seed),
                    Model::Two(survivor) => {
                        destinations::play(1 << levels, bins, messages, survivor, seed)
                    }
                })
            })
            .collect()
    })?;
    Ok(rounds.into_iter().map(u64::from).collect())
}

/// Mean rounds of Model I for some numbers of messages, computed as a Markov chain.
///
/// # Errors
/// When results cannot be kept.
///
/// # Panics
/// When there is no collision, as with two nodes.
pub fn means(
    store: &mut Store,
    levels: u32,
    reading: Bins,
    messages: &[u64],
    watch: &mut dyn Watch,
) -> Result<Vec<f64>, Error> {
    let key = json!({
        "model": "I, mean",
        "nodes": 1u64 << levels,
        "bins": reading_name(reading),
        "messages": messages,
    });
    store.kept(&key, || {
        watch.begins(&format!(
            "Model I as a Markov chain, n = {}",
            1u64 << levels
        ));
        let bins = bins(levels, reading).expect("there are collisions");
        let most = messages.iter().copied().max().unwrap_or(1);
        let chain = ModelI::new(bins, most);
        Ok(messages.iter().map(|&m| chain.mean_rounds(m)).collect())
    })
}
