//! Errors of the paper, and assumptions where it is silent.

use super::context::StrumpenContext;
use crate::page::{PagePart, PageTable, Section};
use crosswave_base::diagnostic::Error;

const ERRATA: [(&str, &str); 7] = [
    (
        "Lemma 1, lg n/3n ≤ Pr[C2]",
        "fails at n = 2, where Pr[C2] = 0",
    ),
    (
        "Section 4, subtrees with dilation v",
        "the v-subtree has the dilation 2(v + 1), as the text says further on",
    ),
    (
        "Section 3, halves of the range of nodes",
        "overlap by one as they are written; the upper half begins at 2^(h-1)",
    ),
    (
        "Equation 6, S for any ε",
        "below m = 2n/lg n it is negative, and there is no phase I; n = 2 and 4 have none at all",
    ),
    (
        "Section 6, Pr[Xs > S]",
        "only Pr[Xs ≥ S] follows; in phase II one success more than lg m is needed, which the \
         constants cover once R is rounded up",
    ),
    (
        "Theorem 1, both phases",
        "each holds with 1 - ε, so both together with 1 - 2ε; here each has ε/2",
    ),
    (
        "Section 7, item 6, m lg n/n as a bound",
        "is below the mean of Model I for some way past m = 2n/lg n: at n = 4096 up to m = 2034, \
         where the boundary is at 683",
    ),
];

const ASSUMED: [(&str, &str); 6] = [
    ("Winner of a collision", "uniform at random"),
    (
        "Length of messages",
        "in rounds long enough that no acknowledgement frees a circuit \
      before the last head has come; 1 word with immediate retry",
    ),
    (
        "A circuit is freed",
        "by the acknowledgement as it returns, or by the collision signal",
    ),
    (
        "Cycles are divided by",
        "those of one message across the diameter, from its head's first clock on the wire to its \
         acknowledgement, which is how all cycles are counted",
    ),
    ("Bins of Model I", "⌊2n/lg n⌋; 1/Pr[C2], rounded, beside it"),
    ("Survivor in a bin of Model II", "a random destination"),
];

/// The section.
pub(super) fn section(_: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Where the paper is wrong, and where it is silent");
    let table = |caption: &str, header: [&str; 2], rows: &[(&str, &str)]| {
        let mut table = PageTable::new(caption, header);
        for (place, text) in rows {
            table.row([(*place).into(), (*text).into()]);
        }
        table.texts = true;
        PagePart::Table(table)
    };
    section
        .parts
        .push(table("Errata", ["place", "what holds"], &ERRATA));
    section.parts.push(table(
        "Assumed where the paper is silent",
        ["what", "default"],
        &ASSUMED,
    ));
    Ok(section)
}
