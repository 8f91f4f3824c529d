//! Executable memory, and the only unsafe code of the library beside that of its calls ([`calls`]) and
//! of memory that is lent to them ([`borrowed`]), the allocator that the program asks for (`cli::allocator`) and two hints about
//! memory (`event::memory`).
//!
//! Why it is sound: the machine code is made here, from [`Op`]s. They have no
//! branches but the end at a guard, and touch memory only at planes of regions; the extent of each region
//! is the highest plane of any of them. [`NativeCode::run`] asserts that the slices cover
//! these extents, and [`Calls`](calls::Calls) asserts it beforehand, whatever the order and number of the instructions. Only the state,
//! the results and the scratch region are written, and they are borrowed mutably.
#![allow(unsafe_code)]

pub mod borrowed;
pub mod calls;

use memmap2::{Mmap, MmapMut};

use super::assign::{Op, Operand, SCRATCH};
use super::encode::{REGIONS_MAX, encode};
use super::{Isa, NativeOptions, Unavailable};
use crate::straight::{Location, NEXT, STATE};

/// Machine code in memory that can be executed and not written. What a call looks at lies on two
/// cache lines.
#[derive(Debug)]
#[repr(align(64))]
pub struct NativeCode {
    /// `None` when it is only counted.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "no code is called there")
    )]
    map: Option<Mmap>,
    bytes: usize,
    /// Words that are touched of each region; of those that the code does not have, 0.
    extents: [u32; REGIONS_MAX],
    regions: u32,
    scratch: u32,
    /// True when results have to begin on a cache line.
    aligned: bool,
}

/// Addresses of the regions, the scratch memory last.
type Bases = [*const u64; REGIONS_MAX + 1];

/// True when this processor and system can run code of an instruction set.
pub fn has(isa: Isa) -> bool {
    #[cfg(target_arch = "x86_64")]
    return match isa {
        Isa::Avx512 => {
            std::is_x86_feature_detected!("avx512f")
                && std::is_x86_feature_detected!("avx512vl")
                && std::is_x86_feature_detected!("avx512dq")
        }
        Isa::Avx2 => std::is_x86_feature_detected!("avx2"),
    };
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = isa;
        false
    }
}

/// Memory that holds these bytes and can be executed and not written; `None` when the system
/// does not give it.
fn executable(bytes: &[u8]) -> Option<Mmap> {
    let mut map = MmapMut::map_anon(bytes.len()).ok()?;
    map.copy_from_slice(bytes);
    map.make_exec().ok()
}

impl NativeCode {
    /// Encodes instructions. The processor has to have their instruction set, unless they are
    /// only counted.
    pub fn new(ops: &[Op], options: NativeOptions) -> Result<NativeCode, Unavailable> {
        if !options.counted && !has(options.isa) {
            return Err(Unavailable::Instructions);
        }
        let mut planes = vec![0; 2];
        let mut scratch = 0;
        let mut touch = |place: Location, write: bool| {
            if place.region == SCRATCH {
                scratch = scratch.max(place.plane as usize + 1);
                return;
            }
            assert!(!write || place.region == STATE || place.region == NEXT);
            let region = usize::from(place.region);
            if planes.len() <= region {
                planes.resize(region + 1, 0);
            }
            planes[region] = planes[region].max(place.plane as usize + 1);
        };
        for op in ops {
            match *op {
                Op::Load(_, place)
                | Op::Ternary(.., Operand::Memory(place))
                | Op::Pair(.., Operand::Memory(place))
                | Op::Wordwise(.., Operand::Memory(place)) => touch(place, false),
                Op::Store(place, _) => touch(place, true),
                _ => {}
            }
        }
        let extent = |planes: usize| match planes.checked_sub(1) {
            None => 0,
            Some(last) => last * options.apart + options.words,
        };
        let scratch = scratch * options.words;
        // Displacements have 32 bits.
        let furthest = extent(planes.iter().copied().max().unwrap_or(0));
        if planes.len() > REGIONS_MAX || furthest.max(scratch) > 1 << 27 {
            return Err(Unavailable::Size);
        }
        let bytes = encode(ops, planes.len(), options).map_err(|_| Unavailable::Size)?;
        let map = match options.counted {
            true => None,
            false => Some(executable(&bytes).ok_or(Unavailable::Memory)?),
        };
        Ok(NativeCode {
            map,
            bytes: bytes.len(),
            extents: std::array::from_fn(|region| match planes.get(region) {
                Some(&planes) => extent(planes) as u32,
                None => 0,
            }),
            regions: planes.len() as u32,
            scratch: scratch as u32,
            aligned: options.streaming,
        })
    }

