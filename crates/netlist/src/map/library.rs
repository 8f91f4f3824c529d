//! Costs of functions of three inputs, in instructions.

use std::sync::OnceLock;

use super::table::{self, A, B, C};

/// A two-input instruction of vector units without `vpternlog`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PairInstruction {
    /// `a & b`
    And,
    /// `!a & b`
    AndNot,
    /// `a | b`
    Or,
    /// `a ^ b`
    Xor,
}

impl PairInstruction {
    /// All of them.
    pub const ALL: [PairInstruction; 4] = [
        PairInstruction::And,
        PairInstruction::AndNot,
        PairInstruction::Or,
        PairInstruction::Xor,
    ];

    /// The value for each bit of its inputs.
    pub fn of(self, a: u8, b: u8) -> u8 {
        match self {
            PairInstruction::And => a & b,
            PairInstruction::AndNot => !a & b,
            PairInstruction::Or => a | b,
            PairInstruction::Xor => a ^ b,
        }
    }
}

/// The cheapest expressions of [`PairInstruction`] instructions for every table.
///
/// Variables and constants are free. Found by exhaustive search over expressions:
/// the cost of a table is the least sum of the costs of two others that an
/// instruction joins to it, plus 1.
#[derive(Debug, Clone)]
pub struct PairExpressions {
    /// Instructions of each table.
    pub cost: [u8; 256],
    /// The last instruction and the tables of its operands; `None` for
    /// variables and constants.
    pub last: [Option<(PairInstruction, u8, u8)>; 256],
}

impl PairExpressions {
    /// The expressions.
    pub fn get() -> &'static PairExpressions {
        static PAIRS: OnceLock<PairExpressions> = OnceLock::new();
        PAIRS.get_or_init(PairExpressions::search)
    }

    fn search() -> PairExpressions {
        let mut cost = [u8::MAX; 256];
        let mut last = [None; 256];
        let mut found = vec![0, 0xff, A, B, C];
        for &table in &found {
            cost[table as usize] = 0;
        }
        for total in 1.. {
            if found.len() == 256 {
                break;
            }
            for a in 0..found.len() {
                for b in 0..found.len() {
                    let (a, b) = (found[a], found[b]);
                    if cost[a as usize] + cost[b as usize] + 1 != total {
                        continue;
                    }
                    for pair in PairInstruction::ALL {
                        let table = pair.of(a, b);
                        if cost[table as usize] == u8::MAX {
                            cost[table as usize] = total;
                            last[table as usize] = Some((pair, a, b));
                            found.push(table);
                        }
                    }
                }
            }
        }
        PairExpressions { cost, last }
    }
}

/// The cost of each function for an engine.
///
/// A function and its complement cost the same: whoever reads a value can as well
/// read its complement, with a table that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    cost: [u16; 256],
}

/// The cost of a function that there is no operation for.
const NEVER: u16 = 1000;

impl Library {
    fn new(cost: impl Fn(u8) -> u16) -> Library {
        let mut costs = [0; 256];
        for table in 0..=255_u8 {
            costs[table as usize] = cost(table).min(cost(!table));
        }
        Library { cost: costs }
    }

    /// One instruction for every function, as with `vpternlog` of AVX-512.
    pub fn ternary() -> Library {
        Library::new(|_| 1)
    }

    /// Two-input instructions, as in AVX2.
    pub fn pairs() -> Library {
        let pairs = PairExpressions::get();
        Library::new(|table| u16::from(pairs.cost[table as usize]))
    }

    /// One operation for each of `tables`, with the inputs in any order and the
    /// result as it is or inverted. All functions of two inputs have to be among them.
    pub fn of(tables: &[u8]) -> Library {
        const ORDERS: [[usize; 3]; 6] = [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ];
        Library::new(|table| {
            let has = ORDERS
                .iter()
                .any(|&order| tables.contains(&table::place(table, order)));
            if has { 1 } else { NEVER }
        })
    }

    /// The cost of a function that depends on all the variables it has.
    pub fn cost(&self, table: u8) -> u32 {
        u32::from(self.cost[table as usize])
    }
}
