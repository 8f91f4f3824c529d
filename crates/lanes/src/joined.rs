//! Links that native code puts together itself.
//!
//! What a link brings to a group is mostly one window of its neighbours' planes, read where
//! it lies, or two: wiring that exchanges a bit of the instances' numbers with a bit of the
//! port's, as fat trees and butterflies have it, brings half of the lanes from one port and
//! half, rotated, from another. Putting these together first would write planes and read
//! them again; here the code of a chip does it as it reads them, with two instructions and
//! two reads a plane.
//!
//! How a group's links are read is their [`LinkForm`]s. Forms say nothing of lanes, masks or
//! rotations, which lie in a table of patterns; so a fat tree of any size has a handful of
//! lists of forms, and a chip one piece of machine code for each ([`Codes`]).
//!
//! Regions of the code of a chip with `L` links, of which `J` are put together:
//!
//! | region | holds |
//! |---|---|
//! | [`REGION_LINKS`] + link | what the link brings, or the first window |
//! | `REGION_LINKS + L + j` | the second window of the `j`-th link that has one |
//! | `REGION_LINKS + L + J` | patterns: four planes for each of these, [`WindowPattern`]s as planes |

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use smallvec::SmallVec;

use super::native::{Counts, Isa, Native, NativeOptions, REGIONS_MAX, Unavailable};
use super::planes::Planes;
use super::straight::{LeafJoin, Location, Rotation, StraightLine};
use super::windows::{Term, WindowPattern};

/// First region of the link ports of native code; the only one when what all of them bring is put
/// together in one.
pub const REGION_LINKS: u8 = 5;

/// Planes of a link's pattern: bits to the left, 64 less these, the lanes of the first
/// window, and those of the second.
const PATTERN_PLANES: usize = 4;

/// Form of a link: the layout in which native code reads what the link brings to a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkForm {
    /// Lane words from one plane to the next.
    pub scale: u16,
    /// The join of two windows; `None` where there is one plane to read, or what is read has been
    /// put together before.
    pub join: Option<JoinForm>,
}

/// Form of the join of two windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct JoinForm {
    /// True when the second window is rotated.
    pub rotates: bool,
    /// True when together they leave lanes out.
    pub has_gaps: bool,
}

impl LinkForm {
    /// Planes one after another.
    pub const PLAIN: LinkForm = LinkForm {
        scale: 1,
        join: None,
    };
}

/// The forms of a group's links.
pub type Forms = SmallVec<[LinkForm; 8]>;

/// The code that a group takes, and its patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct GroupCode {
    /// Number of the code.
    pub variant: u32,
    /// Start of its patterns, in words.
    pub patterns: u32,
}

/// A piece of code and the forms that it is for.
#[derive(Debug, Clone)]
pub struct Variant {
    /// The forms.
    pub forms: Forms,
    /// The code.
    pub native: Native,
}

/// The machine code of a chip: one piece for each list of forms in its array.
#[derive(Debug, Clone)]
pub struct Codes {
    program: StraightLine,
    options: NativeOptions,
    links: usize,
    variants: Vec<Variant>,
    numbers: BTreeMap<Forms, u32>,
    patterns: Patterns,
    /// The code that copies of this made for their arrays.
    made: Arc<Mutex<BTreeMap<Forms, Native>>>,
}

/// Patterns of groups, as planes of lane words; equal ones are one.
#[derive(Debug, Clone)]
struct Patterns {
    planes: Planes,
    /// The numbers of the windows' patterns, and where each list of these begins.
    starts: BTreeMap<SmallVec<[(u32, u32); 8]>, u32>,
    words: Vec<u64>,
}

