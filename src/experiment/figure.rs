//! Figures drawn from models and from what was simulated, with the numbers as CSV.
//!
//! | file | figure |
//! |---|---|
//! | `routing` | DeHon's Figure 4.19: the probability that a connection is routed |
//! | `turning` | clocks to a reply, over a turned connection and over a second one |
//! | `strumpen` | Figures 3 to 7 of Strumpen & Krishnamurthy |

mod routing;
mod strumpen;
mod turning;

pub use routing::routing_of_bidelta;

use crate::diagnostic::{Class, Diagnostic, Report};
use crate::experiment::config::suggest;
use crate::experiment::study::{Effort, Watch};
use crate::plot::{self, Chart};

/// Charts, from left to right, and their numbers.
type Charts = Result<(Vec<Chart>, String), Report>;

/// A figure that can be made.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// What it is called on the command line, and its files.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    draw: fn(Effort, &mut dyn Watch) -> Charts,
}

/// A figure that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// The pictures, from left to right.
    pub svgs: Vec<String>,
    /// Its numbers, under a line with their names.
    pub csv: String,
}

/// All figures.
pub const FIGURES: [Figure; 7] = [
    Figure {
        name: "dehon1990-4.19",
        title: "probability that a bidelta network routes a connection at the first attempt",
        draw: routing::draw,
    },
    Figure {
        name: "turning",
        title: "clocks to a reply, over a turned connection and over a second one",
        draw: turning::draw,
    },
    Figure {
        name: "strumpen2005-3",
        title: "rounds of Models I and II against nodes",
        draw: strumpen::figure_3,
    },
    Figure {
        name: "strumpen2005-4",
        title: "rounds and immediate retry on a fat tree, and Model I, against nodes",
        draw: strumpen::figure_4,
    },
    Figure {
        name: "strumpen2005-5",
        title: "rounds on a fat tree, Model I and a fit, against messages",
        draw: strumpen::figure_5,
    },
    Figure {
        name: "strumpen2005-6",
        title: "rounds and immediate retry of transpose and bit reversal",
        draw: strumpen::figure_6,
    },
    Figure {
        name: "strumpen2005-7",
        title: "rounds and immediate retry of cyclic shifts",
        draw: strumpen::figure_7,
    },
];

impl Figure {
    /// The figure of that name, or a report that names those that are known.
    pub fn named(name: &str) -> Result<Figure, Report> {
        let known = FIGURES.map(|figure| figure.name);
        if let Some(at) = known.iter().position(|&known| known == name) {
            return Ok(FIGURES[at]);
        }
        let help = match suggest::nearest(name, &known) {
            Some(near) => format!("did you mean {near}?"),
            None => "leave the name out to make all figures".into(),
        };
        let message = format!("found {name:?}; known figures: {}", known.join(", "));
        Err(Report::one(
            Class::Usage,
            "command line",
            Diagnostic::new("figure", message, help),
        ))
    }

    /// Simulates as much as is asked for, and draws.
    ///
    /// # Errors
    /// When someone asks to stop.
    pub fn draw(self, effort: Effort, watch: &mut dyn Watch) -> Result<Drawn, Report> {
        let (charts, csv) = (self.draw)(effort, watch)?;
        Ok(Drawn {
            svgs: charts.iter().map(plot::svg).collect(),
            csv,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_figure_names_the_known_and_the_nearest() {
        let report = Figure::named("dehon1990-4.18").expect_err("no such figure");
        assert_eq!(report.class, Class::Usage);
        let text = report.to_string();
        assert!(
            text.contains("known figures: dehon1990-4.19, turning"),
            "{text}"
        );
        assert!(text.contains("did you mean dehon1990-4.19?"), "{text}");
        assert_eq!(
            Figure::named("turning").map(|figure| figure.name),
            Ok("turning")
        );
    }

    #[test]
    fn without_simulation_curves_are_drawn() {
        let drawn = FIGURES[0]
            .draw(Effort::Formulas, &mut ())
            .expect("nobody stops it");
        assert_eq!(drawn.csv.lines().count(), 1 + 8 * 10);
        assert!(drawn.svgs[0].contains("10 stages"));
    }
}
