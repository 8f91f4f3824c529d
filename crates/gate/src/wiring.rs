//! Wiring between arrays, compiled into moves of words.
//!
//! What arrives at a link port of a group of instances (one lane word) is put
//! together from *terms*. A term reads a window of consecutive words where the
//! neighbours' planes lie, rotates each word by its own number of bits, and
//! keeps the lanes of a mask. When a lane word's neighbours are a lane word in
//! the same order, the one term is a plain move, or no move at all where the
//! kernel reads the planes in place; where a fat tree's wiring exchanges bits
//! inside words there are two. All signals of a link go the same way, so terms
//! hold for each of them; where wiring rotates bytes, each reads the plane of
//! another bit.
//!
//! Links that exchange bits of ports and lanes would take up to one term a lane. Where
//! there are more than [`TERMS_MAX`], and a [`shuffle`](crosswave_lanes::shuffle) is found, those of a
//! group are put together by it; in arrays of at most [`SHUFFLED_MAX`] instances, so are links
//! of fewer terms, if they are more than the code of the chip reads by itself and the shuffle is short.
//! Links of more terms without a shuffle are *scattered*: what drives them
//! is also kept as words, one of 16 bits for each instance and link
//! port ([`transpose`](crosswave_lanes::transpose)), and a list says where each lane's
//! word lies. Links of more than 16 bits are never scattered. A term costs some four instructions a signal and lane word; a
//! scattered link some three a lane, and the transposition of what arrives and
//! of what leaves.

mod scattered;
mod shuffled;

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::layout::PlaneLayout;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_lanes::shuffle::{MOVES_MAX, Shuffle};
use crosswave_lanes::transpose::WORD_BITS;
use crosswave_lanes::windows::{Term, WindowPattern};
use crosswave_network::{Fabric, OPEN};
use shuffled::{Shuffled, shuffled};

pub use scattered::{Blocks, LinkWords, List};
pub use shuffled::Searches;

/// A group of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Chunk: that of thread `t` and array `a` is `t * arrays + a`.
    pub chunk: u32,
    /// Group in it.
    pub group: u32,
}

/// Terms from which a link is better shuffled or scattered: 512 lanes at three
/// instructions against eleven signals at four.
pub const TERMS_MAX: usize = 24;

/// The most instances of an array whose links are shuffled even where windows would do: machine code
/// moves these faster, but each group has to be searched, and each of as many groups as there are here can
/// have code of its own.
pub const SHUFFLED_MAX: usize = 1 << 15;

/// The most moves for a window that a shuffle makes unnecessary. In a fat tree of 64 nodes, with two moves
/// for one, the engine is 1.4 times as fast with shuffles.
const MOVES_FOR_A_WINDOW: usize = 3;

/// A number in a narrower field. Wiring has millions of them, and none may lose bits.
///
/// # Panics
/// When it does not fit; fabrics and threads are too few for that.
pub(super) fn narrow<T: TryFrom<usize>>(number: usize) -> T {
    let narrowed = T::try_from(number).ok();
    narrowed.expect("a number that fits its field")
}

/// The terms of one chunk: those of group `g` and link `l` are
/// `terms[starts[g * links + l] .. starts[g * links + l + 1]]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// All terms.
    pub terms: Vec<Term>,
    /// The index of the first term of each group and link, and the end.
    pub starts: Vec<u32>,
    /// For each group and link, the number of its list of words, if scattered;
    /// empty when no link is.
    pub scattered: Vec<Option<u32>>,
    /// The lists of scattered links.
    pub lists: Vec<List>,
    /// For each group, the number of its shuffle among [`Wiring::shuffles`], if some of its
    /// links have one; empty when none have.
    pub shuffled: Vec<Option<u32>>,
    /// The regions that shuffles read: the planes of groups, from the first on, without a pattern;
    /// those of group `g` are `regions[region_starts[g] .. region_starts[g + 1]]`.
    pub regions: Vec<Term>,
    /// The index of each group's first region.
    pub region_starts: Vec<u32>,
    /// The groups that drive a group's links; those of group `g` are
    /// `sources[source_starts[g] .. source_starts[g + 1]]`.
    pub sources: Vec<Group>,
    /// The index of each group's first source.
    pub source_starts: Vec<u32>,
}

