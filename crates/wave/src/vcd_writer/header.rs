//! The declarations at the head of a VCD file.

use std::io;

use super::super::declarations::{Declarations, declare};
use super::super::timescale::Timescale;
use super::{UNNAMED, VariableCode};
use crosswave_probe::signal::{Net, SignalSet};

/// Writes the header, and returns the codes of the signals, by index, and the
/// codes of the state-name variables, in order of their signals.
pub(super) fn write(
    set: &SignalSet,
    timescale: Timescale,
    out: impl io::Write,
) -> io::Result<(Vec<VariableCode>, Vec<VariableCode>)> {
    let mut header = Header {
        set,
        vcd: vcd::Writer::new(io::BufWriter::new(out)),
        next_id: 0,
        shared: Vec::new(),
        codes: Vec::new(),
        named: Vec::new(),
    };
    header.number();
    header
        .vcd
        .version(concat!("crosswave ", env!("CARGO_PKG_VERSION")))?;
    header
        .vcd
        .timescale(timescale.count, timescale.unit.into())?;
    declare(
        &set.scopes,
        set.signals.iter().map(|signal| signal.scope),
        &mut header,
    )?;
    header.vcd.enddefinitions()?;
    header.vcd.flush()?;
    Ok((header.codes, header.named))
}

struct Header<'a, W: io::Write> {
    set: &'a SignalSet,
    vcd: vcd::Writer<W>,
    next_id: u64,
    /// The nets that have a code and several variables.
    shared: Vec<(Net, vcd::IdCode)>,
    codes: Vec<VariableCode>,
    named: Vec<VariableCode>,
}

impl<W: io::Write> Header<'_, W> {
    /// Lays the codes out, still without their identifiers.
    fn number(&mut self) {
        let mut shared = Vec::new();
        for signal in &self.set.signals {
            assert!(
                (1..=64).contains(&signal.width),
                "signal `{}` is {} bits wide",
                signal.name,
                signal.width
            );
            let mut code = VariableCode {
                tail: [0; 8],
                tail_length: 0,
                width: signal.width,
                named: UNNAMED,
                repeats: shared.contains(&signal.net),
            };
            if signal.net != Net::Own && !code.repeats {
                shared.push(signal.net);
            }
            if !signal.states.is_empty() {
                self.named.push(code);
                code.named = self.named.len() as u32 - 1;
            }
            self.codes.push(code);
        }
    }

    /// The identifier of a signal's variable, one for all variables of a shared net.
    fn id_of(&mut self, net: Net) -> vcd::IdCode {
        let known = self.shared.iter().find(|(shared, _)| *shared == net);
        if let Some(&(_, id)) = known {
            return id;
        }
        let id = self.take_id();
        if net != Net::Own {
            self.shared.push((net, id));
        }
        id
    }

    fn take_id(&mut self) -> vcd::IdCode {
        let id = vcd::IdCode::from(self.next_id);
        self.next_id += 1;
        id
    }
}

impl<W: io::Write> Declarations for Header<'_, W> {
    fn open(&mut self, scope: &str) -> io::Result<()> {
        self.vcd.add_module(scope)
    }

    fn signal(&mut self, index: usize) -> io::Result<()> {
        let signal = &self.set.signals[index];
        let width = u32::from(signal.width);
        let range = (width > 1).then(|| vcd::ReferenceIndex::Range(width as i32 - 1, 0));
        let id = self.id_of(signal.net);
        self.vcd
            .var_def(vcd::VarType::Wire, width, id, signal.name, range)?;
        let code = &mut self.codes[index];
        (code.tail, code.tail_length) = tail(id, width > 1);
        if code.named != UNNAMED {
            let named = code.named as usize;
            let name = format!("{}_name", signal.name);
            let id = self.take_id();
            self.vcd.var_def(vcd::VarType::String, 1, id, &name, None)?;
            let code = &mut self.named[named];
            (code.tail, code.tail_length) = tail(id, true);
        }
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        self.vcd.upscope()
    }
}

/// The end of a change's line: a blank if need be, the code, a line end.
fn tail(id: vcd::IdCode, blank: bool) -> ([u8; 8], u8) {
    let text = format!("{}{id}\n", if blank { " " } else { "" });
    let mut tail = [0; 8];
    // Five characters number 94^5 > 2^32 variables; there are fewer.
    tail[..text.len()].copy_from_slice(text.as_bytes());
    (tail, text.len() as u8)
}
