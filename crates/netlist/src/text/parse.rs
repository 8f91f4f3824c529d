//! Reading the text form, one line at a time.

use std::collections::HashMap;
use std::ops::Range;

use smol_str::SmolStr;

use super::words::{TextWord, words};
use crate::findings::Findings;
use crate::function::Function;
use crate::model::{
    Asynchronous, Bit, BitRange, Cell, CellKind, Connection, Control, Design, Edge, Flop, Gate,
    Instance, Memory, Module, Net, NetId, Port, PortDirection, ReadPort, SyncReset, WritePort,
};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// A mistake: the bytes at fault, the finding, and advice on how to fix it.
type TextMistake = (Range<usize>, String, String);

/// Reads a design; every line that is wrong is reported.
pub(super) fn parse(text: &str, origin: &str) -> Result<Design, Error> {
    if u32::try_from(text.len()).is_err() {
        let found = Diagnostic::new("text", "the text has 4 GiB or more", "split the design");
        return Err(Error::one(Class::Input, origin, found));
    }
    let mut findings = Findings::default();
    let mut parser = Parser::default();
    let mut start = 0;
    for (number, line) in text.split('\n').enumerate() {
        let done = words(line, start)
            .map_err(|(span, expected)| (span, expected.to_owned(), String::new()))
            .and_then(|words| match words.is_empty() {
                true => Ok(()),
                false => parser.line(Line::new(words)),
            });
        if let Err((span, message, help)) = done {
            let before = line.get(..span.start - start).unwrap_or(line);
            let column = before.chars().count() + 1;
            let place = format!("line {}, column {column}", number + 1);
            findings.push(Diagnostic::new(place, message, help).at(span));
        }
        start += line.len() + 1;
    }
    if let Some((module, _)) = parser.open.take() {
        let (line, column) = Error::line_column(text, text.len());
        let message = format!("module `{}` has no `end`", module.name);
        let place = format!("line {line}, column {column}");
        findings.push(Diagnostic::new(place, message, "").at(text.len()..text.len()));
    }
    findings.finish(parser.design, origin, Some(text))
}

#[derive(Default)]
struct Parser {
    design: Design,
    /// The module being read, and its nets by name.
    open: Option<(Module, HashMap<String, NetId>)>,
}

/// The words of a line that are still to be read.
struct Line {
    words: Vec<TextWord>,
    next: usize,
}

impl Line {
    fn new(words: Vec<TextWord>) -> Line {
        Line { words, next: 0 }
    }

    fn peek(&self) -> Option<&TextWord> {
        self.words.get(self.next)
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.peek().is_some_and(|next| next.is(word));
        self.next += usize::from(found);
        found
    }

    /// The fault that something else was expected here.
    fn expected<T>(&self, what: &str) -> Result<T, TextMistake> {
        let (span, found) = match self.peek() {
            Some(word) => (word.span.clone(), format!("`{}`", word.text)),
            None => {
                let end = self.words.last().map_or(0, |word| word.span.end);
                (end..end, "the end of the line".to_owned())
            }
        };
        Err((
            span,
            format!("found {found}, expected {what}"),
            String::new(),
        ))
    }

    fn expect(&mut self, word: &str) -> Result<(), TextMistake> {
        match self.take(word) {
            true => Ok(()),
            false => self.expected(&format!("`{word}`")),
        }
    }

    fn name(&mut self, what: &str) -> Result<String, TextMistake> {
        match self.words.get_mut(self.next) {
            Some(word) if word.is_name() => {
                self.next += 1;
                Ok(std::mem::take(&mut word.text))
            }
            _ => self.expected(what),
        }
    }

    /// The ends of a range `[left:right]` and where it stands, when there is one.
    fn range(&mut self) -> Option<(i64, i64, Range<usize>)> {
        let word = self.peek().filter(|word| !word.quoted)?;
        let inner = word.text.strip_prefix('[')?.strip_suffix(']')?;
        let (left, right) = inner.split_once(':')?;
        let found = (left.parse().ok()?, right.parse().ok()?, word.span.clone());
        self.next += 1;
        Some(found)
    }