impl Terms {
    /// The terms of the group and link of number `at`.
    #[inline(always)]
    pub fn of(&self, at: usize) -> &[Term] {
        &self.terms[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// The groups that drive the links of a group.
    #[inline(always)]
    pub fn sources(&self, group: usize) -> &[Group] {
        let Terms {
            sources,
            source_starts,
            ..
        } = self;
        &sources[source_starts[group] as usize..source_starts[group + 1] as usize]
    }
}

/// The wiring of all chunks, and the patterns they share.
#[derive(Debug, Clone, Default)]
pub struct Wiring {
    /// Terms by chunk.
    pub chunks: Vec<Terms>,
    /// Patterns.
    pub patterns: Vec<WindowPattern>,
    /// Programs of links that shuffle.
    pub shuffles: Vec<Shuffle>,
    /// The words of scattered links.
    pub words: LinkWords,
}

/// A term under construction.
struct Draft {
    chunk: usize,
    group: Group,
    link: usize,
    base: i64,
    set: [bool; 8],
    rotate: [u64; 8],
    mask: [u64; 8],
    steps: u8,
}

impl Draft {
    /// True when no word has anything to rotate.
    fn is_straight(&self) -> bool {
        self.rotate == [0; 8]
    }

    /// True when, besides, all lanes of `width` words are kept.
    fn is_plain(&self, width: usize) -> bool {
        self.is_straight() && self.mask[..width].iter().all(|&mask| mask == u64::MAX)
    }
}

/// A chunk as the compiler sees it.
pub struct ChunkShape {
    /// Array.
    pub array: usize,
    /// Layout of the output planes.
    pub layout: PlaneLayout,
    /// Words evaluated at a time.
    pub width: usize,
    /// Up to how many windows of a link are not shuffled in small arrays.
    pub windows_kept: usize,
}

impl Wiring {
    /// Compiles the links of a fabric for chunks that together hold all arrays:
    /// chunk `t * arrays + a` is thread `t`'s of array `a`. A link's word has
    /// `link_bits` planes.
    ///
    /// # Errors
    /// When there are too many threads and links to number all words.
    pub fn compile(
        fabric: &Fabric,
        chunks: &[ChunkShape],
        link_bits: usize,
    ) -> Result<Wiring, Error> {
        let arrays = fabric.arrays.len();
        let threads = chunks.len() / arrays;
        let words = LinkWords::new(fabric, chunks, threads);
        let words = words.ok_or_else(|| too_many(threads, fabric.peers.len()))?;
        let mut compiler = Compiler {
            fabric,
            chunks,
            link_bits,
            patterns: BTreeMap::new(),
            shuffles: BTreeMap::new(),
            searches: Searches::default(),
            wiring: Wiring {
                words,
                ..Wiring::default()
            },
        };
        for chunk in chunks {
            let terms = compiler.terms(chunk);
            compiler.wiring.chunks.push(terms);
        }
        Ok(compiler.finish())
    }
}

/// Wiring while it is compiled.
struct Compiler<'a> {
    fabric: &'a Fabric,
    chunks: &'a [ChunkShape],
    /// Planes of a link's word.
    link_bits: usize,
    /// The patterns so far, numbered in the order in which they were met.
    patterns: BTreeMap<WindowPattern, u32>,
    /// The shuffles, likewise.
    shuffles: BTreeMap<Shuffle, u32>,
    searches: Searches,
    wiring: Wiring,
}

impl Compiler<'_> {
    /// The terms of a chunk.
    fn terms(&mut self, chunk: &ChunkShape) -> Terms {
        let links = self.fabric.arrays[chunk.array].chip.links.len();
        let mut terms = Terms {
            starts: vec![0],
            source_starts: vec![0],
            region_starts: vec![0],
            ..Terms::default()
        };
        let groups = chunk.layout.words.clone().step_by(chunk.width);
        for (number, group) in groups.enumerate() {
            let mut sources: SmallVec<[Group; 8]> = SmallVec::new();
            let at = (self.fabric, self.chunks, self.link_bits);
            let made = bring(at, (chunk, group), &mut sources, &mut self.searches);
            if let Some(Shuffled { shuffle, regions }) = made.shuffled {
                terms.shuffled.resize(number, None);
                terms.shuffled.push(Some(self.shuffle(shuffle)));
                terms.regions.extend(regions);
            }
            terms.region_starts.push(narrow(terms.regions.len()));
            for (link, brought) in made.links.into_iter().enumerate() {
                let place = GroupPort { chunk, group, link };
                self.link(place, brought, &mut sources, &mut terms);
            }
            terms.sources.extend(sources);
            terms.source_starts.push(narrow(terms.sources.len()));
        }
        if !terms.scattered.is_empty() {
            terms.scattered.resize(terms.starts.len() - 1, None);
        }
        if !terms.shuffled.is_empty() {
            terms.shuffled.resize(terms.region_starts.len() - 1, None);
        }
        debug_assert_eq!(
            terms.starts.len() - 1,
            links * (terms.region_starts.len() - 1)
        );
        terms
    }

