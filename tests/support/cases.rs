//! Random cases that are the same ones in every run, as those of the library's own tests
//! are (`crates/testing/src/lib.rs`). `soak.sh` asks for more of them.

use proptest::test_runner::{Config, RngSeed, TestRunner};

/// The seed of all random cases.
const SEED: u64 = 7;

/// A runner of so many cases; the first ones are the same for every number of them.
pub fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config {
        cases,
        rng_seed: RngSeed::Fixed(SEED),
        failure_persistence: None,
        ..Config::default()
    })
}
