#![no_main]

use crosswave_fuzz::{mutators, readers};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(|data: &[u8]| readers::designs::condition(data));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutators::words(data, size, max_size, seed)
});