    /// The number of a shuffle.
    fn shuffle(&mut self, shuffle: Shuffle) -> u32 {
        let next = narrow(self.shuffles.len());
        *self.shuffles.entry(shuffle).or_insert(next)
    }

    /// Adds what a link brings to a group: terms, or a list; nothing if it is shuffled.
    fn link(
        &mut self,
        place: GroupPort,
        brought: Brought,
        sources: &mut SmallVec<[Group; 8]>,
        terms: &mut Terms,
    ) {
        match brought {
            Brought::Terms(drafts) => {
                for draft in drafts {
                    let term = self.term(draft, place.chunk.width, sources);
                    terms.terms.push(term);
                }
            }
            Brought::Shuffled => {}
            Brought::Scattered => {
                let at = terms.starts.len() - 1;
                terms.scattered.resize(at, None);
                terms.scattered.push(Some(narrow(terms.lists.len())));
                let words = &mut self.wiring.words;
                let list = words.list(self.fabric, self.chunks, place, sources);
                terms.lists.push(list);
            }
        }
        terms.starts.push(narrow(terms.terms.len()));
    }

    /// The term of a draft for a group of `width` words that `sources` drive.
    fn term(&mut self, draft: Draft, width: usize, sources: &[Group]) -> Term {
        let pattern = WindowPattern {
            straight: draft.is_straight(),
            plain: draft.is_plain(width),
            rotate: draft.rotate,
            mask: draft.mask,
            steps: draft.steps,
        };
        let next = narrow(self.patterns.len());
        let source = &self.chunks[draft.chunk].layout;
        let first = draft.base + (draft.link * self.link_bits * source.tile) as i64;
        let of = |source: &Group| *source == draft.group;
        let place = sources.iter().position(of).expect("it is a source");
        Term {
            source: narrow(place),
            stride: narrow(source.tile),
            pattern: *self.patterns.entry(pattern).or_insert(next),
            base: u32::try_from(first).expect("windows stay inside the pad"),
        }
    }

    /// The wiring, with its patterns by number.
    fn finish(self) -> Wiring {
        Wiring {
            patterns: by_number(self.patterns),
            shuffles: by_number(self.shuffles),
            ..self.wiring
        }
    }
}

/// Things in the order of their numbers.
fn by_number<T>(numbers: BTreeMap<T, u32>) -> Vec<T> {
    let mut things: Vec<(T, u32)> = numbers.into_iter().collect();
    things.sort_unstable_by_key(|(_, number)| *number);
    things.into_iter().map(|(thing, _)| thing).collect()
}

/// Preparation of the words that a link brings to a group.
enum Brought {
    Terms(Vec<Draft>),
    Shuffled,
    Scattered,
}

/// The words that all links bring to a group.
struct GroupLinks {
    links: Vec<Brought>,
    /// The shuffle of those links that have one.
    shuffled: Option<Shuffled>,
}

