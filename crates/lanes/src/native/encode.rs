//! Machine code for instructions.

use iced_x86::{Code, Encoder, IcedError, Instruction, MemoryOperand, Register};

use super::assign::{Op, Operand, SCRATCH};
use super::{Isa, NativeOptions};
use crate::straight::{Location, Motion, NEXT};
use crosswave_netlist::PairInstruction;

/// Regions besides scratch: one register each.
pub const REGIONS_MAX: usize = 14;

/// Regions whose registers the caller does not expect back; the registers of
/// the others are saved.
const REGIONS_FREE: usize = 8;

/// Registers of the regions.
const BASES: [Register; REGIONS_MAX] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
    Register::RBX,
    Register::RBP,
];

/// Bytes of a jump over what 32 bits reach.
const JUMP_BYTES: u64 = 6;

/// The argument; at last the base of the scratch region.
const ARGUMENT: Register = Register::RDI;

/// Encodes a function of one argument: a pointer to the addresses of [`REGIONS_MAX`] regions, of which
/// `regions` are used, and of the scratch region. It gives back 0, or 1 when it ended at a guard.
pub fn encode(ops: &[Op], regions: usize, options: NativeOptions) -> Result<Vec<u8>, IcedError> {
    let saved = &BASES[regions.min(REGIONS_FREE)..regions];
    let mut encode = Encode::new(saved, options);
    for &register in saved {
        encode.put(Instruction::with1(Code::Push_r64, register)?)?;
    }
    for (region, &base) in BASES[..regions].iter().enumerate() {
        encode.base(base, region)?;
    }
    encode.base(ARGUMENT, REGIONS_MAX)?;
    // Vectors of 64 bytes in the registers of AVX2 are done in two halves.
    let bytes = 8 * options.words as i64;
    for offset in (0..bytes).step_by(encode.bytes as usize) {
        encode.offset = offset;
        for &op in ops {
            encode.op(op)?;
        }
    }
    encode.end(0)?;
    Ok(encode.encoder.take_buffer())
}

struct Encode {
    encoder: Encoder,
    /// Registers that the caller expects back.
    saved: &'static [Register],
    options: NativeOptions,
    /// Bytes of a register.
    bytes: i64,
    /// Offset of the vector within a lane word.
    offset: i64,
    address: u64,
}

impl Encode {
    fn new(saved: &'static [Register], options: NativeOptions) -> Encode {
        let widest = match options.isa {
            Isa::Avx512 => 64,
            Isa::Avx2 => 32,
        };
        Encode {
            encoder: Encoder::new(64),
            saved,
            options,
            bytes: widest.min(8 * options.words as i64),
            offset: 0,
            address: 0,
        }
    }

    fn put(&mut self, instruction: Instruction) -> Result<(), IcedError> {
        self.address += self.encoder.encode(&instruction, self.address)? as u64;
        Ok(())
    }

    /// Gives back a number.
    fn end(&mut self, number: u32) -> Result<(), IcedError> {
        for &register in self.saved.iter().rev() {
            self.put(Instruction::with1(Code::Pop_r64, register)?)?;
        }
        self.put(Instruction::with2(
            Code::Mov_r32_imm32,
            Register::EAX,
            number,
        )?)?;
        self.put(Instruction::with(Code::VEX_Vzeroupper))?;
        self.put(Instruction::with(Code::Retnq))
    }

    /// Ends here, unless all words of a register are 0.
    fn guard(&mut self, register: u8) -> Result<(), IcedError> {
        let mask = Register::K1;
        let value = self.register(register);
        let test = Instruction::with3(self.codes().test, mask, value, value)?;
        self.put(test)?;
        // The words of the lane word alone: the register of a single one has two.
        let others = 16 - self.options.words as u32;
        self.put(Instruction::with3(
            Code::VEX_Kshiftlw_kr_kr_imm8,
            mask,
            mask,
            others,
        )?)?;
        self.put(Instruction::with2(Code::VEX_Kortestw_kr_kr, mask, mask)?)?;
        let mut end = Encode::new(self.saved, self.options);
        end.end(1)?;
        let jump =
            Instruction::with_branch(Code::Je_rel32_64, self.address + JUMP_BYTES + end.address)?;
        self.put(jump)?;
        self.end(1)
    }

    /// Offset added to the base of a region, so that short displacements reach the planes on both
    /// sides.
    fn bias(&self) -> i64 {
        match self.options.isa {
            Isa::Avx512 => 128 * self.bytes,
            Isa::Avx2 => 128,
        }
    }

