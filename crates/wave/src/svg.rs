//! Timing diagrams as a self-contained SVG picture.
//!
//! The picture has its own light background, so that it reads the same in a
//! dark page; it refers to no fonts, scripts or styles outside of itself, and
//! is the same bytes for the same waveform. Colours and fonts are presentation attributes, which all
//! converters draw, and no style sheet. Values that are cut have their full
//! text as a tooltip.
//!
//! Layout, in pixels: a title and the ruler, then a line of `ROW` for every row
//! and heading. Cycles are equally wide; edges and the ends of bus lozenges lean
//! by `LEAN`.

use std::fmt::Write;

use super::timeline::{
    DrawOptions, DrawnRow, DrawnValue, Line, LineForm, Stretch, Timeline, shortened,
};
use super::waveform::Waveform;
use crosswave_base::escape;

#[cfg(test)]
mod tests;

/// Height of a row.
const ROW: usize = 30;
/// Height of a signal within its row.
const WAVE: usize = 18;
/// Half the width of an edge.
const LEAN: usize = 3;
/// Space around everything.
const PADDING: usize = 14;
/// Height of the title, and of the ruler.
const TITLE: usize = 28;
/// Width of a character, in tenths of a pixel, in the monospace fonts of
/// common systems at 12 pixels, the widest of them.
const GLYPH: usize = 73;
/// Widest cycle, in characters.
const MAX_COLUMN: usize = 12;

/// The font of all text.
const FONT: &str = "font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\" \
                    font-size=\"12\"";
/// Attributes of names at the left, of values, of headings, of the title and of the ruler.
const NAME_TEXT: &str = "fill=\"#1f2328\"";
const VALUE_TEXT: &str = "fill=\"#1f2328\" text-anchor=\"middle\"";
const HEADING_TEXT: &str = "fill=\"#1f2328\" font-weight=\"bold\"";
const TITLE_TEXT: &str = "fill=\"#1f2328\" font-size=\"14\" font-weight=\"bold\"";
const RULER_TEXT: &str = "fill=\"#59636e\" font-size=\"11\"";
/// Attributes of the lines between cycles, and of the lines of scalars, clocks and what floats.
const GRID_LINE: &str = "fill=\"none\" stroke=\"#e4e8ec\"";
const SCALAR_LINE: &str =
    "fill=\"none\" stroke=\"#0b4f9e\" stroke-width=\"1.6\" stroke-linejoin=\"round\"";
const CLOCK_LINE: &str =
    "fill=\"none\" stroke=\"#59636e\" stroke-width=\"1.6\" stroke-linejoin=\"round\"";
const FLOATING_LINE: &str = "fill=\"none\" stroke=\"#8a6100\" stroke-width=\"1.6\" \
                             stroke-dasharray=\"4 3\" stroke-linejoin=\"round\"";
/// Fill and line of values, of names and of what is unknown.
const VALUE_PAINT: (&str, &str) = ("#e8f1fd", "#0b4f9e");
const NAME_PAINT: (&str, &str) = ("#fdf3d7", "#8a6100");
const UNKNOWN_PAINT: (&str, &str) = ("url(#x)", "#b42318");
/// Attributes of the lines around them.
const LOZENGE_LINE: &str = "stroke-width=\"1.4\" stroke-linejoin=\"round\"";

/// Draws `rows` of `wave` as an SVG document.
///
/// # Panics
/// When a row has a signal that `wave` has not.
pub fn draw(wave: &Waveform, rows: &[DrawnRow], options: &DrawOptions) -> String {
    let timeline = Timeline::new(wave, rows, options);
    let name_width = timeline
        .lines
        .iter()
        .map(|line| pixels(line.label.chars().count()) + if line.indented { 12 } else { 0 })
        .chain([pixels("cycle".len())])
        .max()
        .unwrap_or(0);
    let picture = Picture {
        left: PADDING + name_width + 14,
        column: pixels(timeline.fitting_width(2, (5, MAX_COLUMN))),
        top: PADDING + if options.title.is_empty() { 0 } else { TITLE },
        title: &options.title,
        timeline: &timeline,
    };
    picture.draw()
}

/// Width of some characters.
fn pixels(characters: usize) -> usize {
    (characters * GLYPH).div_ceil(10)
}

struct Picture<'a> {
    timeline: &'a Timeline,
    title: &'a str,
    /// Left end of the cycles, in pixels.
    left: usize,
    /// Width of a cycle.
    column: usize,
    /// Top of the ruler, in pixels.
    top: usize,
}