/// Finds what all links bring to a group.
fn bring(
    at: (&Fabric, &[ChunkShape], usize),
    (chunk, group): (&ChunkShape, usize),
    sources: &mut SmallVec<[Group; 8]>,
    searches: &mut Searches,
) -> GroupLinks {
    let (fabric, chunks, _) = at;
    let count = fabric.arrays[chunk.array].chip.links.len();
    let drafts = (0..count).map(|link| {
        let place = GroupPort { chunk, group, link };
        drafts(fabric, chunks, place, sources)
    });
    let drafts: Vec<Option<Vec<Draft>>> = drafts.collect();
    // Links that have to be moved one by one if they are not shuffled, and then all that may be shuffled.
    let many: Vec<usize> = (0..count).filter(|&link| drafts[link].is_none()).collect();
    let is_small = fabric.arrays[chunk.array].instances <= SHUFFLED_MAX;
    let is_moved = |&link: &usize| {
        let windows = drafts[link].as_ref();
        windows.is_none_or(|windows| is_small && windows.len() > chunk.windows_kept)
    };
    let moved: Vec<usize> = (0..count).filter(is_moved).collect();
    let windows = moved.iter().filter_map(|&link| drafts[link].as_ref());
    let windows: usize = windows.map(Vec::len).sum();
    let moves_max = MOVES_FOR_A_WINDOW * windows + MOVES_MAX * many.len();
    let place = (chunk, group);
    let all = shuffled(at, place, (&moved, &many), sources, searches);
    let shuffled = match all.filter(|all| all.shuffle.moves() <= moves_max) {
        Some(all) => Some(all),
        None if moved.len() > many.len() => shuffled(at, place, (&many, &many), sources, searches),
        None => None,
    };
    let shuffles = shuffled.as_ref().map_or(0, |found| found.shuffle.links);
    let links = drafts.into_iter().enumerate();
    let links = links.map(|(link, drafts)| match drafts {
        _ if shuffles >> link & 1 != 0 => Brought::Shuffled,
        Some(drafts) => Brought::Terms(drafts),
        None => Brought::Scattered,
    });
    GroupLinks {
        links: links.collect(),
        shuffled,
    }
}

/// The error that links cannot be numbered.
fn too_many(threads: usize, link_ports: usize) -> Error {
    Error::one(
        Class::Usage,
        "gate engine",
        Diagnostic::new(
            "threads",
            format!(
                "the places of {link_ports} link ports in the memory of {threads} threads are \
                 more than 2^32, which the gate engine cannot number"
            ),
            "take fewer threads, or a smaller network",
        ),
    )
}

/// A link port of the group of a chunk that begins at word `group` of the array.
#[derive(Clone, Copy)]
struct GroupPort<'a> {
    chunk: &'a ChunkShape,
    group: usize,
    link: usize,
}

/// The far end of a lane's link.
struct Far {
    chunk: usize,
    link: usize,
    /// Word in that chunk.
    word: usize,
    /// Lane of that word.
    bit: usize,
    group: Group,
    /// Steps by which wiring rotates its byte on the way here.
    steps: u8,
    /// Number of lanes of both words, from these on, that are joined one after another alike.
    run: usize,
}

impl GroupPort<'_> {
    /// The far end of the link of lane `bit` of word `word`.
    fn far(self, fabric: &Fabric, chunks: &[ChunkShape], word: usize, bit: usize) -> Option<Far> {
        let array = &fabric.arrays[self.chunk.array];
        let instance = (self.group + word) * 64 + bit;
        if instance >= array.instances {
            return None;
        }
        let links = array.chip.links.len();
        let number = array.first_link as usize + instance * links + self.link;
        let first = fabric.peers[number];
        if first == OPEN {
            return None;
        }
        let peer = fabric.link_port(first);
        let arrays = fabric.arrays.len();
        let peer_word = peer.instance / 64;
        let chunk = (peer.array..chunks.len())
            .step_by(arrays)
            .find(|&c| chunks[c].layout.words.contains(&peer_word))
            .expect("the chunks hold all arrays");
        let word = peer_word - chunks[chunk].layout.words.start;
        let steps = fabric.rotation(number as u32);
        let far_array = &fabric.arrays[peer.array];
        let far_links = far_array.chip.links.len();
        let far_bit = peer.instance % 64;
        let most = (64 - bit.max(far_bit))
            .min(array.instances - instance)
            .min(far_array.instances - peer.instance);
        let alike = |lane: &usize| {
            let near = number + lane * links;
            fabric.peers[near] == first.wrapping_add((lane * far_links) as u32)
                && fabric.rotation(near as u32) == steps
        };
        Some(Far {
            chunk,
            link: peer.link,
            steps,
            run: 1 + (1..most).take_while(alike).count(),
            word,
            bit: far_bit,
            group: Group {
                chunk: narrow(chunk),
                group: narrow(word / chunks[chunk].width),
            },
        })
    }
}

