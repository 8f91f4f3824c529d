//! The signals of a run: scopes, names, widths and named states.
//!
//! A [`SignalSet`] is laid out once, before the run. After that a signal is an
//! index, and a run reports pairs of (index, value) to a [`WaveSink`].

use std::borrow::Cow;

/// One value of a state machine and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateName {
    /// The value of the state port.
    pub value: u64,
    /// The name shown in waveforms.
    pub name: &'static str,
}

/// One scope: a module instance of the exported Verilog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The instance name.
    pub name: String,
    /// Index of the enclosing scope; `None` for the top.
    pub parent: Option<usize>,
}

/// The net that a signal is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Net {
    /// One of its own.
    Own,
    /// The clock of the design.
    Clock,
    /// The reset of the design.
    Reset,
}

/// One signal: a port of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    /// Index of the scope it lies in.
    pub scope: usize,
    /// Port name.
    pub name: &'static str,
    /// Width in bits, 1 to 64.
    pub width: u8,
    /// Names of the values, for the ports of state machines and for words that have
    /// names; empty otherwise.
    pub states: &'static [StateName],
    /// The net. Signals on the clock or on the reset show one value at all times, so
    /// a change is told once, of the first of them.
    pub net: Net,
}

/// All signals of a run. Scopes come before the scopes they enclose; the
/// signals of one scope are consecutive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignalSet {
    /// The scopes.
    pub scopes: Vec<Scope>,
    /// The signals; their index is their identity.
    pub signals: Vec<Signal>,
}

impl SignalSet {
    /// The dotted path of a scope, from the top.
    pub fn scope_path(&self, scope: usize) -> String {
        let mut names = vec![self.scopes[scope].name.as_str()];
        let mut at = scope;
        while let Some(parent) = self.scopes[at].parent {
            names.push(self.scopes[parent].name.as_str());
            at = parent;
        }
        names.reverse();
        names.join(".")
    }

    /// Adds the scopes and signals of another set behind these, in the outermost scope where
    /// both have one of that name.
    pub fn extend(&mut self, other: SignalSet) {
        let mut places = Vec::new();
        for scope in other.scopes {
            let parent = scope.parent.map(|parent: usize| places[parent]);
            let mut own = self.scopes.iter();
            let known = own.position(|own| parent.is_none() && *own == scope);
            places.push(known.unwrap_or_else(|| {
                self.scopes.push(Scope { parent, ..scope });
                self.scopes.len() - 1
            }));
        }
        let signals = other.signals.into_iter().map(|signal| Signal {
            scope: places[signal.scope],
            ..signal
        });
        self.signals.extend(signals);
    }

    /// The dotted path of a signal, from the top.
    pub fn path(&self, signal: usize) -> String {
        let signal = &self.signals[signal];
        format!("{}.{}", self.scope_path(signal.scope), signal.name)
    }
}

/// A selection of signals: those that are kept, and the place of each among them.
///
/// It takes a bit and a half of memory for a signal, kept or not.
///
/// ```
/// use crosswave_probe::signal::SignalSelection;
/// let kept: SignalSelection = [false, true, false, true].into_iter().collect();
/// assert_eq!((kept.count(), kept.place(1), kept.place(3)), (2, Some(0), Some(1)));
/// assert_eq!(kept.place(2), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignalSelection {
    /// A bit for each signal.
    words: Vec<u64>,
    /// Number of signals that are kept before each word.
    before: Vec<u32>,
    signals: usize,
    count: usize,
}

impl SignalSelection {
    /// All of so many signals.
    pub fn all(signals: usize) -> SignalSelection {
        std::iter::repeat_n(true, signals).collect()
    }

    /// Number of signals, kept or not.
    pub fn signals(&self) -> usize {
        self.signals
    }

    /// Number of signals that are kept.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The place of a signal among those that are kept; `None` when it is not.
    #[inline]
    pub fn place(&self, signal: usize) -> Option<usize> {
        let (word, bit) = (self.words[signal / 64], 1 << (signal % 64));
        let before = self.before[signal / 64] as usize;
        (word & bit != 0).then(|| before + (word & (bit - 1)).count_ones() as usize)
    }

    /// Those that are kept, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        (0..).zip(&self.words).flat_map(|(at, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(64 * at + bit)
            })
        })
    }
}

impl FromIterator<bool> for SignalSelection {
    /// Selects the signals that are true, in order.
    ///
    /// # Panics
    /// When 2^32 are, or more.
    fn from_iter<I: IntoIterator<Item = bool>>(kept: I) -> SignalSelection {
        let mut found = SignalSelection::default();
        for kept in kept {
            if found.signals % 64 == 0 {
                found.words.push(0);
                let before = u32::try_from(found.count);
                found.before.push(before.expect("fewer than 2^32"));
            }
            let word = found.words.last_mut().expect("one was pushed");
            *word |= u64::from(kept) << (found.signals % 64);
            found.signals += 1;
            found.count += usize::from(kept);
        }
        found
    }
}

/// The value of a signal in one cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// Every bit is unknown (before reset).
    X,
    /// A known value; bits above the width are zero.
    Known(u64),
}

/// A change of a signal that is known before its run is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The cycle.
    pub cycle: u64,
    /// The signal, among those of its kind.
    pub signal: usize,
    /// The value that it shows from then on.
    pub value: u64,
}

/// Takes the values of signals as a run goes on.
///
/// The order of calls is: one [`WaveSink::begin`] with the value of every
/// signal at `time`; then, any number of times, [`WaveSink::time`] with
/// rising times, each followed by [`WaveSink::change`] calls; then one
/// [`WaveSink::end`]. Times are in the unit that the sink was made with.
pub trait WaveSink {
    /// The values of all signals at the first time shown, by index.
    fn begin(&mut self, time: u64, values: &[Value]) -> std::io::Result<()>;
    /// All changes that follow happen at `time`.
    fn time(&mut self, time: u64) -> std::io::Result<()>;
    /// Signal `index` takes a known value, and with it all others on its [`Net`].
    fn change(&mut self, index: usize, value: u64) -> std::io::Result<()>;
    /// The run ended at `time`.
    fn end(&mut self, time: u64) -> std::io::Result<()>;
}

/// Scopes and signals with names, from which patterns choose.
pub trait Hierarchy {
    /// Number of scopes.
    fn scope_count(&self) -> usize;
    /// The name of a scope.
    fn scope_name(&self, scope: usize) -> Cow<'_, str>;
    /// The index of the scope that a scope lies in, which is smaller than its own.
    fn parent(&self, scope: usize) -> Option<usize>;
    /// Number of signals.
    fn signal_count(&self) -> usize;
    /// The name of a signal, and the scope it lies in.
    fn signal(&self, signal: usize) -> (&str, Option<usize>);
}

impl Hierarchy for SignalSet {
    fn scope_count(&self) -> usize {
        self.scopes.len()
    }

    fn scope_name(&self, scope: usize) -> Cow<'_, str> {
        Cow::Borrowed(&self.scopes[scope].name)
    }

    fn parent(&self, scope: usize) -> Option<usize> {
        self.scopes[scope].parent
    }

    fn signal_count(&self) -> usize {
        self.signals.len()
    }

    fn signal(&self, signal: usize) -> (&str, Option<usize>) {
        (self.signals[signal].name, Some(self.signals[signal].scope))
    }
}
