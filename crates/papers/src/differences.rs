//! Quantities of papers that do not come out, by their causes, as a page in Markdown.

use std::fmt::Write;

use super::checked::Checked;
use super::quantity::Verdict;

/// Quantities of one cause that are named; of more the others are counted.
const NAMED: usize = 3;

/// The head of the page.
const HEAD: &str = "# What differs from the papers

`crosswave check --differences docs/papers/differences.md` computes this page. It has every quantity that differs or \
is not reproduced, by its cause, of the check without `--all`. The evidence is in the cause, as far as it is \
a number or another reading that comes out; [Five papers beside formulas and simulation](checks.md) has more of it. Where \
nobody knows why, it says \"cause unknown\". What is undecided is left out: more replicates would tell.
";

/// A cause, and the quantities that it explains.
struct Cause<'a> {
    verdict: Verdict,
    why: &'a str,
    ids: Vec<&'a str>,
}

/// The page of some papers.
pub fn page(papers: &[Checked]) -> String {
    let sections = papers.iter().map(section);
    std::iter::once(HEAD.to_owned()).chain(sections).collect()
}

/// The section of a paper.
fn section(checked: &Checked) -> String {
    let mut causes: Vec<Cause<'_>> = Vec::new();
    let lacking = |verdict| matches!(verdict, Verdict::Differs | Verdict::NotReproduced);
    for quantity in checked.quantities.iter().filter(|of| lacking(of.verdict)) {
        let (verdict, why) = (quantity.verdict, quantity.why());
        let known = causes
            .iter_mut()
            .find(|cause| (cause.verdict, cause.why) == (verdict, why));
        match known {
            Some(cause) => cause.ids.push(&quantity.id),
            None => causes.push(Cause {
                verdict,
                why,
                ids: vec![&quantity.id],
            }),
        }
    }
    let count: usize = causes.iter().map(|cause| cause.ids.len()).sum();
    let mut text = format!(
        "\n## {}\n\n{}. {count} of {} quantities:\n\n| quantities | verdict | cause |\n|---|---|---|\n",
        checked.paper,
        checked.title,
        checked.quantities.len()
    );
    for Cause { verdict, why, ids } in causes {
        let mut names: Vec<String> = ids.iter().take(NAMED).map(|id| format!("`{id}`")).collect();
        if ids.len() > NAMED {
            names.push(format!("and {} more", ids.len() - NAMED));
        }
        let why = why.replace('|', "\\|");
        let _ = writeln!(text, "| {} | {verdict} | {why} |", names.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::Quantity;

    #[test]
    fn quantities_of_one_cause_are_a_row() {
        let quantity = |id: &str, found: u64| {
            let quantity = Quantity::new(id, "", 3_u64).analytic(found);
            quantity.judged(Some("misprinted".into()))
        };
        let ids = ["a", "b", "c", "d", "e"];
        let mut all: Vec<Quantity> = ids.iter().map(|id| quantity(id, 4)).collect();
        all.push(quantity("right", 3));
        let page = page(&[Checked::new("dehon1990", "A title", all)]);
        let end = "\n## dehon1990\n\nA title. 5 of 6 quantities:\n\n| quantities | verdict | cause |\n\
                   |---|---|---|\n| `a`, `b`, `c`, and 2 more | differs | misprinted |\n";
        assert!(
            page.starts_with("# What differs") && page.ends_with(end),
            "{page}"
        );
    }
}
