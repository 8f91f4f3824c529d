//! Mutations that keep the form of an input: its nesting, its columns, its lengths and digests, its
//! compression. One mutation of four is a plain one of bytes, so that damage of the form is tried as well.
//!
//! | module | changes |
//! |---|---|
//! | `json` | nodes of a tree: netlists, kept points, coverage |
//! | `keys` | keys, values and tables of TOML |
//! | `columns` | cells and lines of tables and other text of lines |
//! | `sealed` | states in checkpoints, and results of points, whose digests are made anew |
//! | `packed` | what gzip has compressed; sections of FST |

mod columns;
mod json;
mod keys;
mod packed;
mod sealed;

use libfuzzer_sys::fuzzer_mutate;

/// A mutator: the input at the beginning of a buffer, its length, the longest it may become, and a seed. The
/// result is the new length.
pub type Mutator = fn(&mut [u8], usize, usize, u32) -> usize;

/// A mutation of an input; `None` if the input has not the form.
type Mutation = fn(&[u8], &mut Random) -> Option<Vec<u8>>;

/// Random numbers of one mutation (xorshift).
struct Random(u64);

impl Random {
    fn new(seed: u32) -> Random {
        let mut random = Random(u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            random.word();
        }
        random
    }

    fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below another one, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        (self.word() >> 11) as usize % end
    }

    /// One of several; `None` of none.
    fn of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        match all.len() {
            0 => None,
            count => all.get(self.below(count)),
        }
    }
}

/// Numbers at which something begins or ends, as text.
const NUMBERS: [&str; 26] = [
    "0",
    "1",
    "2",
    "3",
    "4",
    "7",
    "8",
    "15",
    "16",
    "31",
    "32",
    "63",
    "64",
    "-1",
    "0.5",
    "1e9",
    "255",
    "65535",
    "65536",
    "1000000",
    "2147483647",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
];

/// Bytes after a plain mutation.
fn plain(bytes: &[u8]) -> Vec<u8> {
    let most = bytes.len() * 2 + 64;
    let mut changed = bytes.to_vec();
    changed.resize(most, 0);
    let length = fuzzer_mutate(&mut changed, bytes.len(), most);
    changed.truncate(length);
    changed
}

fn mutated(data: &mut [u8], size: usize, most: usize, seed: u32, by: Mutation) -> usize {
    let mut random = Random::new(seed);
    if random.below(4) > 0
        && let Some(changed) = by(&data[..size], &mut random)
        && changed.len() <= most
    {
        data[..changed.len()].copy_from_slice(&changed);
        return changed.len();
    }
    fuzzer_mutate(data, size, most)
}

macro_rules! mutators {
    ($($(#[$about:meta])* $name:ident = $by:path;)*) => {
        $(
            $(#[$about])*
            pub fn $name(data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
                mutated(data, size, most, seed, $by)
            }
        )*
    };
}

mutators! {
    /// Configurations and their overrides.
    config = keys::configuration;
    /// Component files.
    component = keys::component;
    /// Netlists and coverage.
    json = json::document;
    /// Traces, matrices, schedules, routing tables, stimuli.
    columns = columns::table;
    /// Lists of routers and links, subnets, VCD, conditions: words in lines.
    words = columns::words;
    /// Compressed waveforms.
    gzip = packed::gzip;
    /// FST.
    fst = packed::fst;
    /// Checkpoints of runs.
    checkpoint = sealed::checkpoint;
    /// Checkpoints of netlists.
    saved_run = sealed::saved_run;
    /// Kept points.
    point = sealed::point;
}
