//! Truth tables of up to three variables.
//!
//! Bit `4 * a + 2 * b + c` of a table is the value for the inputs `a`, `b` and
//! `c`, as in the instruction `vpternlog`. A function of fewer variables does not
//! depend on the last ones.

/// The table of the first variable.
pub const A: u8 = 0xf0;
/// The table of the second variable.
pub const B: u8 = 0xcc;
/// The table of the third variable.
pub const C: u8 = 0xaa;

/// True when the value depends on variable `variable`.
pub const fn depends(table: u8, variable: usize) -> bool {
    flip(table, variable) != table
}

/// The table of the function that reads the complement of `variable`.
pub const fn flip(table: u8, variable: usize) -> u8 {
    match variable {
        0 => table.rotate_left(4),
        1 => (table >> 2 & 0x33) | (table << 2 & 0xcc),
        _ => (table >> 1 & 0x55) | (table << 1 & 0xaa),
    }
}

/// The function with `variable` held at `value`.
pub const fn hold(table: u8, variable: usize, value: bool) -> u8 {
    let (ones, shift) = match variable {
        0 => (A, 4),
        1 => (B, 2),
        _ => (C, 1),
    };
    if value {
        table & ones | (table & ones) >> shift
    } else {
        table & !ones | (table & !ones) << shift
    }
}

/// The table whose variable `to[i]` is variable `i` of `table`. Variables that
/// `table` depends on go to different places.
pub const fn place(table: u8, to: [usize; 3]) -> u8 {
    let mut placed = 0;
    let mut row = 0;
    while row < 8 {
        let mut from = 0;
        let mut variable = 0;
        while variable < 3 {
            from |= (row >> (2 - to[variable]) & 1) << (2 - variable);
            variable += 1;
        }
        placed |= (table >> from & 1) << row;
        row += 1;
    }
    placed
}

/// The value of a function for each bit of its inputs.
#[inline]
pub fn evaluate(table: u8, [a, b, c]: [u64; 3]) -> u64 {
    (0..8).fold(0, |value, row| {
        let of = |input: u64, bit: u8| if row >> bit & 1 == 1 { input } else { !input };
        let term = of(a, 2) & of(b, 1) & of(c, 0);
        value | if table >> row & 1 == 1 { term } else { 0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The inputs of every row, one row a bit.
    const ROWS: [u64; 3] = [A as u64, B as u64, C as u64];

    #[test]
    fn a_table_is_its_own_value_on_all_rows() {
        for table in 0..=255 {
            assert_eq!(evaluate(table, ROWS) & 0xff, u64::from(table));
        }
    }

    #[test]
    fn changes_of_variables_agree_with_evaluation() {
        for table in 0..=255 {
            for variable in 0..3 {
                let mut rows = ROWS;
                rows[variable] = !rows[variable];
                let flipped = evaluate(table, rows) & 0xff;
                assert_eq!(u64::from(flip(table, variable)), flipped);
                for value in [false, true] {
                    let mut rows = ROWS;
                    rows[variable] = u64::from(value).wrapping_neg();
                    let held = evaluate(table, rows) & 0xff;
                    assert_eq!(u64::from(hold(table, variable, value)), held);
                }
            }
            for to in [
                [0, 1, 2],
                [1, 2, 0],
                [2, 0, 1],
                [1, 0, 2],
                [0, 2, 1],
                [2, 1, 0],
            ] {
                let placed = evaluate(table, to.map(|variable| ROWS[variable])) & 0xff;
                assert_eq!(u64::from(place(table, to)), placed);
            }
        }
    }
}