    fn base(&mut self, to: Register, region: usize) -> Result<(), IcedError> {
        let pointer = MemoryOperand::with_base_displ(ARGUMENT, 8 * region as i64);
        self.put(Instruction::with2(Code::Mov_r64_rm64, to, pointer)?)?;
        let bias = self.bias() as i32;
        self.put(Instruction::with2(Code::Add_rm64_imm32, to, bias)?)
    }

    fn memory(&self, place: Location) -> MemoryOperand {
        let (base, apart) = match place.region {
            SCRATCH => (ARGUMENT, self.options.words),
            region => (BASES[region as usize], self.options.apart),
        };
        let plane = i64::from(place.plane) * 8 * apart as i64;
        MemoryOperand::with_base_displ(base, plane + self.offset - self.bias())
    }

    fn register(&self, register: u8) -> Register {
        let first = match self.bytes {
            64 => Register::ZMM0,
            32 => Register::YMM0,
            _ => Register::XMM0,
        };
        first + u32::from(register)
    }

    fn op(&mut self, op: Op) -> Result<(), IcedError> {
        let codes = self.codes();
        let instruction = match op {
            Op::Load(to, from) => {
                Instruction::with2(codes.load, self.register(to), self.memory(from))
            }
            Op::Store(to, from) => {
                let streams = self.options.streaming && to.region == NEXT;
                let code = if streams { codes.stream } else { codes.store };
                Instruction::with2(code, self.memory(to), self.register(from))
            }
            Op::Copy(to, from) => {
                Instruction::with2(codes.copy, self.register(to), self.register(from))
            }
            Op::Ternary(table, to, b, c) => {
                let (to, b) = (self.register(to), self.register(b));
                let table = i32::from(table);
                match c {
                    Operand::Register(c) => {
                        Instruction::with4(codes.ternary, to, b, self.register(c), table)
                    }
                    Operand::Memory(c) => {
                        Instruction::with4(codes.ternary, to, b, self.memory(c), table)
                    }
                }
            }
            Op::Pair(pair, to, a, b) => {
                let code = codes.pair[pair as usize];
                let (to, a) = (self.register(to), self.register(a));
                match b {
                    Operand::Register(b) => Instruction::with3(code, to, a, self.register(b)),
                    Operand::Memory(b) => Instruction::with3(code, to, a, self.memory(b)),
                }
            }
            Op::Wordwise(operation, to, value, by) => {
                let code = codes.wordwise[operation as usize];
                let (to, value) = (self.register(to), self.register(value));
                match by {
                    Operand::Register(by) => Instruction::with3(code, to, value, self.register(by)),
                    Operand::Memory(by) => Instruction::with3(code, to, value, self.memory(by)),
                }
            }
            Op::Motion(motion, to, from) => self.motion(motion, to, from),
            Op::Guard(register) => return self.guard(register),
            Op::Constant(to, value) => {
                let to = self.register(to);
                match (self.options.isa, value) {
                    (Isa::Avx512, value) => {
                        let table = if value { 0xff } else { 0 };
                        Instruction::with4(codes.ternary, to, to, to, table)
                    }
                    (Isa::Avx2, true) => Instruction::with3(codes.ones, to, to, to),
                    (Isa::Avx2, false) => {
                        Instruction::with3(codes.pair[PairInstruction::Xor as usize], to, to, to)
                    }
                }
            }
        };
        self.put(instruction?)
    }

    /// Words of a register, moved.
    fn motion(&self, motion: Motion, to: u8, from: u8) -> Result<Instruction, IcedError> {
        let codes = self.codes();
        let (to, from) = (self.register(to), self.register(from));
        let by = |code, bits: u8| Instruction::with3(code, to, from, u32::from(bits));
        match motion {
            Motion::Rotate(bits) => by(codes.motion[0], bits),
            Motion::Left(bits) => by(codes.motion[1], bits),
            Motion::Right(bits) => by(codes.motion[2], bits),
            Motion::Words(order) => {
                let order = order.map(u32::from);
                let [a, b, c, d] = [order[0], order[1], order[2], order[3]];
                let places = match self.bytes / 8 {
                    // The first word comes from this one, and the others from those behind it.
                    8 => return Instruction::with4(codes.words, to, from, from, a),
                    4 => [a, b, c, d],
                    // The halves of words.
                    _ => [2 * a, 2 * a + 1, 2 * b, 2 * b + 1],
                };
                let places = places.into_iter().enumerate();
                let places = places.fold(0, |all, (at, word)| all | word << (2 * at));
                Instruction::with3(codes.words, to, from, places)
            }
            Motion::RotateEach | Motion::LeftEach | Motion::RightEach | Motion::WordsEach => {
                unreachable!("it is lowered to a shift")
            }
        }
    }

