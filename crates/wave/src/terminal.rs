//! Timing diagrams as text, as data sheets draw them.
//!
//! ```text
//! cycle    0   1   2   3   4   5
//! clk      ╱▔╲▁╱▔╲▁╱▔╲▁╱▔╲▁╱▔╲▁╱▔╲▁
//! top.node0
//!   valid  ▁▁▁▁╱▔▔▔▔▔▔▔╲▁▁▁▁▁▁▁▁▁▁▁
//!   data   xxxx│3A │7F │00
//!   state  xxxx│IDLE   │SEND   │IDLE
//! ```
//!
//! A cycle is a block of equally many characters. The first one shows the edge,
//! if there is one; a value is written after it, once for all cycles in which it
//! stays. A value that finds no room ends in `…`. An event is `↑` in the cycles in which it
//! fires, and `↑3` where it does three times. Nothing depends on
//! the terminal, so a drawing can be kept and compared.

use super::timeline::{
    DrawOptions, DrawnRow, DrawnValue, Line, LineForm, Radix, Stretch, Timeline, shortened,
};
use super::waveform::Waveform;

#[cfg(test)]
mod tests;

/// The characters of a drawing.
struct Glyphs {
    low: char,
    high: char,
    rise: char,
    fall: char,
    bar: char,
    mark: char,
    fired: char,
    quiet: char,
}

const UNICODE: Glyphs = Glyphs {
    low: '▁',
    high: '▔',
    rise: '╱',
    fall: '╲',
    bar: '│',
    mark: '…',
    fired: '↑',
    quiet: '·',
};

const ASCII: Glyphs = Glyphs {
    low: '_',
    high: '~',
    rise: '/',
    fall: '\\',
    bar: '|',
    mark: '~',
    fired: '^',
    quiet: '.',
};

/// The widest cycle that is chosen to make values fit.
const MAX_COLUMN: usize = 8;

/// The same for values in digits that are more.
const MAX_LONG_COLUMN: usize = 24;

/// The widest column of names.
const MAX_NAMES: usize = 48;

/// Draws `rows` of `wave`; every line ends with a line feed.
///
/// With [`DrawOptions::ascii`], names and values that are not ASCII are written
/// with `?` in place of each such character.
///
/// # Panics
/// When a row has a signal that `wave` has not.
///
/// ```
/// use crosswave_wave::{DrawOptions, read, rows, terminal};
/// let text = "$scope module top $end $var wire 1 ! a $end $var wire 8 \" d $end $upscope $end
/// $enddefinitions $end #0 0! b0 \" #10 1! b111010 \" #20 0! #30";
/// let wave = read("example", text.as_bytes()).unwrap();
/// let options = DrawOptions { period: 10, ascii: true, ..DrawOptions::default() };
/// assert_eq!(
///     terminal::draw(&wave, &rows(&wave, &[true, true]), &options),
///     "\
/// cycle  0   1   2
/// top
///   a    ____/~~~\\___
///   d    |00 |3A
/// ",
/// );
/// ```
pub fn draw(wave: &Waveform, rows: &[DrawnRow], options: &DrawOptions) -> String {
    let timeline = Timeline::new(wave, rows, options);
    let glyphs = if options.ascii { &ASCII } else { &UNICODE };
    let names = names(&timeline);
    let layout = Layout::new(&timeline, &names, options);
    let mut text = String::new();
    let mut start = 0;
    loop {
        let end = timeline.cycles.min(start + layout.per_panel);
        let panel = Panel {
            timeline: &timeline,
            glyphs,
            margin: layout.margin,
            column: layout.column,
            start,
            end,
        };
        panel.draw(&names, &mut text);
        start = end;
        if start >= timeline.cycles {
            break;
        }
        text.push('\n');
    }
    if timeline.cut > 0 {
        text.push_str(&format!("… {} more cycles\n", timeline.cut));
    }
    if options.ascii {
        text = text
            .chars()
            .map(|c| match c {
                '…' => glyphs.mark,
                c if c.is_ascii() => c,
                _ => '?',
            })
            .collect();
    }
    text
}

/// Number of cycles of the window that [`draw`] puts beside each other, at least 1.
///
/// # Panics
/// When a row has a signal that `wave` has not.
pub fn cycles_beside(wave: &Waveform, rows: &[DrawnRow], options: &DrawOptions) -> u64 {
    let timeline = Timeline::new(wave, rows, options);
    let layout = Layout::new(&timeline, &names(&timeline), options);
    layout.per_panel.min(timeline.cycles).max(1) as u64
}

/// The names at the left, with their indents.
fn names(timeline: &Timeline) -> Vec<String> {
    let lines = timeline.lines.iter();
    let name = |line: &Line| {
        let indent = if line.indented { "  " } else { "" };
        shortened(&format!("{indent}{}", line.label), MAX_NAMES, '…')
    };
    lines.map(name).collect()
}

/// The widths of a drawing.
struct Layout {
    /// Characters of the column of names.
    margin: usize,
    /// Characters of a cycle.
    column: usize,
    /// Cycles beside each other.
    per_panel: usize,
}

impl Layout {
    fn new(timeline: &Timeline, names: &[String], options: &DrawOptions) -> Layout {
        let longest = names.iter().map(|name| name.chars().count()).max();
        let margin = longest.unwrap_or(0).max("cycle".len()) + 2;
        let column = match options.column_width {
            Some(width) => width.max(2),
            None => {
                let most = match options.radix {
                    Radix::Hexadecimal | Radix::Natural => MAX_COLUMN,
                    Radix::Binary | Radix::Decimal => MAX_LONG_COLUMN,
                };
                timeline.fitting_width(1, (4, most))
            }
        };
        Layout {
            margin,
            column,
            per_panel: match options.line_width {
                Some(width) => (width.saturating_sub(margin) / column).max(1),
                None => timeline.cycles.max(1),
            },
        }
    }
}

