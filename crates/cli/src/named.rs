//! Lookup of papers and figures by name.

use super::usage;
use crosswave_base::diagnostic::Error;
use crosswave_base::suggest::nearest;
use crosswave_chips::{CHIPS, Chip};
use crosswave_papers::paper::{Figure, Paper};
use crosswave_papers::registry::{PAPERS, figures, with_report};

/// The paper of that name.
pub(super) fn paper(name: &str) -> Result<Paper, Error> {
    let help = "leave the name out to check all papers";
    named(name, "check", "papers", PAPERS, |paper| paper.name, help)
}

/// The chip of that name.
pub(super) fn chip(name: &str) -> Result<&'static Chip, Error> {
    let help = "`crosswave info` lists the chips of a network";
    named(name, "--chip", "chips", CHIPS, |chip| chip.name, help).copied()
}

/// The paper of that name of which there is a report.
pub(super) fn paper_with_report(name: &str) -> Result<Paper, Error> {
    let first = with_report().next().map(|paper| paper.name);
    let help = match first {
        Some(first) => format!("such as crosswave report {first} --out report"),
        None => String::new(),
    };
    named(
        name,
        "report",
        "papers",
        with_report(),
        |paper| paper.name,
        &help,
    )
}

/// The figure of that name.
pub(super) fn figure(name: &str) -> Result<Figure, Error> {
    let help = "leave the name out to make all figures";
    named(
        name,
        "figure",
        "figures",
        figures(),
        |figure| figure.name,
        help,
    )
}

/// The item of `known` with this name, or a usage error at a command. `help` is for names that
/// neither resemble nor begin a known one.
fn named<T>(
    name: &str,
    command: &str,
    kind: &str,
    known: impl IntoIterator<Item = T>,
    name_of: impl Fn(&T) -> &'static str,
    help: &str,
) -> Result<T, Error> {
    let mut known: Vec<T> = known.into_iter().collect();
    let names: Vec<&str> = known.iter().map(&name_of).collect();
    if let Some(at) = names.iter().position(|&known| known == name) {
        return Ok(known.swap_remove(at));
    }
    let begun = names.iter().copied().find(|known| known.starts_with(name));
    let help = match nearest(name, &names).or(begun.filter(|_| !name.is_empty())) {
        Some(near) => format!("did you mean {near}?"),
        None => help.to_owned(),
    };
    let message = format!("found {name:?}; known {kind}: {}", names.join(", "));
    Err(usage(command, message, &help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_base::diagnostic::Class;

    #[test]
    fn an_unknown_paper_names_the_known_and_the_nearest() {
        let error = paper("dehon1991").expect_err("no such paper");
        assert_eq!(error.class, Class::Usage);
        let text = error.to_string();
        assert!(
            text.contains(
                "known papers: chen2004, dehon1990, dimakopoulos1994, strumpen2005, yuan2007"
            ),
            "{text}"
        );
        assert!(text.contains("did you mean dehon1990?"), "{text}");
        for (name, help) in [
            ("dehon", "did you mean dehon1990?"),
            ("", "leave the name out to check all papers"),
            ("another", "leave the name out to check all papers"),
        ] {
            let error = paper(name).expect_err("no such paper");
            assert_eq!(error.diagnostics[0].help, help);
        }
    }

    #[test]
    fn an_unknown_report_names_the_known_and_the_nearest() {
        let error = paper_with_report("strumpen2006").expect_err("no such report");
        assert_eq!(error.class, Class::Usage);
        let text = error.to_string();
        assert!(
            text.contains("known papers: chen2004, dehon1990, dimakopoulos1994, strumpen2005"),
            "{text}"
        );
        assert!(text.contains("did you mean strumpen2005?"), "{text}");
        assert!(paper_with_report("another").is_err());
    }

    #[test]
    fn an_unknown_figure_names_the_known_and_the_nearest() {
        let error = figure("dehon1991-4.19").expect_err("no such figure");
        assert_eq!(error.class, Class::Usage);
        let text = error.to_string();
        assert!(
            text.contains("dehon1990-4.18, dehon1990-4.19, dehon1990-faults"),
            "{text}"
        );
        assert!(text.contains("did you mean dehon1990-4.19?"), "{text}");
        assert_eq!(figure("turning").map(|figure| figure.name), Ok("turning"));
    }
}