// Writing to a string cannot fail, so the results of `write!` are dropped.
impl Picture<'_> {
    fn draw(&self) -> String {
        let headings = self.timeline.lines.iter().filter(|line| has_heading(line));
        let rows = self.timeline.lines.len() + headings.count();
        let ruler = self.top + TITLE - 8;
        let bottom = ruler + ROW * rows + 4;
        let right = self.x(self.timeline.cycles);
        let note = if self.timeline.cut > 0 { 20 } else { 0 };
        let (width, height) = (right + PADDING, bottom + PADDING / 2 + note);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" stroke=\"none\" {FONT}>\n<defs><pattern id=\"x\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">\
             <rect width=\"6\" height=\"6\" fill=\"#fdecea\"/>\
             <path d=\"M-1 1L1 -1M0 6L6 0M5 7L7 5\" stroke=\"#e5a19a\"/></pattern></defs>\n\
             <rect x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"6\" fill=\"#fff\" \
             stroke=\"#d0d7de\"/>\n",
            width - 1,
            height - 1,
        );
        if !self.title.is_empty() {
            let (y, title) = (PADDING + 12, escape::xml(self.title));
            let _ = writeln!(
                svg,
                "<text {TITLE_TEXT} x=\"{PADDING}\" y=\"{y}\">{title}</text>"
            );
        }
        self.grid(ruler, bottom, &mut svg);
        let mut y = ruler;
        for line in &self.timeline.lines {
            if let Some(heading) = line.heading.as_ref().filter(|_| has_heading(line)) {
                let _ = writeln!(
                    svg,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" \
                     fill=\"#eff2f5\"/><text {HEADING_TEXT} x=\"{PADDING}\" y=\"{}\">{}</text>",
                    PADDING - 6,
                    y + 5,
                    width - 2 * PADDING + 12,
                    ROW - 8,
                    y + 20,
                    escape::xml(heading)
                );
                y += ROW;
            }
            self.line(line, y, &mut svg);
            y += ROW;
        }
        if note > 0 {
            let (y, cut) = (bottom + 14, self.timeline.cut);
            let _ = writeln!(
                svg,
                "<text {RULER_TEXT} x=\"{PADDING}\" y=\"{y}\">… {cut} more cycles</text>"
            );
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// Left end of a cycle, in pixels.
    fn x(&self, cycle: usize) -> usize {
        self.left + cycle * self.column
    }

    /// The numbers of the cycles and a vertical line at the start of each.
    fn grid(&self, top: usize, bottom: usize, svg: &mut String) {
        let step = self.timeline.ruler_step(self.column * 10 / GLYPH);
        let baseline = top - 5;
        let _ = writeln!(
            svg,
            "<text {RULER_TEXT} x=\"{PADDING}\" y=\"{baseline}\">cycle</text>"
        );
        let mut lines = String::new();
        for cycle in 0..=self.timeline.cycles {
            let number = self.timeline.first + cycle as u64;
            let x = self.x(cycle);
            let _ = write!(lines, "M{x}.5 {top}V{bottom}");
            if cycle < self.timeline.cycles && number.is_multiple_of(step) {
                let _ = writeln!(
                    svg,
                    "<text {RULER_TEXT} x=\"{x}\" y=\"{baseline}\">{number}</text>"
                );
            }
        }
        let _ = writeln!(svg, "<path {GRID_LINE} d=\"{lines}\"/>");
    }

    fn line(&self, line: &Line, y: usize, svg: &mut String) {
        let indent = if line.indented { 12 } else { 0 };
        let (x, baseline) = (PADDING + indent, y + 19);
        let label = escape::xml(&line.label);
        let _ = writeln!(
            svg,
            "<text {NAME_TEXT} x=\"{x}\" y=\"{baseline}\">{label}</text>"
        );
        let top = y + (ROW - WAVE) / 2;
        match line.form {
            LineForm::Clock | LineForm::Scalar => self.scalar(line, top, svg),
            LineForm::Event => self.event(line, top, svg),
            LineForm::Vector | LineForm::Names => {
                for run in &line.runs {
                    self.lozenge(line, run, top, svg);
                }
            }
        }
    }

    fn scalar(&self, line: &Line, top: usize, svg: &mut String) {
        let (middle, bottom) = (top + WAVE / 2, top + WAVE);
        let paint = match line.form {
            LineForm::Clock => CLOCK_LINE,
            _ => SCALAR_LINE,
        };
        // Consecutive runs of high and low make one path.
        let mut path = String::new();
        for run in &line.runs {
            let (start, end) = (self.x(run.start), self.x(run.end));
            let level = match run.shown {
                DrawnValue::High => top,
                DrawnValue::Low => bottom,
                DrawnValue::HighLow => {
                    self.pulses(run, [top, bottom], &mut path);
                    continue;
                }
                DrawnValue::LowHigh => {
                    self.pulses(run, [bottom, top], &mut path);
                    continue;
                }
                DrawnValue::Floating => {
                    let _ = writeln!(svg, "<path {FLOATING_LINE} d=\"M{start} {middle}H{end}\"/>");
                    end_path(&mut path, paint, svg);
                    continue;
                }
                DrawnValue::Unknown
                | DrawnValue::Text(_)
                | DrawnValue::Quiet
                | DrawnValue::Fired(_) => {
                    let width = end - start;
                    let (fill, stroke) = UNKNOWN_PAINT;
                    let _ = writeln!(
                        svg,
                        "<rect fill=\"{fill}\" stroke=\"{stroke}\" {LOZENGE_LINE} x=\"{start}\" y=\"{top}\" width=\"{width}\" \
                         height=\"{WAVE}\"/>"
                    );
                    end_path(&mut path, paint, svg);
                    continue;
                }
            };
            if path.is_empty() {
                let from = if run.begins && run.start == 0 {
                    top + bottom - level
                } else {
                    level
                };
                let _ = write!(path, "M{start} {from}");
            }
            let _ = write!(path, "L{} {level}H{end}", start + LEAN);
        }
        end_path(&mut path, paint, svg);
    }

    /// Adds cycles whose first half has one level and whose second half another.
    fn pulses(&self, run: &Stretch, [first, second]: [usize; 2], path: &mut String) {
        if path.is_empty() {
            let _ = write!(path, "M{} {second}", self.x(run.start));
        }
        for cycle in run.start..run.end {
            let (start, end) = (self.x(cycle), self.x(cycle + 1));
            let middle = start + self.column / 2;
            let _ = write!(path, "H{start}V{first}H{middle}V{second}H{end}");
        }
    }

    /// An arrow in every cycle in which an event fires, with how many times as a tooltip.
    fn event(&self, line: &Line, top: usize, svg: &mut String) {
        let bottom = top + WAVE;
        let (start, end) = (self.left, self.x(self.timeline.cycles));
        let _ = writeln!(svg, "<path {GRID_LINE} d=\"M{start} {bottom}H{end}\"/>");
        for run in &line.runs {
            let DrawnValue::Fired(count) = run.shown else {
                continue;
            };
            let middle = (self.x(run.start) + self.x(run.end)) / 2;
            let (left, right, wings) = (middle - LEAN, middle + LEAN, top + 2 * LEAN);
            let _ = write!(
                svg,
                "<path {SCALAR_LINE} d=\"M{middle} {bottom}V{top}M{left} {wings}L{middle} {top}\
                 L{right} {wings}\""
            );
            let _ = match count {
                1 => writeln!(svg, "/>"),
                _ => writeln!(svg, "><title>fires {count} times</title></path>"),
            };
            if count > 1 {
                let (x, y) = (right + 2, bottom - LEAN);
                let _ = writeln!(svg, "<text {RULER_TEXT} x=\"{x}\" y=\"{y}\">{count}</text>");
            }
        }
    }

    fn lozenge(&self, line: &Line, run: &Stretch, top: usize, svg: &mut String) {
        let (start, end) = (self.x(run.start), self.x(run.end));
        let (middle, bottom) = (top + WAVE / 2, top + WAVE);
        if run.shown == DrawnValue::Floating {
            let _ = writeln!(svg, "<path {FLOATING_LINE} d=\"M{start} {middle}H{end}\"/>");
            return;
        }
        let (fill, stroke) = match (&run.shown, line.form) {
            (DrawnValue::Text(_), LineForm::Names) => NAME_PAINT,
            (DrawnValue::Text(_), _) => VALUE_PAINT,
            _ => UNKNOWN_PAINT,
        };
        let open = run.start == 0 && !run.begins;
        let cut = run.end == self.timeline.cycles;
        let (left, right) = (start + LEAN, end - LEAN);
        // A side at which the value goes on has no line.
        let path = match (open, cut) {
            (false, false) => format!(
                "M{left} {bottom}L{start} {middle}L{left} {top}\
                 H{right}L{end} {middle}L{right} {bottom}Z"
            ),
            (false, true) => format!("M{end} {bottom}H{left}L{start} {middle}L{left} {top}H{end}"),
            (true, false) => {
                format!("M{start} {top}H{right}L{end} {middle}L{right} {bottom}H{start}")
            }
            (true, true) => {
                let _ = write!(
                    svg,
                    "<path fill=\"{fill}\" \
                     d=\"M{start} {top}H{end}V{bottom}H{start}Z\"/>"
                );
                format!("M{start} {top}H{end}M{start} {bottom}H{end}")
            }
        };
        // Its two sides alone have nothing between them.
        let fill = if open && cut { "none" } else { fill };
        let _ = write!(
            svg,
            "<path fill=\"{fill}\" stroke=\"{stroke}\" {LOZENGE_LINE} d=\"{path}\""
        );
        let DrawnValue::Text(text) = &run.shown else {
            svg.push_str("/>\n");
            return;
        };
        let room = (end - start - 2 * LEAN - 2) * 10 / GLYPH;
        let short = shortened(text, room, '…');
        let _ = if short == *text {
            writeln!(svg, "/>")
        } else {
            writeln!(svg, "><title>{}</title></path>", escape::xml(text))
        };
        let (x, y) = ((start + end) / 2, middle + 4);
        let _ = writeln!(
            svg,
            "<text {VALUE_TEXT} x=\"{x}\" y=\"{y}\">{}</text>",
            escape::xml(&short)
        );
    }
}

/// Writes a path that has begun.
fn end_path(path: &mut String, paint: &str, svg: &mut String) {
    if !path.is_empty() {
        let _ = writeln!(svg, "<path {paint} d=\"{path}\"/>");
        path.clear();
    }
}

fn has_heading(line: &Line) -> bool {
    line.heading.as_ref().is_some_and(|text| !text.is_empty())
}