/// Some of the cycles of a timeline, drawn in one piece.
struct Panel<'a> {
    timeline: &'a Timeline,
    glyphs: &'a Glyphs,
    margin: usize,
    column: usize,
    start: usize,
    end: usize,
}

impl Panel<'_> {
    fn draw(&self, names: &[String], text: &mut String) {
        self.finish("cycle", &self.ruler(), text);
        for (line, name) in self.timeline.lines.iter().zip(names) {
            if let Some(heading) = &line.heading {
                text.push_str(heading);
                text.push('\n');
            }
            let drawn = match line.form {
                LineForm::Clock => self.clock(line),
                LineForm::Scalar => self.scalar(line),
                LineForm::Vector | LineForm::Names => self.vector(line),
                LineForm::Event => self.event(line),
            };
            self.finish(name, &drawn, text);
        }
    }

    fn finish(&self, name: &str, drawn: &str, text: &mut String) {
        let line = format!("{name:<width$}{drawn}", width = self.margin);
        text.push_str(line.trim_end());
        text.push('\n');
    }

    fn ruler(&self) -> String {
        let step = self.timeline.ruler_step(self.column);
        let mut ruler = String::new();
        for at in self.start..self.end {
            let cycle = self.timeline.first + at as u64;
            if cycle.is_multiple_of(step) {
                let width = (at - self.start) * self.column;
                ruler = format!("{ruler:<width$}{cycle}");
            }
        }
        ruler
    }

    fn clock(&self, line: &Line) -> String {
        let glyphs = self.glyphs;
        let high = ((glyphs.rise, glyphs.high), (self.column / 2).max(1));
        let low = ((glyphs.fall, glyphs.low), self.column - high.1);
        let repeated = |character: char, count: usize| std::iter::repeat_n(character, count);
        let mut drawn = String::new();
        for (run, width, begins) in self.runs(line) {
            let halves = match run.shown {
                DrawnValue::HighLow => [high, low],
                DrawnValue::LowHigh => [low, high],
                _ => {
                    drawn.push_str(&self.level(run, width, begins));
                    continue;
                }
            };
            for _ in 0..width / self.column {
                for ((edge, level), width) in halves {
                    drawn.push(edge);
                    drawn.extend(repeated(level, width - 1));
                }
            }
        }
        drawn
    }

    /// The runs of a line that lie in the panel, each with the number of
    /// characters it has here and whether its value changes at its start.
    fn runs<'b>(&self, line: &'b Line) -> impl Iterator<Item = (&'b Stretch, usize, bool)> {
        let (start, end, column) = (self.start, self.end, self.column);
        line.runs
            .iter()
            .filter(move |run| run.start < end && run.end > start)
            .map(move |run| {
                let cycles = run.end.min(end) - run.start.max(start);
                (run, cycles * column, run.begins && run.start >= start)
            })
    }

    fn scalar(&self, line: &Line) -> String {
        self.runs(line)
            .map(|(run, width, begins)| self.level(run, width, begins))
            .collect()
    }

    /// A run of a scalar without pulses.
    fn level(&self, run: &Stretch, width: usize, begins: bool) -> String {
        let glyphs = self.glyphs;
        let (edge, level) = match run.shown {
            DrawnValue::Low => (glyphs.fall, glyphs.low),
            DrawnValue::High => (glyphs.rise, glyphs.high),
            DrawnValue::Floating => ('z', 'z'),
            _ => ('x', 'x'),
        };
        let mut drawn = String::from(if begins { edge } else { level });
        drawn.extend(std::iter::repeat_n(level, width - 1));
        drawn
    }

    /// Marks, behind which stands how many times an event fires in a cycle if it does more
    /// than once.
    fn event(&self, line: &Line) -> String {
        let mut drawn = String::new();
        for (run, width, _) in self.runs(line) {
            let mark = match run.shown {
                DrawnValue::Fired(1) => self.glyphs.fired.to_string(),
                DrawnValue::Fired(count) => {
                    let count = shortened(&count.to_string(), width - 1, self.glyphs.mark);
                    format!("{}{count}", self.glyphs.fired)
                }
                _ => String::new(),
            };
            let quiet = width - mark.chars().count();
            drawn.push_str(&mark);
            drawn.extend(std::iter::repeat_n(self.glyphs.quiet, quiet));
        }
        drawn
    }

    fn vector(&self, line: &Line) -> String {
        let mut drawn = String::new();
        for (run, width, begins) in self.runs(line) {
            let first = run.start == 0 && self.start == 0;
            drawn.push(match &run.shown {
                _ if begins => self.glyphs.bar,
                DrawnValue::Unknown => 'x',
                DrawnValue::Floating => 'z',
                DrawnValue::Text(_) if first => self.glyphs.bar,
                _ => ' ',
            });
            let room = width - 1;
            match &run.shown {
                DrawnValue::Text(text) => {
                    let text = shortened(text, room, self.glyphs.mark);
                    drawn.push_str(&format!("{text:<room$}"));
                }
                DrawnValue::Floating => drawn.extend(std::iter::repeat_n('z', room)),
                _ => drawn.extend(std::iter::repeat_n('x', room)),
            }
        }
        drawn
    }
}
