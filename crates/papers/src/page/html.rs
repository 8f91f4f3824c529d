//! A page as HTML: one file with its style and pictures in it, for wide and narrow screens
//! and for paper.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Claim, Page, PagePart, PageTable, Section};
use crate::quantity::{Quantity, Value, Verdict};

const STYLE: &str = "
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem 1.25rem 4rem; max-width: 62rem; color: #1d232a;
  background: #fff; font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 1rem 0 .5rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; padding-top: .75rem;
  border-top: 1px solid #d7dce1; }
p { margin: .6rem 0; max-width: 46rem; }
nav ol { padding-left: 1.4rem; columns: 22rem; margin: .5rem 0 1rem; }
a { color: #0a58a8; }
figure { margin: 1rem 0; }
figure svg { display: block; width: 100%; height: auto; max-width: 46rem; }
figcaption, .caption { font-size: .9rem; color: #4c5763; text-align: left; padding: .25rem 0; }
.caption { margin: 1rem 0 0; } .wide { overflow-x: auto; margin: .25rem 0 1rem; max-width: 100%; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #e3e7eb; text-align: right;
  vertical-align: top; overflow-wrap: normal; }
td { white-space: nowrap; }
th:first-child, td:first-child { text-align: left; white-space: normal; }
thead th { border-bottom: 2px solid #aab3bc; vertical-align: bottom; }
.source { display: block; font-size: .8rem; color: #4c5763; }
td.text { text-align: left; white-space: normal; }
.claims { width: 100%; } .claims th { text-align: left; } .claims td { text-align: left; white-space: normal; min-width: 8rem; }
.claims td:nth-child(3) { min-width: 13rem; } .claims td.verdict { min-width: 6rem; }
td.quantity { min-width: 16rem; } .id { color: #6a7580; font-size: .8rem; }
code { overflow-wrap: anywhere; }
.reproduced { color: #17683a; } .undecided { color: #4c5763; } .differs { color: #8a5a00; } .not { color: #a3171d; font-weight: 600; }
pre { overflow-x: auto; background: #f4f6f8; padding: .6rem .8rem; font-size: .85rem; }
summary { cursor: pointer; color: #0a58a8; }
@media (max-width: 44rem) {
  .claims thead { display: none; } .claims tr { display: block; padding: .5rem 0;
    border-bottom: 1px solid #aab3bc; }
  .claims td { display: block; border: 0; padding: .1rem 0; } .claims td:empty { display: none; }
  .claims td[data-label]::before { content: attr(data-label) ': '; color: #6a7580; }
}
@media (max-width: 34rem) { body { padding: .5rem .75rem 3rem; } h1 { font-size: 1.3rem; } }
@media print { body { max-width: none; } .wide { overflow: visible; } }
";

/// The page as an HTML document.
pub fn html(page: &Page) -> String {
    let quantities: Vec<&Quantity> = page.sections.iter().flat_map(|s| &s.quantities).collect();
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (page.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (page.title) }
                @for text in &page.lead { p { (text) } }
                (claims(&page.sections))
                (overview(&quantities))
                nav aria-label="Sections" {
                    ol {
                        @for (number, section) in (1..).zip(&page.sections) {
                            li { a href=(format!("#section-{number}")) { (section.title) } }
                        }
                    }
                }
                main {
                    @for (number, section) in (1..).zip(&page.sections) {
                        (self::section(number, section))
                    }
                }
            }
        }
    };
    document.into_string()
}

/// Claims of the paper and what came out, in words, with the sections that show it.
fn claims(sections: &[Section]) -> Markup {
    let claims = (1..).zip(sections);
    let claims: Vec<(u32, &Claim)> = claims
        .flat_map(|(number, section)| section.claims.iter().map(move |claim| (number, claim)))
        .collect();
    html! {
        @if !claims.is_empty() {
            p class="caption" { "What the paper says, and what came out" }
            div class="wide" tabindex="0" role="region" aria-label="Claims" {
                table class="claims" {
                    thead { tr {
                        @for name in ["claim", "the paper says", "what came out", "verdict", "why it differs"] {
                            th scope="col" { (name) }
                        }
                    } }
                    tbody {
                        @for (number, claim) in claims {
                            tr {
                                td { a href=(format!("#section-{number}")) { (claim.about) } }
                                td data-label="the paper says" { (claim.paper) }
                                td data-label="what came out" { (claim.found) }
                                td class=(format!("verdict {}", class(claim.verdict))) { (claim.verdict) }
                                td data-label="why" { (claim.why) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The number of quantities by verdict, and those that are not reproduced.
fn overview(quantities: &[&Quantity]) -> Markup {
    let count = |verdict| quantities.iter().filter(|q| q.verdict == verdict).count();
    let others = quantities
        .iter()
        .filter(|q| q.verdict != Verdict::Reproduced);
    let others: Vec<&&Quantity> = others.collect();
    html! {
        p {
            (quantities.len()) " quantities:"
            @for (verdict, place) in Verdict::ALL.into_iter().zip(1..) {
                @let found = count(verdict);
                " "
                span class=[(found > 0).then_some(class(verdict))] { (found) " " (verdict) }
                @if place == Verdict::ALL.len() { "." } @else { "," }
            }
        }
        @if !others.is_empty() {
            details {
                summary { "Those that are not reproduced, with reasons" }
                ul {
                    @for quantity in others {
                        li {
                            (quantity.name) " " code class="id" { (quantity.id) } ": "
                            span class=(class(quantity.verdict)) { (quantity.verdict) }
                            ": " (quantity.reason)
                        }
                    }
                }
            }
        }
    }
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "reproduced",
        Verdict::Undecided => "undecided",
        Verdict::Differs => "differs",
        Verdict::NotReproduced => "not",
    }
}

fn section(number: u32, section: &Section) -> Markup {
    html! {
        section id=(format!("section-{number}")) {
            h2 { (number) ". " (section.title) }
            @for part in &section.parts { (self::part(part)) }
            @if !section.quantities.is_empty() { (verdicts(&section.quantities)) }
        }
    }
}

fn part(part: &PagePart) -> Markup {
    match part {
        PagePart::Text(text) => html! { p { (text) } },
        PagePart::Picture(picture) => html! {
            figure {
                (PreEscaped(inline(&picture.svg)))
                figcaption {
                    (picture.caption) " "
                    a href=(format!("{}.svg", picture.name)) { (picture.name) ".svg" }
                }
            }
        },
        PagePart::Table(table) if table.folded => html! {
            details { summary { (table.caption) } (self::table(table)) }
        },
        PagePart::Table(table) => self::table(table),
        PagePart::Data(data) => html! { p { "Numbers: " a href=(data.name) { (data.name) } } },
        PagePart::Commands(lines) => html! {
            pre { @for line in lines { (line) "\n" } }
        },
    }
}

fn table(table: &PageTable) -> Markup {
    html! {
        @if !table.folded { p class="caption" { (table.caption) } }
        div class="wide" tabindex="0" role="region" aria-label=(table.caption) {
            table {
                thead { tr { @for name in &table.header { th scope="col" { (name) } } } }
                tbody {
                    @for row in &table.rows {
                        tr { @for cell in row { td class=[table.texts.then_some("text")] { (cell) } } }
                    }
                }
            }
        }
    }
}

fn verdicts(quantities: &[Quantity]) -> Markup {
    let shown = |value: &Option<Value>| value.as_ref().map_or("–".into(), |v| format!("{v:.4}"));
    html! {
        p class="caption" { "What is compared" }
        div class="wide" tabindex="0" role="region" aria-label="Verdicts" {
            table {
                thead {
                    tr {
                        @for name in
                            ["quantity", "verdict", "printed", "claimed", "formula", "enumerated",
                             "simulated ± standard error"]
                        {
                            th scope="col" { (name) }
                        }
                    }
                }
                tbody {
                    @for quantity in quantities {
                        tr {
                            td class="quantity" {
                                (quantity.name) " " code class="id" { (quantity.id) }
                                span class="source" { (quantity.source) }
                            }
                            td class=(class(quantity.verdict)) { (quantity.verdict) }
                            td { (shown(&quantity.printed)) }
                            td { (shown(&quantity.claimed)) }
                            td { (shown(&quantity.analytic)) }
                            td { (shown(&quantity.enumerated)) }
                            td {
                                (shown(&quantity.simulated))
                                @if let Some(stderr) = quantity.stderr {
                                    (format!(" ± {stderr:.4}"))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// An SVG document as an element of a page, which has no XML declaration and takes its width
/// from its surroundings.
fn inline(svg: &str) -> &str {
    svg.find("<svg").map_or(svg, |start| &svg[start..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Picture;

    fn page() -> Page {
        let mut section = Section::new("Squares & roots");
        section.text("1 < 2");
        let mut table = PageTable::new("Squares", ["x", "x²"]);
        table.row(["2".into(), "4".into()]);
        section.parts.push(PagePart::Table(table));
        section.parts.push(PagePart::Picture(Picture {
            name: "root".into(),
            svg: "<?xml version=\"1.0\"?>\n<svg><text>√</text></svg>".into(),
            caption: "A root".into(),
        }));
        section.parts.push(PagePart::Commands(vec!["bc -l".into()]));
        let wrong = Quantity::new("one_root", "section <1>", 1.0).analytic(2.0);
        section.claim(
            "A claim",
            "1",
            "2, in truth",
            vec![
                wrong.judged(None),
                Quantity::new("two", "", 2.0).analytic(2.0).judged(None),
            ],
        );
        Page {
            title: "A <page>".into(),
            lead: vec!["What it is.".into()],
            sections: vec![section],
        }
    }

    #[test]
    fn everything_is_on_the_page_and_escaped() {
        let text = html(&page());
        for part in [
            "<title>A &lt;page&gt;</title>",
            "<h2>1. Squares &amp; roots</h2>",
            "1 &lt; 2",
            "<td>4</td>",
            "<figure><svg><text>√</text></svg>",
            "bc -l\n",
            "2 quantities: <span class=\"reproduced\">1 reproduced</span>, <span>0 undecided</span>",
            "section &lt;1&gt;",
            "one root <code class=\"id\">one_root</code>",
            "<span class=\"not\">not reproduced</span>: printed 1, analytic 2.000",
            "<a href=\"#section-1\">A claim</a></td><td data-label=\"the paper says\">1</td>",
            "2, in truth</td><td class=\"verdict not\">not reproduced</td>\
             <td data-label=\"why\">printed 1, analytic 2.000</td>",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        // Nothing is fetched from anywhere.
        for link in ["http:", "https:", "src=", "@import", "<script"] {
            assert!(!text.contains(link), "{link}");
        }
    }

    #[test]
    #[should_panic(expected = "cells of Squares")]
    fn a_row_of_another_width() {
        let mut table = PageTable::new("Squares", ["x", "x²"]);
        table.row(["2".into()]);
    }
}
