//! Links of a group that shuffle: what is wanted of the neighbours' planes, asked of
//! [`shuffle::search`](super::super::shuffle::search), and where these planes lie.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::super::shuffle::{BITS_MAX, Lane, Shuffle, Wanted, search};
use super::{ChunkShape, Far, Group, GroupPort, Term, narrow};
use crate::network::Fabric;

/// The program for some links of a group, and the planes that it loads.
pub(super) struct Shuffled {
    pub(super) shuffle: Shuffle,
    /// Windows of one word, without a pattern.
    pub(super) loads: Vec<Term>,
}

/// A word of a link port's planes: chunk, word there, link, and the steps by which the byte is
/// turned on its way.
type Plane = (usize, usize, usize, u8);

/// The planes that a group's links come from, numbered as they are met.
#[derive(Default)]
struct Planes {
    numbers: BTreeMap<Plane, u32>,
    of: Vec<(Plane, Group)>,
}

impl Planes {
    fn number(&mut self, far: &Far) -> u32 {
        let plane = (far.chunk, far.word, far.link, far.steps);
        *self.numbers.entry(plane).or_insert_with(|| {
            self.of.push((plane, far.group));
            narrow(self.of.len() - 1)
        })
    }

    /// Where a plane lies, for a group that `sources` drive.
    fn load(
        &self,
        number: u32,
        chunks: &[ChunkShape],
        link_bits: usize,
        sources: &mut SmallVec<[Group; 8]>,
    ) -> Term {
        let ((chunk, word, link, _), group) = self.of[number as usize];
        let layout = &chunks[chunk].layout;
        let source = sources.iter().position(|source| *source == group);
        let source = source.unwrap_or_else(|| {
            sources.push(group);
            sources.len() - 1
        });
        Term {
            source: narrow(source),
            stride: narrow(layout.tile),
            pattern: 0,
            base: narrow(layout.address(link * link_bits, word)),
        }
    }
}

/// A shuffle for those of some links of a group that have one; none where links are wider than
/// its values.
pub(super) fn shuffled(
    (fabric, chunks, link_bits): (&Fabric, &[ChunkShape], usize),
    (chunk, group): (&ChunkShape, usize),
    links: &[usize],
    sources: &mut SmallVec<[Group; 8]>,
) -> Option<Shuffled> {
    if links.is_empty() || link_bits > BITS_MAX {
        return None;
    }
    let mut planes = Planes::default();
    let mut all = Vec::new();
    for word in 0..chunk.width {
        for &link in links {
            let place = GroupPort { chunk, group, link };
            let lane = |bit| {
                let far = place.far(fabric, chunks, word, bit)?;
                Some(Lane {
                    plane: planes.number(&far),
                    lane: narrow(far.bit),
                })
            };
            all.push(Wanted {
                link: narrow(link),
                word: narrow(word),
                lanes: std::array::from_fn(lane),
            });
        }
    }
    let found = search(&all, |plane| planes.of[plane as usize].0.3)?;
    let load = |&plane: &u32| planes.load(plane, chunks, link_bits, sources);
    let loads = found.planes.iter().map(load).collect();
    Some(Shuffled {
        shuffle: found.shuffle,
        loads,
    })
}