    fn codes(&self) -> &'static InstructionCodes {
        match (self.options.isa, self.options.words) {
            (Isa::Avx512, 8) => &ZMM,
            (Isa::Avx512, 4) => &EVEX_YMM,
            (Isa::Avx512, 2) => &EVEX_XMM,
            (Isa::Avx512, _) => &EVEX_WORD,
            (Isa::Avx2, 4..) => &YMM,
            (Isa::Avx2, 2) => &XMM,
            (Isa::Avx2, _) => &WORD,
        }
    }
}

/// The instructions for one width.
struct InstructionCodes {
    load: Code,
    store: Code,
    /// A store that goes past the caches, where there is one of this width.
    stream: Code,
    copy: Code,
    /// The pairs, in the order of [`PairInstruction`].
    pair: [Code; 4],
    /// Instructions that work word by word, in the order of [`Wordwise`](super::lower::Wordwise).
    wordwise: [Code; 6],
    /// Words rotated, shifted to the left and to the right, by a number of the instruction.
    motion: [Code; 3],
    /// Words that change places: eight in a circle, others in any order.
    words: Code,
    ternary: Code,
    ones: Code,
    /// A test for words of two registers that have a bit in common.
    test: Code,
}

static ZMM: InstructionCodes = InstructionCodes {
    load: Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
    store: Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
    stream: Code::EVEX_Vmovntdq_m512_zmm,
    copy: Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512,
    pair: [
        Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64,
        Code::EVEX_Vpandnq_zmm_k1z_zmm_zmmm512b64,
        Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64,
        Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64,
    ],
    wordwise: [
        Code::EVEX_Vprolvq_zmm_k1z_zmm_zmmm512b64,
        Code::EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64,
        Code::EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64,
        Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
        Code::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64,
        Code::EVEX_Vpermq_zmm_k1z_zmm_zmmm512b64,
    ],
    motion: [
        Code::EVEX_Vprolq_zmm_k1z_zmmm512b64_imm8,
        Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8,
        Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8,
    ],
    words: Code::EVEX_Valignq_zmm_k1z_zmm_zmmm512b64_imm8,
    ternary: Code::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8,
    ones: Code::INVALID,
    test: Code::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64,
};

static EVEX_YMM: InstructionCodes = InstructionCodes {
    load: Code::EVEX_Vmovdqu64_ymm_k1z_ymmm256,
    store: Code::EVEX_Vmovdqu64_ymmm256_k1z_ymm,
    stream: Code::EVEX_Vmovntdq_m256_ymm,
    copy: Code::EVEX_Vmovdqa64_ymm_k1z_ymmm256,
    pair: [
        Code::EVEX_Vpandq_ymm_k1z_ymm_ymmm256b64,
        Code::EVEX_Vpandnq_ymm_k1z_ymm_ymmm256b64,
        Code::EVEX_Vporq_ymm_k1z_ymm_ymmm256b64,
        Code::EVEX_Vpxorq_ymm_k1z_ymm_ymmm256b64,
    ],
    wordwise: [
        Code::EVEX_Vprolvq_ymm_k1z_ymm_ymmm256b64,
        Code::EVEX_Vpsllvq_ymm_k1z_ymm_ymmm256b64,
        Code::EVEX_Vpsrlvq_ymm_k1z_ymm_ymmm256b64,
        Code::EVEX_Vpaddq_ymm_k1z_ymm_ymmm256b64,
        Code::EVEX_Vpmullq_ymm_k1z_ymm_ymmm256b64,
        Code::INVALID,
    ],
    motion: [
        Code::EVEX_Vprolq_ymm_k1z_ymmm256b64_imm8,
        Code::EVEX_Vpsllq_ymm_k1z_ymmm256b64_imm8,
        Code::EVEX_Vpsrlq_ymm_k1z_ymmm256b64_imm8,
    ],
    words: Code::EVEX_Vpermq_ymm_k1z_ymmm256b64_imm8,
    ternary: Code::EVEX_Vpternlogq_ymm_k1z_ymm_ymmm256b64_imm8,
    ones: Code::INVALID,
    test: Code::EVEX_Vptestmq_kr_k1_ymm_ymmm256b64,
};