impl Codes {
    /// The code of a chip all of whose `links` bring one plane after another; 0 where what
    /// they bring is put together in one region.
    ///
    /// # Errors
    /// When this machine cannot run it.
    pub fn new(
        program: StraightLine,
        links: usize,
        options: NativeOptions,
    ) -> Result<Codes, Unavailable> {
        let forms: Forms = SmallVec::from_elem(LinkForm::PLAIN, links);
        let native = Native::new(&program, options)?;
        Ok(Codes {
            program,
            options,
            links,
            numbers: BTreeMap::from([(forms.clone(), 0)]),
            variants: vec![Variant { forms, native }],
            patterns: Patterns {
                planes: Planes::new(0),
                starts: BTreeMap::new(),
                words: Vec::new(),
            },
            made: Arc::default(),
        })
    }

    /// The instruction set.
    pub fn isa(&self) -> Isa {
        self.options.isa
    }

    /// The code where all links bring one plane after another.
    pub fn plain(&self) -> &Native {
        &self.variants[0].native
    }

    /// All pieces of code.
    pub fn variants(&self) -> &[Variant] {
        &self.variants
    }

    /// The patterns of all groups.
    pub fn all_patterns(&self) -> &[u64] {
        self.patterns.planes.words()
    }

    /// Words of scratch memory that the code needs.
    pub fn scratch_words(&self) -> usize {
        let words = self.variants.iter().map(|v| v.native.scratch_words());
        words.max().unwrap_or(0)
    }

