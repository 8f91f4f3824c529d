//! The words of neighbours that arrive at link ports.
//!
//! The instances of a word have their neighbours in one word or a few. Each of these is a *term*: an
//! address, a number of bits to turn the word to the left, and the lanes that are kept. A link port has
//! as many terms in all its words.

use smallvec::SmallVec;

use crate::plan::{LANES, Plans};
use crosswave_network::{Fabric, LinkPort, OPEN};

/// One of the words that make up what arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Term {
    address: u32,
    /// Bits to turn to the left.
    turn: u32,
    /// Steps by which wiring rotates the byte of a link's word.
    steps: u32,
    lanes: u32,
}

/// Words for each term of a link port that is not plain.
pub const FIELDS: usize = 3;

/// The terms of a link port of an array, in all its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTerms {
    /// The first word in the table.
    pub first: usize,
    /// Number of terms of each word.
    pub terms: usize,
    /// True when there is one term of each word, of which all is kept as it is: only the address stands
    /// in the table.
    pub plain: bool,
    /// True when some wiring rotates bytes.
    pub rotated: bool,
}

/// The table of all arrays' link ports.
#[derive(Debug, Default)]
pub struct Links {
    /// The terms, link by link: for each term the addresses of all words, what to turn them by (and in
    /// bits 8 and 9 the steps of rotation), and the lanes.
    pub table: Vec<u32>,
    /// By array and link port.
    pub of: Vec<Vec<LinkTerms>>,
}

impl Links {
    /// The links of a fabric.
    pub fn new(fabric: &Fabric, plans: &Plans) -> Links {
        let mut links = Links::default();
        for (array, layout) in fabric.arrays.iter().enumerate() {
            let of = (0..layout.chip.links.len())
                .map(|link| links.add(fabric, plans, array, link))
                .collect();
            links.of.push(of);
        }
        // A buffer is never empty.
        links.table.push(0);
        links
    }

    fn add(&mut self, fabric: &Fabric, plans: &Plans, array: usize, link: usize) -> LinkTerms {
        let words = plans.arrays[array].driven.words;
        let found: Vec<SmallVec<[Term; 2]>> = (0..words)
            .map(|word| terms(fabric, plans, (array, link), word))
            .collect();
        let count = found
            .iter()
            .map(|terms| terms.len())
            .max()
            .unwrap_or(0)
            .max(1);
        let all = || found.iter().flatten();
        let is_whole = |terms: &SmallVec<[Term; 2]>| match terms[..] {
            [] => true,
            [term] => term.lanes == u32::MAX && term.turn == 0 && term.steps == 0,
            _ => false,
        };
        let plain = found.iter().all(is_whole);
        let of = LinkTerms {
            first: self.table.len(),
            terms: count,
            plain,
            rotated: all().any(|term| term.steps != 0),
        };
        let nothing = Term {
            address: plans.zeros as u32,
            turn: 0,
            steps: 0,
            lanes: 0,
        };
        for number in 0..count {
            let of_word = |terms: &SmallVec<[Term; 2]>| *terms.get(number).unwrap_or(&nothing);
            self.table
                .extend(found.iter().map(|terms| of_word(terms).address));
            if !plain {
                let turns = found.iter().map(of_word);
                self.table
                    .extend(turns.map(|term| term.turn | term.steps << 8));
                self.table
                    .extend(found.iter().map(|terms| of_word(terms).lanes));
            }
        }
        of
    }
}

/// The terms of one word of a link port.
fn terms(
    fabric: &Fabric,
    plans: &Plans,
    (array, link): (usize, usize),
    word: usize,
) -> SmallVec<[Term; 2]> {
    let mut terms: SmallVec<[Term; 2]> = SmallVec::new();
    let instances = fabric.arrays[array].instances;
    let first = word * LANES;
    let count = instances.saturating_sub(first).min(LANES);
    for lane in 0..count {
        let near = LinkPort {
            array,
            instance: first + lane,
            link,
        };
        let number = fabric.number(near);
        let far = match fabric.peers[number as usize] {
            OPEN => continue,
            far => fabric.link_port(far),
        };
        let plane = far.link * plans.link_bits;
        let region = &plans.arrays[far.array].driven;
        let address = region.address(plane, far.instance / LANES) as u32;
        let turn = ((lane + LANES - far.instance % LANES) % LANES) as u32;
        let steps = u32::from(fabric.rotation(number));
        let same =
            |term: &&mut Term| (term.address, term.turn, term.steps) == (address, turn, steps);
        match terms.iter_mut().find(same) {
            Some(term) => term.lanes |= 1 << lane,
            None => terms.push(Term {
                address,
                turn,
                steps,
                lanes: 1 << lane,
            }),
        }
    }
    // Nobody reads lanes without an instance, so they may get anything.
    if let ([term], true) = (&mut terms[..], count > 0) {
        let lanes = (u64::from(u32::MAX) >> (LANES - count)) as u32;
        if term.lanes == lanes {
            term.lanes = u32::MAX;
        }
    }
    terms
}