    /// A number.
    fn number<N: std::str::FromStr>(&mut self) -> Result<N, TextMistake> {
        let word = self.peek().filter(|word| !word.quoted);
        match word.and_then(|word| word.text.parse().ok()) {
            Some(number) => {
                self.next += 1;
                Ok(number)
            }
            None => self.expected("a number"),
        }
    }

    /// Bits as digits, the lowest last.
    fn digits(&mut self) -> Result<Vec<Option<bool>>, TextMistake> {
        let digit = |digit| match digit {
            '0' => Some(Some(false)),
            '1' => Some(Some(true)),
            'x' => Some(None),
            _ => None,
        };
        let digits = self
            .peek()
            .and_then(|word| word.text.chars().rev().map(digit).collect());
        match digits {
            Some(digits) => {
                self.next += 1;
                Ok(digits)
            }
            None => self.expected("digits `0`, `1` and `x`"),
        }
    }

    /// One of several reserved words, as its index.
    fn one_of(&mut self, choices: &[&str]) -> Result<usize, TextMistake> {
        match choices.iter().position(|choice| self.take(choice)) {
            Some(index) => Ok(index),
            None => self.expected(&format!("`{}`", choices.join("` or `"))),
        }
    }

    /// `src NAME` if it is there, and then the end of the line.
    fn end(&mut self) -> Result<String, TextMistake> {
        let src = match self.take("src") {
            true => self.name("a place in a source file")?,
            false => String::new(),
        };
        match self.peek() {
            None => Ok(src),
            Some(_) => self.expected("the end of the line"),
        }
    }
}

impl Parser {
    fn line(&mut self, mut line: Line) -> Result<(), TextMistake> {
        if line.take("module") {
            if let Some((open, _)) = &self.open {
                let span = line.words[0].span.clone();
                let message = format!("a module begins inside module `{}`", open.name);
                return Err((span, message, "write `end` before it".to_owned()));
            }
            let name = line.name("the name of the module")?;
            let src = line.end();
            let module = Module {
                name,
                src: src.clone().unwrap_or_default(),
                ..Module::default()
            };
            self.open = Some((module, HashMap::new()));
            return src.map(drop);
        }
        let Some((module, nets)) = &mut self.open else {
            return line.expected("`module`");
        };
        if line.take("end") {
            if let Some((module, _)) = self.open.take() {
                self.design.modules.push(module);
            }
            return line.end().map(drop);
        }
        Body { module, nets }.line(&mut line)
    }
}

/// Reads the lines inside a module.
struct Body<'a> {
    module: &'a mut Module,
    nets: &'a mut HashMap<String, NetId>,
}

