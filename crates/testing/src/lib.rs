//! Support for tests: random cases that are the same ones in every run, so that a test which
//! passes keeps passing, and one that fails can be run again. `soak.sh` asks for more of
//! them.

use proptest::test_runner::{Config, RngSeed, TestRunner};

/// The seed of all random cases.
const SEED: u64 = 7;

/// So many cases, for `proptest!`.
pub fn config(cases: u32) -> Config {
    Config {
        cases,
        rng_seed: RngSeed::Fixed(SEED),
        failure_persistence: None,
        ..Config::default()
    }
}

/// A runner of so many cases; the first ones are the same for every number of them.
pub fn runner(cases: u32) -> TestRunner {
    TestRunner::new(config(cases))
}
