//! The declarations of an FST file, made of the entries of its hierarchy.

use std::sync::Arc;

use super::hierarchy::{Entries, HierarchyEntry};
use crate::enumerations::{Enumerations, ValueNames};
use crate::signal_name::{SignalName, signal_name};
use crate::vcd_reader::{MAX_DEPTH, MAX_WIDTH};
use crate::waveform::{SignalKind, WaveScope, WaveSignal, Waveform};

/// Attributes of no other kind, and the one of them that is an enumeration.
const ENUMERATION: (u8, u8) = (0, 7);

/// The declarations of a foreign file, as they are taken in.
#[derive(Default)]
pub(super) struct FstDeclarations {
    pub(super) wave: Waveform,
    /// The signals that are names: which, of which signal, and the names.
    pub(super) named: Vec<(usize, usize, Arc<ValueNames>)>,
    /// The open scopes, from the top; `None` for one without a name, which is no level.
    open: Vec<Option<usize>>,
    enumerations: Enumerations,
}

impl FstDeclarations {
    /// Takes in a hierarchy, or says what is wrong with it.
    pub(super) fn of(hierarchy: &[u8]) -> Result<FstDeclarations, String> {
        let mut declarations = FstDeclarations::default();
        let mut entries = Entries::new(hierarchy);
        for entry in entries.by_ref() {
            declarations.take(entry)?;
        }
        match entries.rest() {
            [] => Ok(declarations),
            rest => Err(format!(
                "found an entry of the unknown kind {} in the declarations",
                rest[0]
            )),
        }
    }

    fn take(&mut self, entry: HierarchyEntry) -> Result<(), String> {
        match entry {
            HierarchyEntry::Scope(name) => {
                if self.open.len() >= MAX_DEPTH {
                    return Err(format!("scopes lie in {MAX_DEPTH} others"));
                }
                let is_named = !name.is_empty();
                if is_named {
                    let parent = self.scope();
                    self.wave.scopes.push(WaveScope { name, parent });
                }
                self.open.push(is_named.then(|| self.wave.scopes.len() - 1));
            }
            HierarchyEntry::UpScope => {
                let ended = self.open.pop();
                ended.ok_or("a scope ends that did not begin")?;
            }
            HierarchyEntry::Attribute {
                kind,
                subkind,
                text,
                number,
            } if (kind, subkind) == ENUMERATION => {
                self.enumerations.attribute(text.split_whitespace(), number);
            }
            HierarchyEntry::Variable {
                kind,
                name,
                length,
                stream,
                ..
            } => self.variable(&name, length, signal_kind(kind, length), stream)?,
            HierarchyEntry::Attribute { .. } | HierarchyEntry::Other => {}
        }
        Ok(())
    }

    fn scope(&self) -> Option<usize> {
        self.open.iter().rev().find_map(|scope| *scope)
    }

    fn variable(
        &mut self,
        name: &str,
        width: u32,
        kind: SignalKind,
        stream: usize,
    ) -> Result<(), String> {
        let names = self.enumerations.take();
        if kind == SignalKind::Bits && width > MAX_WIDTH {
            return Err(format!(
                "variable `{name}` of {width} bits, expected up to 65536"
            ));
        }
        let of = self.wave.signals.len();
        let SignalName { name, had_range } = signal_name(name, width);
        let scope = self.scope();
        self.wave.signals.push(WaveSignal {
            scope,
            name: name.clone(),
            had_range,
            width,
            kind,
            stream,
        });
        if let (Some(names), SignalKind::Bits) = (names, kind) {
            self.named.push((of + 1, of, names));
            self.wave.signals.push(WaveSignal {
                scope,
                name: format!("{name}_name"),
                had_range: false,
                width: 1,
                kind: SignalKind::Text,
                stream,
            });
        }
        Ok(())
    }
}

/// True when variables of a kind are real numbers: `real`, `real_parameter`, `realtime` and
/// `shortreal`.
pub(super) fn is_real(kind: u8) -> bool {
    matches!(kind, 3 | 4 | 20 | 29)
}

/// The kind of a variable's values. A variable without bits is a string, as GTKWave's are.
fn signal_kind(kind: u8, length: u32) -> SignalKind {
    match kind {
        0 => SignalKind::Event,
        // Ports with strengths are text as well.
        18 | 21 => SignalKind::Text,
        _ if is_real(kind) => SignalKind::Real,
        _ if length == 0 => SignalKind::Text,
        _ => SignalKind::Bits,
    }
}
