//! Tests of numbers.

/// Comparison of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The same.
    Equal,
    /// Not the same.
    Unequal,
    /// Less.
    Less,
    /// Less or the same.
    AtMost,
    /// More.
    More,
    /// More or the same.
    AtLeast,
}

impl Relation {
    /// All of them with their signs; a sign that begins another one comes after it.
    pub const SIGNS: [(&'static str, Relation); 6] = [
        ("==", Relation::Equal),
        ("!=", Relation::Unequal),
        ("<=", Relation::AtMost),
        (">=", Relation::AtLeast),
        ("<", Relation::Less),
        (">", Relation::More),
    ];

    /// True when the comparison holds between two numbers.
    pub fn holds<T: Ord + ?Sized>(self, left: &T, right: &T) -> bool {
        match self {
            Relation::Equal => left == right,
            Relation::Unequal => left != right,
            Relation::Less => left < right,
            Relation::AtMost => left <= right,
            Relation::More => left > right,
            Relation::AtLeast => left >= right,
        }
    }
}

/// Test of a value against that of the cycle before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueEdge {
    /// It is more.
    Rise,
    /// It is less.
    Fall,
    /// It is another one.
    Change,
}

impl ValueEdge {
    /// All of them with their words.
    pub const WORDS: [(&'static str, ValueEdge); 3] = [
        ("rise", ValueEdge::Rise),
        ("fall", ValueEdge::Fall),
        ("change", ValueEdge::Change),
    ];

    /// True when the edge is between two values.
    pub fn holds<T: Ord + ?Sized>(self, before: &T, now: &T) -> bool {
        match self {
            ValueEdge::Rise => now > before,
            ValueEdge::Fall => now < before,
            ValueEdge::Change => now != before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_need_another_value() {
        for (edge, [less, same, more]) in [
            (ValueEdge::Rise, [false, false, true]),
            (ValueEdge::Fall, [true, false, false]),
            (ValueEdge::Change, [true, false, true]),
        ] {
            let found = [4, 5, 6].map(|now| edge.holds(&5, &now));
            assert_eq!(found, [less, same, more], "{edge:?}");
        }
    }

    /// Every relation at less, the same and more.
    #[test]
    fn relations_hold_as_they_are_written() {
        for (sign, holds) in [
            ("==", [false, true, false]),
            ("!=", [true, false, true]),
            ("<", [true, false, false]),
            ("<=", [true, true, false]),
            (">", [false, false, true]),
            (">=", [false, true, true]),
        ] {
            let mut all = Relation::SIGNS.into_iter();
            let (_, relation) = all.find(|(known, _)| *known == sign).expect("a sign");
            let found = [6, 7, 8].map(|left| relation.holds(&left, &7));
            assert_eq!(found, holds, "{sign}");
        }
    }
}
