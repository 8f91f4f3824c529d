//! Links of a group that shuffle: what is wanted of the neighbours' planes, asked of
//! [`shuffle::search`](super::super::shuffle::search), and where their ports lie.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::super::shuffle::{BITS_MAX, Lane, Load, Plane, Shuffle, Wanted, search};
use super::{ChunkShape, Far, Group, GroupPort, Term, narrow};
use crate::network::Fabric;

/// The program for some links of a group, and the neighbours' ports that it loads.
pub(super) struct Shuffled {
    pub(super) shuffle: Shuffle,
    /// Windows of a group, without a pattern.
    pub(super) loads: Vec<Term>,
}

/// A link port of a group: chunk, first word there, link, and the steps by which the byte is turned
/// on its way.
type Port = (usize, usize, usize, u8);

/// The ports that a group's links come from, numbered as they are met.
#[derive(Default)]
struct Ports {
    numbers: BTreeMap<Port, u32>,
    of: Vec<(Port, Group)>,
}

impl Ports {
    fn plane(&mut self, far: &Far, width: usize) -> Plane {
        let word = far.word % width;
        let port = (far.chunk, far.word - word, far.link, far.steps);
        let number = *self.numbers.entry(port).or_insert_with(|| {
            self.of.push((port, far.group));
            narrow(self.of.len() - 1)
        });
        Plane {
            port: number,
            word: narrow(word),
        }
    }

    /// How a port is loaded.
    fn load(&self, number: u32, chunks: &[ChunkShape]) -> Load {
        let ((chunk, _, _, turned), _) = self.of[number as usize];
        Load {
            words: narrow(chunks[chunk].width),
            turned,
        }
    }

    /// Where a port's planes lie, for a group that `sources` drive.
    fn term(
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
    let mut ports = Ports::default();
    let mut all = Vec::new();
    for word in 0..chunk.width {
        for &link in links {
            let place = GroupPort { chunk, group, link };
            let lane = |bit| {
                let far = place.far(fabric, chunks, word, bit)?;
                Some(Lane {
                    plane: ports.plane(&far, chunks[far.chunk].width),
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
    let found = search(&all, |port| ports.load(port, chunks))?;
    let term = |&port: &u32| ports.term(port, chunks, link_bits, sources);
    let loads = found.ports.iter().map(term).collect();
    Some(Shuffled {
        shuffle: found.shuffle,
        loads,
    })
}