/// Kind of preparation of the words that a link brings to a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// Nobody drives it.
    Open,
    /// It is one window, not moved: native code reads it in place.
    Plain,
    /// It is put together from this many windows.
    Joined(usize),
    /// It is shuffled, with this many moves of vectors.
    Shuffled(usize),
    /// It is gathered lane by lane.
    Scattered,
}

/// The preparation of each link's words for a group when every array is one chunk; a link's word
/// has `link_bits` planes. Where arrays are cut, a window that reaches across the cut becomes two.
pub fn arrivals(
    fabric: &Fabric,
    whole: &[ChunkShape],
    link_bits: usize,
    (array, group): (usize, usize),
    searches: &mut Searches,
) -> Vec<Arrival> {
    let chunk = &whole[array];
    let place = (chunk, group * chunk.width);
    let at = (fabric, whole, link_bits);
    let made = bring(at, place, &mut SmallVec::new(), searches);
    let moves = made.shuffled.map_or(0, |Shuffled { shuffle, .. }| {
        shuffle.moves() / shuffle.links.count_ones() as usize
    });
    let is_plain = |draft: &Draft| {
        whole[draft.chunk].layout.tile == chunk.width
            && draft.is_plain(chunk.width)
            && draft.steps == 0
    };
    let arrival = |brought: Brought| match brought {
        Brought::Scattered => Arrival::Scattered,
        Brought::Shuffled => Arrival::Shuffled(moves),
        Brought::Terms(drafts) => match &drafts[..] {
            [] => Arrival::Open,
            [draft] if is_plain(draft) => Arrival::Plain,
            drafts => Arrival::Joined(drafts.len()),
        },
    };
    made.links.into_iter().map(arrival).collect()
}

/// The terms of a link port of a group; `None` when there would be too many for a link that can
/// be scattered.
fn drafts(
    fabric: &Fabric,
    chunks: &[ChunkShape],
    place: GroupPort,
    sources: &mut SmallVec<[Group; 8]>,
) -> Option<Vec<Draft>> {
    let mut drafts: Vec<Draft> = Vec::new();
    let scatters = fabric.arrays[place.chunk.array].chip.link_bits() <= WORD_BITS as u32;
    for word in 0..place.chunk.width {
        let mut next = 0;
        while next < 64 {
            let bit = next;
            let Some(far) = place.far(fabric, chunks, word, bit) else {
                next += 1;
                continue;
            };
            next += far.run;
            let layout = &chunks[far.chunk].layout;
            let draft = Draft {
                chunk: far.chunk,
                group: far.group,
                link: far.link,
                base: layout.address(0, far.word) as i64 - word as i64,
                set: [false; 8],
                rotate: [0; 8],
                mask: [0; 8],
                steps: far.steps,
            };
            if sources.last() != Some(&far.group) && !sources.contains(&far.group) {
                sources.push(far.group);
            }
            let rotate = (bit as u64).wrapping_sub(far.bit as u64) & 63;
            let lanes = (u64::MAX >> (64 - far.run)) << bit;
            add(&mut drafts, draft, word, lanes, rotate);
            if drafts.len() > TERMS_MAX && scatters {
                return None;
            }
        }
    }
    Some(drafts)
}

/// Adds lanes of a word to the first draft that can take them, or to the empty one.
fn add(drafts: &mut Vec<Draft>, empty: Draft, word: usize, lanes: u64, rotate: u64) {
    let fits = |draft: &Draft| {
        draft.chunk == empty.chunk
            && draft.link == empty.link
            && draft.base == empty.base
            && draft.steps == empty.steps
            && (!draft.set[word] || draft.rotate[word] == rotate)
    };
    let index = match drafts.iter().position(fits) {
        Some(index) => index,
        None => {
            drafts.push(empty);
            drafts.len() - 1
        }
    };
    let draft = &mut drafts[index];
    draft.set[word] = true;
    draft.rotate[word] = rotate;
    draft.mask[word] |= lanes;
}
