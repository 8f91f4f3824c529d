//! Reads of native code from the links of a group, found once when an engine is made.
//!
//! The code of a group has a region for each link, one for each second window, and one for
//! its patterns ([`joined`](crosswave_lanes::joined)). Which of the neighbours' planes these are, and
//! which links have to be put together before, does not change from cycle to cycle. [`Reads`]
//! has it in terms of the groups that drive the links, whichever these are, so that a network of
//! any size has as many lists as kinds of groups, and an edge finds its list in the nearest cache.

use std::collections::BTreeMap;

use super::plan::Plan;
use super::wiring::{Group, Terms, narrow};
use crosswave_lanes::joined::{Codes, GroupCode, scale};
use crosswave_lanes::native::SlicePlace;
use crosswave_lanes::windows::{Term, WindowPattern};

/// Source of a region of native code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Read {
    /// The group's own outputs.
    Own,
    /// Its pins.
    Pins,
    /// Random bits.
    Random,
    /// Planes of a neighbour.
    Planes {
        /// The neighbour's group, among the sources of the group that reads.
        source: u16,
        /// The word, counted from where the outputs of that group begin; from where those of its
        /// chunk begin where all its groups are one tile.
        base: u32,
    },
    /// The patterns of the windows that are put together.
    Patterns,
    /// The words of a link among the arrivals, where they have been put together.
    Arrived(u16),
    /// Zeros: nobody drives the link, or the code has fewer regions than others of the chunk.
    Open,
}

/// The regions that the code of a group reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct ReadList {
    /// The regions of the code that are read, in order.
    regions: Vec<Read>,
    /// The links that are put together before.
    put_together: Option<PutTogether>,
}

/// The links of a group that are put together before its code runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PutTogether {
    /// True when some of them shuffle.
    pub shuffles: bool,
    /// The others.
    pub gathered: Vec<u16>,
}

/// Read lists of all groups of a chunk.
#[derive(Debug, Clone, Default)]
pub struct Reads {
    lists: Vec<ReadList>,
    /// The number of each group's list.
    numbers: Vec<u32>,
}

/// Words from the outputs of a group of an array to those of the next, if each is a tile; 0 where
/// all are one.
pub fn group_words(plan: &Plan, tile_words: usize) -> usize {
    match plan.tile == plan.width {
        true => tile_words,
        false => 0,
    }
}

impl Reads {
    /// The reads of all groups of a chunk, whose links shuffle that `shuffled` has a bit for.
    /// `group_words` are those of each chunk.
    pub fn new(
        plan: &Plan,
        (terms, group_codes): (&Terms, &[GroupCode]),
        (codes, patterns): (&Codes, &[WindowPattern]),
        shuffled: impl Fn(usize) -> u32,
        group_words: &[usize],
    ) -> Reads {
        let mut found = BTreeMap::new();
        let mut made = Reads::default();
        for (group, &code) in group_codes.iter().enumerate() {
            let list = read(
                plan,
                (terms, group, code),
                (codes, patterns),
                shuffled(group),
                group_words,
            );
            let next = made.lists.len() as u32;
            let number = *found.entry(list).or_insert_with_key(|list| {
                made.lists.push(list.clone());
                next
            });
            made.numbers.push(number);
        }
        // All groups have as many, a number that a processor learns.
        let most = made.lists.iter().map(|list| list.regions.len()).max();
        for list in &mut made.lists {
            list.regions.resize(most.unwrap_or(0), Read::Open);
        }
        made
    }

    /// The regions that a group's code reads, in order.
    #[inline(always)]
    pub fn of(&self, group: usize) -> &[Read] {
        &self.lists[self.numbers[group] as usize].regions
    }

    /// The links that are put together before a group's code runs, if there are any.
    #[inline(always)]
    pub fn put_together(&self, group: usize) -> Option<&PutTogether> {
        let list = &self.lists[self.numbers[group] as usize];
        list.put_together.as_ref()
    }
}

/// Places, in the slices of the calls, that a group's code reads.
pub struct GroupPlaces<F> {
    /// Its own outputs.
    pub own: SlicePlace,
    /// Its pins.
    pub pins: SlicePlace,
    /// The patterns of its code.
    pub patterns: SlicePlace,
    /// The slice of zeros.
    pub zeros: u32,
    /// The slice of what arrives.
    pub arrived: u32,
    /// Words of a link among what arrives.
    pub link_words: usize,
    /// Links, behind which random bits arrive.
    pub links: usize,
    /// The place of a base in the outputs of a source.
    pub source: F,
}

impl<F: Fn(u16, u32) -> SlicePlace> GroupPlaces<F> {
    /// The place of a region.
    pub fn of(&self, read: Read) -> SlicePlace {
        let arrived = |link: usize| SlicePlace {
            slice: self.arrived,
            word: narrow(link * self.link_words),
        };
        match read {
            Read::Own => self.own,
            Read::Pins => self.pins,
            Read::Random => arrived(self.links),
            Read::Planes { source, base } => (self.source)(source, base),
            Read::Patterns => self.patterns,
            Read::Arrived(link) => arrived(link.into()),
            Read::Open => SlicePlace {
                slice: self.zeros,
                word: 0,
            },
        }
    }
}

/// Finds how a group is read; of its links that shuffle there is a bit in `shuffled`.
fn read(
    plan: &Plan,
    (terms, group, code): (&Terms, usize, GroupCode),
    (codes, patterns): (&Codes, &[WindowPattern]),
    shuffled: u32,
    group_words: &[usize],
) -> ReadList {
    let links = plan.link_inputs.len();
    let range = terms.source_starts[group] as usize..terms.source_starts[group + 1] as usize;
    let sources = &terms.sources[range];
    let window = |term: &Term| window(term, sources, group_words);
    let is_shuffled = |link: usize| shuffled >> link & 1 != 0;
    let mut reads = vec![Read::Own, Read::Pins, Read::Random];
    let (mut seconds, mut gathered) = (Vec::new(), Vec::new());
    if plan.together {
        gathered.extend(
            (0..links)
                .filter(|&link| !is_shuffled(link))
                .map(|link| link as u16),
        );
        reads.push(Read::Arrived(0));
    }
    let forms = &codes.variants()[code.variant as usize].forms;
    for (link, form) in forms.iter().enumerate() {
        let at = group * links + link;
        let is_list = terms.scattered.get(at).is_some_and(Option::is_some);
        let arrived = Read::Arrived(link as u16);
        let in_place = |term: &Term| {
            let is_read = scale(term, plan.width) == Some(form.scale);
            is_read && patterns[term.pattern as usize].is_in_place()
        };
        reads.push(match terms.of(at) {
            _ if is_shuffled(link) => arrived,
            [] if !is_list => Read::Open,
            [first, second] if form.join.is_some() => {
                seconds.push(window(second));
                window(first)
            }
            [term] if in_place(term) => window(term),
            _ => {
                gathered.push(link as u16);
                arrived
            }
        });
    }
    if !seconds.is_empty() {
        reads.extend(seconds);
        reads.push(Read::Patterns);
    }
    let shuffles = shuffled != 0;
    let is_needed = shuffles || !gathered.is_empty();
    ReadList {
        regions: reads,
        put_together: is_needed.then_some(PutTogether { shuffles, gathered }),
    }
}

fn window(term: &Term, sources: &[Group], group_words: &[usize]) -> Read {
    let source = sources[usize::from(term.source)];
    let before = source.group as usize * group_words[source.chunk as usize];
    Read::Planes {
        source: term.source,
        base: (term.base as usize - before) as u32,
    }
}