impl Body<'_> {
    fn line(&mut self, line: &mut Line) -> Result<(), TextMistake> {
        let keywords = [
            "wire", "input", "output", "gate", "flop", "memory", "instance",
        ];
        match line.one_of(&keywords) {
            Ok(0) => self.wire(line),
            Ok(1) => self.port(line, PortDirection::Input),
            Ok(2) => self.port(line, PortDirection::Output),
            Ok(kind) => {
                let name = line.name("the name of the cell")?;
                let kind = match kind {
                    3 => self.gate(line)?,
                    4 => CellKind::Flop(Box::new(self.flop(line)?)),
                    5 => CellKind::Memory(Box::new(self.memory(line)?)),
                    _ => CellKind::Instance(self.instance(line)?),
                };
                let src = line.end()?;
                self.module.cells.push(Cell {
                    name: name.into(),
                    src: src.into(),
                    kind,
                });
                Ok(())
            }
            Err(_) => line.expected(&format!("`{}`, `module` or `end`", keywords.join("`, `"))),
        }
    }

    fn wire(&mut self, line: &mut Line) -> Result<(), TextMistake> {
        let span = line.peek().map(|word| word.span.clone());
        let name = line.name("the name of a net")?;
        let src = line.end()?;
        if let (Some(span), true) = (span, self.nets.contains_key(&name)) {
            let message = format!("net `{name}` was mentioned before");
            let help = "put `wire` lines before all others, one for each net".to_owned();
            return Err((span, message, help));
        }
        let net = self.net(name);
        self.module.nets[net.index()].src = src.into();
        Ok(())
    }

    fn net(&mut self, name: String) -> NetId {
        // Net names are as many as words in a text of less than 2^32 bytes.
        let next = NetId(self.module.nets.len() as u32);
        *self.nets.entry(name).or_insert_with_key(|name| {
            self.module.nets.push(Net {
                name: name.as_str().into(),
                src: SmolStr::default(),
            });
            next
        })
    }

    fn bit(&mut self, line: &mut Line) -> Result<Bit, TextMistake> {
        for (word, bit) in [("0", Bit::Zero), ("1", Bit::One), ("?", Bit::X)] {
            if line.take(word) {
                return Ok(bit);
            }
        }
        let name = line.name("`0`, `1`, `?` or the name of a net")?;
        Ok(Bit::Net(self.net(name)))
    }

    /// Bits up to a reserved word other than `0`, `1`, `?`, or the end of the line.
    fn bits<B: Extend<Bit> + Default>(&mut self, line: &mut Line) -> Result<B, TextMistake> {
        let mut bits = B::default();
        while let Some(word) = line.peek()
            && (word.is_name() || ["0", "1", "?"].iter().any(|bit| word.is(bit)))
        {
            let bit = self.bit(line)?;
            bits.extend([bit]);
        }
        Ok(bits)
    }

    fn port(&mut self, line: &mut Line, direction: PortDirection) -> Result<(), TextMistake> {
        let name = line.name("the name of the port")?;
        let range = line.range();
        let signed = line.take("signed");
        let bits = match line.take("=") {
            true => self.bits(line)?,
            false => vec![Bit::Net(self.net(name.clone()))],
        };
        let range = match range {
            None => BitRange::default(),
            Some((left, right, span)) => {
                BitRange::new(left, right, bits.len()).ok_or_else(|| {
                    let found = format!("the range is not one of {} bits", bits.len());
                    (
                        span,
                        found,
                        "write it as `[left:right]`, or leave it out".to_owned(),
                    )
                })?
            }
        };
        if line.peek().is_some() {
            return line.expected("`=`, bits, and the end of the line");
        }
        self.module.ports.push(Port {
            name,
            direction,
            bits,
            range,
            signed,
        });
        Ok(())
    }

    fn gate(&mut self, line: &mut Line) -> Result<CellKind, TextMistake> {
        let names = Function::ALL.map(Function::name);
        let span = line.peek().map_or(0..0, |word| word.span.clone());
        let function = Function::ALL[line.one_of(&names)?];
        let inputs: smallvec::SmallVec<[Bit; 4]> = self.bits(line)?;
        if inputs.len() != function.arity() {
            let message = format!(
                "{} has {} inputs ({}), but {} are given",
                function.name(),
                function.arity(),
                function.pins().join(" "),
                inputs.len()
            );
            return Err((span, message, String::new()));
        }
        line.expect("->")?;
        let output = line.name("the net that the gate drives")?;
        let output = self.net(output);
        Ok(CellKind::Gate(Gate {
            function,
            inputs,
            output,
        }))
    }

    fn level(&mut self, line: &mut Line) -> Result<Control, TextMistake> {
        let bit = self.bit(line)?;
        let active_high = line.one_of(&["low", "high"])? == 1;
        Ok(Control { bit, active_high })
    }

    fn flop(&mut self, line: &mut Line) -> Result<Flop, TextMistake> {
        let data = self.bit(line)?;
        line.expect("->")?;
        let q = line.name("the net that the flip-flop drives")?;
        let q = self.net(q);
        let edge = [Edge::Rising, Edge::Falling][line.one_of(&["posedge", "negedge"])?];
        let mut flop = Flop {
            edge,
            ..Flop::plain(self.bit(line)?, data, q)
        };
        while let Some(span) = line.peek().map(|word| word.span.clone()) {
            let repeated = if line.take("enable") {
                flop.enable.replace(self.level(line)?).is_some()
            } else if line.take("reset") {
                let control = self.level(line)?;
                line.expect("to")?;
                let reset = SyncReset {
                    control,
                    value: line.one_of(&["0", "1"])? == 1,
                    gated: line.take("gated"),
                };
                flop.reset.replace(reset).is_some()
            } else if line.take("init") {
                let value = line.one_of(&["0", "1"])? == 1;
                flop.init.replace(value).is_some()
            } else if line.peek().is_some_and(|word| word.is("src")) {
                break;
            } else {
                let asynchronous = self.asynchronous(line)?;
                std::mem::replace(&mut flop.asynchronous, asynchronous) != Asynchronous::None
            };
            if repeated {
                let message = "a second option of this kind".to_owned();
                return Err((span, message, "give it once".to_owned()));
            }
        }
        Ok(flop)
    }

    fn asynchronous(&mut self, line: &mut Line) -> Result<Asynchronous, TextMistake> {
        let kinds = ["async-reset", "async-set-reset", "async-load"];
        let Ok(kind) = line.one_of(&kinds) else {
            let kinds = kinds.join("`, `");
            return line.expected(&format!("`enable`, `reset`, `{kinds}`, `init` or `src`"));
        };
        let control = self.level(line)?;
        Ok(match kind {
            0 => {
                line.expect("to")?;
                let value = line.one_of(&["0", "1"])? == 1;
                Asynchronous::Reset { control, value }
            }
            1 => Asynchronous::SetReset {
                set: control,
                reset: self.level(line)?,
            },
            _ => Asynchronous::Load {
                control,
                data: self.bit(line)?,
            },
        })
    }

    fn memory(&mut self, line: &mut Line) -> Result<Memory, TextMistake> {
        line.expect("words")?;
        let words = line.number()?;
        line.expect("width")?;
        let mut memory = Memory {
            width: line.number()?,
            words,
            first: 0,
            init: Vec::new(),
            beyond: false,
            reads: Vec::new(),
            writes: Vec::new(),
        };
        loop {
            if line.take("first") {
                memory.first = line.number()?;
            } else if line.take("init") {
                memory.init = line.digits()?;
            } else if line.take("beyond") {
                memory.beyond = line.one_of(&["0", "1"])? == 1;
            } else {
                break;
            }
        }
        while line.take("in") {
            let (read, write) = (memory.reads.len(), memory.writes.len());
            if line.take(&format!("R{read}_ADDR")) {
                line.expect("=")?;
                let address = self.bits(line)?;
                line.expect("out")?;
                line.expect(&format!("R{read}_DATA"))?;
                line.expect("=")?;
                let mut data = Vec::new();
                while line.peek().is_some_and(TextWord::is_name) {
                    let net = line.name("a net that the memory drives")?;
                    data.push(self.net(net));
                }
                memory.reads.push(ReadPort { address, data });
                continue;
            }
            let edges = [Edge::Rising, Edge::Falling];
            let edge =
                edges[line.one_of(&[&format!("W{write}_CLK"), &format!("W{write}_CLKN")])?];
            line.expect("=")?;
            let clock = self.bit(line)?;
            let mut connected = |pin: &str| {
                line.expect("in")?;
                line.expect(&format!("W{write}_{pin}"))?;
                line.expect("=")?;
                self.bits(line)
            };
            memory.writes.push(WritePort {
                clock,
                edge,
                address: connected("ADDR")?,
                data: connected("DATA")?,
                enable: connected("EN")?,
            });
        }
        Ok(memory)
    }

    fn instance(&mut self, line: &mut Line) -> Result<Instance, TextMistake> {
        let module = line.name("the name of the module")?;
        let mut connections = Vec::new();
        while line.peek().is_some_and(|word| !word.is("src")) {
            let direction =
                [PortDirection::Input, PortDirection::Output][line.one_of(&["in", "out"])?];
            let port = line.name("the name of a port")?;
            line.expect("=")?;
            connections.push(Connection {
                port,
                direction,
                bits: self.bits(line)?,
            });
        }
        Ok(Instance {
            module,
            connections,
        })
    }
}