    /// Words of scratch memory that it needs.
    pub fn scratch_words(&self) -> usize {
        self.scratch as usize
    }

    /// Words that it touches of each region.
    pub fn extents(&self) -> &[u32] {
        &self.extents[..self.regions as usize]
    }

    /// Bytes of machine code.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Runs the code once; `read` are the regions that it reads, of which there may be more than it
    /// has. Whether it came to the end: at a guard that is not 0, it ends before anything is written
    /// but the scratch memory.
    ///
    /// # Panics
    /// When a slice is shorter than what is touched of its region, there are too few of them or more
    /// than any code has, streamed results do not begin on a cache line, or the code is only counted.
    #[inline(always)]
    pub fn run<'a>(
        &self,
        state: &mut [u64],
        next: &mut [u64],
        read: impl Iterator<Item = &'a [u64]>,
        scratch: &mut [u64],
    ) -> bool {
        let mut bases = self.bases(state, next, scratch);
        let of_read = bases[2..REGIONS_MAX].iter_mut();
        let mut regions = of_read.zip(&self.extents[2..]);
        read.for_each(|region| {
            let (base, &words) = regions.next().expect("no code has more regions");
            assert!(region.len() >= words as usize, "a region is too short");
            *base = region.as_ptr();
        });
        let told = REGIONS_MAX - regions.len();
        assert!(told >= self.regions as usize, "regions are missing");
        self.call(&bases) == 0
    }

    /// Addresses of the regions that are written; those that are only read are left out.
    ///
    /// # Panics
    /// As [`NativeCode::run`].
    #[inline(always)]
    fn bases(&self, state: &mut [u64], next: &mut [u64], scratch: &mut [u64]) -> Bases {
        let [state_words, next_words, ..] = self.extents.map(|words| words as usize);
        assert!(state.len() >= state_words, "the state is too short");
        assert!(next.len() >= next_words, "the results are too short");
        let scratch_words = self.scratch as usize;
        assert!(scratch.len() >= scratch_words, "the scratch is too short");
        assert!(
            !self.aligned || next.as_ptr().addr().is_multiple_of(64),
            "streams need whole lines"
        );
        let mut bases: Bases = [std::ptr::null(); REGIONS_MAX + 1];
        bases[0] = state.as_mut_ptr();
        bases[1] = next.as_mut_ptr();
        bases[REGIONS_MAX] = scratch.as_mut_ptr();
        bases
    }

    /// Orders streamed results before everything that this thread does next.
    /// A thread that streams calls it before it lets others read.
    #[inline]
    pub fn finish(&self) {
        #[cfg(target_arch = "x86_64")]
        if self.aligned {
            // SAFETY: every processor of this architecture has the instruction.
            unsafe {
                std::arch::x86_64::_mm_sfence();
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn call(&self, bases: &Bases) -> u32 {
        let map = self.map.as_ref();
        let map = map.expect("code that is only counted never runs");
        // SAFETY: `map` holds a whole function of this signature, which `encode`
        // wrote: it follows the System V convention, gives back the registers that
        // belong to the caller and returns. The processor has its instruction set,
        // or `new` would have failed.
        let function = unsafe {
            std::mem::transmute::<*const u8, unsafe extern "sysv64" fn(*const *const u64) -> u32>(
                map.as_ptr(),
            )
        };
        // SAFETY: the module's comment; the only callers, `run` and `calls::Calls::run`,
        // have checked the lengths, and the slices are borrowed for as long as the call lasts.
        // Pointers to what is written come from mutable borrows.
        unsafe { function(bases.as_ptr()) }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn call(&self, _: &Bases) -> u32 {
        unreachable!("no code is made for this processor");
    }
}