    /// The instructions of one pass over groups with these codes.
    pub fn counts<'a>(&self, groups: impl Iterator<Item = &'a GroupCode>) -> Counts {
        let mut all = Counts::default();
        groups.for_each(|code| all.add(self.variants[code.variant as usize].native.counts()));
        all
    }

    /// Chooses the code of each of so many groups, and makes what is missing. The windows of link
    /// `l` of group `g` are `terms[starts[g * links + l] .. starts[g * links + l + 1]]`. Where two
    /// of them are put together, the one that is not rotated becomes the first.
    pub fn choose(
        &mut self,
        groups: usize,
        terms: &mut [Term],
        starts: &[u32],
        patterns: &[WindowPattern],
    ) -> Vec<GroupCode> {
        let range = |at: usize| starts[at] as usize..starts[at + 1] as usize;
        (0..groups)
            .map(|group| {
                let mut forms = Forms::new();
                for link in 0..self.links {
                    forms.push(self.form(&mut terms[range(group * self.links + link)], patterns));
                }
                self.fit(&mut forms);
                let variant = self.variant(&mut forms);
                let joined = (0..).zip(&forms).filter(|(_, form)| form.join.is_some());
                let windows = joined.map(|(link, _)| {
                    let [first, second] = &terms[range(group * self.links + link)] else {
                        unreachable!("two windows are put together")
                    };
                    (first.pattern, second.pattern)
                });
                GroupCode {
                    variant,
                    patterns: self
                        .patterns
                        .start(windows.collect(), patterns, self.options.words),
                }
            })
            .collect()
    }

    /// Makes the chosen patterns ready to be read.
    pub fn settle(&mut self) {
        let words = &self.patterns.words;
        self.patterns.planes = Planes::new(words.len());
        self.patterns.planes.words_mut()[..words.len()].copy_from_slice(words);
    }

    /// The form of a link whose windows these are.
    fn form(&self, windows: &mut [Term], patterns: &[WindowPattern]) -> LinkForm {
        let pattern = |term: &Term| &patterns[term.pattern as usize];
        let width = self.options.words;
        let scale = |term: &Term| scale(term, width);
        match windows {
            [term] if pattern(term).is_in_place() => LinkForm {
                scale: scale(term).unwrap_or(1),
                join: None,
            },
            [first, second] => {
                if !pattern(first).straight {
                    std::mem::swap(first, second);
                }
                let (one, two) = (pattern(first), pattern(second));
                let alike = first.stride == second.stride && one.steps == 0 && two.steps == 0;
                match scale(first) {
                    Some(scale) if alike && one.straight => LinkForm {
                        scale,
                        join: Some(JoinForm {
                            rotates: !two.straight,
                            has_gaps: (0..width).any(|word| one.mask[word] != !two.mask[word]),
                        }),
                    },
                    _ => LinkForm::PLAIN,
                }
            }
            _ => LinkForm::PLAIN,
        }
    }

    /// Takes forms back, from the last on, until the code has no more regions than it may.
    fn fit(&self, forms: &mut Forms) {
        let base = usize::from(REGION_LINKS) + self.links;
        let joined = |forms: &Forms| forms.iter().filter(|form| form.join.is_some()).count();
        while joined(forms) > 0 && base + joined(forms) + 1 > REGIONS_MAX {
            let last = forms.iter_mut().rev().find(|form| form.join.is_some());
            *last.expect("some are") = LinkForm::PLAIN;
        }
    }

    /// The number of the code for these forms. Where the system gives no memory for code of
    /// their own, they become those of planes one after another, whose code is there.
    fn variant(&mut self, forms: &mut Forms) -> u32 {
        if let Some(&number) = self.numbers.get(forms) {
            return number;
        }
        let Ok(native) = self.native(forms) else {
            forms.fill(LinkForm::PLAIN);
            return 0;
        };
        let number = self.variants.len() as u32;
        self.numbers.insert(forms.clone(), number);
        self.variants.push(Variant {
            forms: forms.clone(),
            native,
        });
        number
    }

    /// The code for these forms, made or taken from a copy that has made it.
    fn native(&self, forms: &Forms) -> Result<Native, Unavailable> {
        let made = || self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(native) = made().get(forms) {
            return Ok(native.clone());
        }
        let native = Native::new(&self.program_of(forms), self.options)?;
        made().insert(forms.clone(), native.clone());
        Ok(native)
    }

    /// The program for links of these forms.
    fn program_of(&self, forms: &[LinkForm]) -> StraightLine {
        let mut program = self.program.clone();
        let joined = forms.iter().filter(|form| form.join.is_some()).count();
        let region = |number: usize| REGION_LINKS + (self.links + number) as u8;
        let mut order = 0;
        let numbers: Vec<usize> = forms
            .iter()
            .map(|form| {
                order += usize::from(form.join.is_some());
                order
            })
            .collect();
        for (leaf, place) in (0..).zip(&mut program.leaves) {
            let Some(link) = place.region.checked_sub(REGION_LINKS).map(usize::from) else {
                continue;
            };
            let form = forms[link];
            place.plane *= u32::from(form.scale);
            let Some(join) = form.join else { continue };
            let number = numbers[link] - 1;
            let pattern = |plane: usize| Location {
                region: region(joined),
                plane: (number * PATTERN_PLANES + plane) as u32,
            };
            let join = LeafJoin {
                second: Location {
                    region: region(number),
                    plane: place.plane,
                },
                rotation: join.rotates.then(|| Rotation {
                    left: pattern(0),
                    right: pattern(1),
                }),
                keep: pattern(2),
                other: join.has_gaps.then(|| pattern(3)),
            };
            program.joins.insert(leaf, join);
        }
        program
    }
}

/// Lane words of `width` words from one plane to the next where a term reads; `None` where
/// that is no whole number.
pub fn scale(term: &Term, width: usize) -> Option<u16> {
    let width = width as u16;
    term.stride
        .is_multiple_of(width)
        .then_some(term.stride / width)
}

impl Patterns {
    /// Start of the patterns of some pairs of windows.
    fn start(
        &mut self,
        windows: SmallVec<[(u32, u32); 8]>,
        patterns: &[WindowPattern],
        width: usize,
    ) -> u32 {
        let words = &mut self.words;
        let planes = windows.clone();
        *self.starts.entry(windows).or_insert_with(|| {
            let start = words.len() as u32;
            for (first, second) in planes {
                let [first, second] = [first, second].map(|at| &patterns[at as usize]);
                words.extend(&second.rotate[..width]);
                words.extend(second.rotate[..width].iter().map(|bits| 64 - bits));
                words.extend(&first.mask[..width]);
                words.extend(&second.mask[..width]);
            }
            start
        })
    }
}
