//! Links of a group that shuffle: what is wanted of the neighbours' planes, asked of
//! [`shuffle::search`](crosswave_lanes::shuffle::search), and where their windows lie.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::{ChunkShape, Far, Group, GroupPort, Term, narrow};
use crosswave_lanes::shuffle::{FoundShuffle, LANES, Lane, PortLoad, PortRequest, Shuffle, search};
use crosswave_lanes::transpose::WORD_BITS;
use crosswave_network::Fabric;

/// The program for some links of a group, and the regions that it reads.
pub(super) struct Shuffled {
    pub(super) shuffle: Shuffle,
    /// The planes of groups, from the first on, without a pattern.
    pub(super) regions: Vec<Term>,
}

/// The most searches that are remembered: each is up to some 300 KiB.
const KNOWN_MAX: usize = 64;

/// So many groups of an array with links that no search serves, though these have to be gathered lane by lane
/// then, and no more is searched for it: long
/// wires that are numbered by what the geometry asks for have no order to be found, and a million
/// nodes have thousands of such groups.
const FAILED_MAX: usize = 32;

/// Results of searches: most groups of a network want what others do.
#[derive(Default)]
pub struct Searches {
    known: BTreeMap<Vec<PortRequest>, Option<FoundShuffle>>,
    /// By array, the searches that left out links that are gathered lane by lane.
    failed: BTreeMap<usize, usize>,
}

impl Searches {
    /// A shuffle of some links of an array; there is a bit in `many` for those that are gathered lane by lane
    /// without one.
    fn search(
        &mut self,
        array: usize,
        wanted: Vec<PortRequest>,
        many: u32,
    ) -> Option<FoundShuffle> {
        if let Some(found) = self.known.get(&wanted) {
            return found.clone();
        }
        let failed = self.failed.entry(array).or_default();
        if *failed == FAILED_MAX {
            return None;
        }
        let found = search(&wanted);
        let served = found.as_ref().map_or(0, |found| found.links);
        *failed += usize::from(many & !served != 0);
        if self.known.len() < KNOWN_MAX {
            self.known.insert(wanted, found.clone());
        }
        found
    }
}

/// A window of a neighbours' port: chunk, first word there, link, and the steps by which the byte is
/// turned on its way.
type Window = (usize, usize, usize, u8);

/// The windows that a group's links come from, numbered as they are met.
#[derive(Default)]
struct Windows {
    numbers: BTreeMap<Window, u32>,
    of: Vec<(Window, Group)>,
}

impl Windows {
    /// The lane of a window from which a lane of a vector of `words` words comes; windows do not
    /// reach beyond the neighbours' group.
    fn lane(&mut self, far: &Far, chunks: &[ChunkShape], words: usize) -> Lane {
        let word = far.word % words.min(chunks[far.chunk].width);
        let window = (far.chunk, far.word - word, far.link, far.steps);
        let window = *self.numbers.entry(window).or_insert_with(|| {
            self.of.push((window, far.group));
            narrow(self.of.len() - 1)
        });
        Lane {
            window,
            lane: narrow(word * LANES + far.bit),
        }
    }
}

/// A shuffle for those of some links of a group that have one; `many` are gathered lane by lane
/// without it. None where links are wider than what
/// may be scattered instead.
pub(super) fn shuffled(
    (fabric, chunks, link_bits): (&Fabric, &[ChunkShape], usize),
    (chunk, group): (&ChunkShape, usize),
    (links, many): (&[usize], &[usize]),
    sources: &mut SmallVec<[Group; 8]>,
    searches: &mut Searches,
) -> Option<Shuffled> {
    if links.is_empty() || link_bits > WORD_BITS {
        return None;
    }
    let mut windows = Windows::default();
    let wanted = links.iter().map(|&link| {
        let place = GroupPort { chunk, group, link };
        let lane = |at: usize| {
            let far = place.far(fabric, chunks, at / LANES, at % LANES)?;
            Some(windows.lane(&far, chunks, chunk.width))
        };
        PortRequest {
            link: narrow(link),
            lanes: (0..chunk.width * LANES).map(lane).collect(),
        }
    });
    let wanted = wanted.collect();
    let many = many.iter().fold(0, |many, link| many | 1 << link);
    let found = searches.search(chunk.array, wanted, many)?;
    let mut read: Vec<Group> = Vec::new();
    let mut regions = Vec::new();
    let shuffle = found.shuffle(|window| {
        let ((chunk, word, link, turned), group) = windows.of[window as usize];
        let ChunkShape { layout, width, .. } = &chunks[chunk];
        let first = layout.address(0, group.group as usize * width);
        let region = read.iter().position(|read| *read == group);
        let region = region.unwrap_or_else(|| {
            let source = sources.iter().position(|source| *source == group);
            let source = source.unwrap_or_else(|| {
                sources.push(group);
                sources.len() - 1
            });
            regions.push(Term {
                source: narrow(source),
                stride: narrow(layout.tile),
                pattern: 0,
                base: narrow(first),
            });
            read.push(group);
            read.len() - 1
        });
        PortLoad {
            region: narrow(region),
            base: narrow(layout.address(link * link_bits, word) - first),
            stride: narrow(layout.tile),
            turned,
        }
    });
    Some(Shuffled { shuffle, regions })
}