static EVEX_XMM: InstructionCodes = InstructionCodes {
    load: Code::EVEX_Vmovdqu64_xmm_k1z_xmmm128,
    store: Code::EVEX_Vmovdqu64_xmmm128_k1z_xmm,
    stream: Code::EVEX_Vmovntdq_m128_xmm,
    copy: Code::EVEX_Vmovdqa64_xmm_k1z_xmmm128,
    pair: [
        Code::EVEX_Vpandq_xmm_k1z_xmm_xmmm128b64,
        Code::EVEX_Vpandnq_xmm_k1z_xmm_xmmm128b64,
        Code::EVEX_Vporq_xmm_k1z_xmm_xmmm128b64,
        Code::EVEX_Vpxorq_xmm_k1z_xmm_xmmm128b64,
    ],
    wordwise: [
        Code::EVEX_Vprolvq_xmm_k1z_xmm_xmmm128b64,
        Code::EVEX_Vpsllvq_xmm_k1z_xmm_xmmm128b64,
        Code::EVEX_Vpsrlvq_xmm_k1z_xmm_xmmm128b64,
        Code::EVEX_Vpaddq_xmm_k1z_xmm_xmmm128b64,
        Code::EVEX_Vpmullq_xmm_k1z_xmm_xmmm128b64,
        Code::INVALID,
    ],
    motion: [
        Code::EVEX_Vprolq_xmm_k1z_xmmm128b64_imm8,
        Code::EVEX_Vpsllq_xmm_k1z_xmmm128b64_imm8,
        Code::EVEX_Vpsrlq_xmm_k1z_xmmm128b64_imm8,
    ],
    words: Code::EVEX_Vpshufd_xmm_k1z_xmmm128b32_imm8,
    ternary: Code::EVEX_Vpternlogq_xmm_k1z_xmm_xmmm128b64_imm8,
    ones: Code::INVALID,
    test: Code::EVEX_Vptestmq_kr_k1_xmm_xmmm128b64,
};

/// One word in the lower half of a register.
static EVEX_WORD: InstructionCodes = InstructionCodes {
    load: Code::EVEX_Vmovq_xmm_xmmm64,
    store: Code::EVEX_Vmovq_xmmm64_xmm,
    stream: Code::EVEX_Vmovq_xmmm64_xmm,
    ..EVEX_XMM
};

static YMM: InstructionCodes = InstructionCodes {
    load: Code::VEX_Vmovdqu_ymm_ymmm256,
    store: Code::VEX_Vmovdqu_ymmm256_ymm,
    stream: Code::VEX_Vmovntdq_m256_ymm,
    copy: Code::VEX_Vmovdqa_ymm_ymmm256,
    pair: [
        Code::VEX_Vpand_ymm_ymm_ymmm256,
        Code::VEX_Vpandn_ymm_ymm_ymmm256,
        Code::VEX_Vpor_ymm_ymm_ymmm256,
        Code::VEX_Vpxor_ymm_ymm_ymmm256,
    ],
    wordwise: [
        Code::INVALID,
        Code::VEX_Vpsllvq_ymm_ymm_ymmm256,
        Code::VEX_Vpsrlvq_ymm_ymm_ymmm256,
        Code::INVALID,
        Code::INVALID,
        Code::INVALID,
    ],
    motion: [
        Code::INVALID,
        Code::VEX_Vpsllq_ymm_ymm_imm8,
        Code::VEX_Vpsrlq_ymm_ymm_imm8,
    ],
    words: Code::VEX_Vpermq_ymm_ymmm256_imm8,
    ternary: Code::INVALID,
    ones: Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256,
    test: Code::INVALID,
};

static XMM: InstructionCodes = InstructionCodes {
    load: Code::VEX_Vmovdqu_xmm_xmmm128,
    store: Code::VEX_Vmovdqu_xmmm128_xmm,
    stream: Code::VEX_Vmovntdq_m128_xmm,
    copy: Code::VEX_Vmovdqa_xmm_xmmm128,
    pair: [
        Code::VEX_Vpand_xmm_xmm_xmmm128,
        Code::VEX_Vpandn_xmm_xmm_xmmm128,
        Code::VEX_Vpor_xmm_xmm_xmmm128,
        Code::VEX_Vpxor_xmm_xmm_xmmm128,
    ],
    wordwise: [
        Code::INVALID,
        Code::VEX_Vpsllvq_xmm_xmm_xmmm128,
        Code::VEX_Vpsrlvq_xmm_xmm_xmmm128,
        Code::INVALID,
        Code::INVALID,
        Code::INVALID,
    ],
    motion: [
        Code::INVALID,
        Code::VEX_Vpsllq_xmm_xmm_imm8,
        Code::VEX_Vpsrlq_xmm_xmm_imm8,
    ],
    words: Code::VEX_Vpshufd_xmm_xmmm128_imm8,
    ternary: Code::INVALID,
    ones: Code::VEX_Vpcmpeqd_xmm_xmm_xmmm128,
    test: Code::INVALID,
};

static WORD: InstructionCodes = InstructionCodes {
    load: Code::VEX_Vmovq_xmm_xmmm64,
    store: Code::VEX_Vmovq_xmmm64_xmm,
    stream: Code::VEX_Vmovq_xmmm64_xmm,
    ..XMM
};
