//! Transactions as trace events, the JSON that Perfetto and other viewers of traces open.
//!
//! ```text
//! { "displayTimeUnit": "ns", "traceEvents": [
//!   { "ph": "M", "pid": NODE, "name": "process_name", "args": { "name": "node NODE" } },
//!   { "ph": "M", "pid": NODE, "tid": TRACK, "name": "thread_name", "args": { "name": NAME } },
//!   { "ph": "X", "pid": NODE, "tid": TRACK, "ts": MICROSECONDS, "dur": MICROSECONDS,
//!     "name": WHAT, "args": { … } }, … ] }
//! ```
//!
//! Packets, and messages of packets, may overlap in a track. Each is a pair of asynchronous events then,
//! with a number of its own, of which viewers make rows:
//!
//! ```text
//!   { "ph": "b", "pid": NODE, "tid": TRACK, "cat": "packets", "id": NUMBER, "ts": MICROSECONDS,
//!     "name": WHAT, "args": { … } },
//!   { "ph": "e", "pid": NODE, "tid": TRACK, "cat": "packets", "id": NUMBER, "ts": MICROSECONDS,
//!     "name": WHAT }
//! ```
//!
//! A process is a sending node. Its tracks are 1 for messages, 2 for attempts, and one for each
//! router on the way, the first one being track 3. Names of processes and tracks come before
//! their first event. The arguments have the cycles.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::{Attribute, Transaction, TransactionKind, TransactionSink, nanoseconds};

/// Tracks of messages and attempts; those of routers follow.
const TRACKS: usize = 2;

/// Writes trace events.
pub struct TraceEventWriter<W: Write> {
    out: W,
    /// Tracks that have names, by node.
    named: Vec<usize>,
    begun: bool,
    /// True when messages are packets.
    may_overlap: bool,
    /// Pairs of asynchronous events.
    pairs: u64,
}

impl<W: Write> TraceEventWriter<W> {
    /// Writes the events of a network of so many nodes, whose messages are packets or not.
    pub fn new(nodes: u32, are_packets: bool, out: W) -> Self {
        TraceEventWriter {
            out,
            named: vec![0; nodes as usize],
            begun: false,
            may_overlap: are_packets,
            pairs: 0,
        }
    }

    /// Ends the document.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self) -> io::Result<()> {
        if !self.begun {
            self.begin()?;
        }
        self.out.write_all(b"\n]}\n")?;
        self.out.flush()
    }

    fn begin(&mut self) -> io::Result<()> {
        self.begun = true;
        self.out
            .write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")
    }

    fn event(&mut self, event: &Value) -> io::Result<()> {
        let separator: &[u8] = match self.begun {
            true => b",\n",
            false => {
                self.begin()?;
                b"\n"
            }
        };
        self.out.write_all(separator)?;
        serde_json::to_writer(&mut self.out, event)?;
        Ok(())
    }

    /// Names the tracks of a node up to one.
    fn name_tracks(&mut self, node: u32, track: usize) -> io::Result<()> {
        let first = self.named[node as usize];
        if first == 0 {
            let name = json!({ "name": format!("node {node}") });
            self.event(&json!({ "ph": "M", "pid": node, "name": "process_name", "args": name }))?;
        }
        for track in first + 1..=track {
            let name = match track {
                1 => "messages".to_owned(),
                2 if self.may_overlap => "packets".to_owned(),
                2 => "attempts".to_owned(),
                track => format!("router {}", track - TRACKS),
            };
            let name = json!({ "name": name });
            self.event(&json!({
                "ph": "M", "pid": node, "tid": track, "name": "thread_name", "args": name
            }))?;
        }
        self.named[node as usize] = first.max(track);
        Ok(())
    }
}

/// Microseconds, of which nanoseconds are a thousandth.
fn microseconds(cycles: u64) -> f64 {
    nanoseconds(cycles) as f64 / 1000.0
}

impl<W: Write> TransactionSink for TraceEventWriter<W> {
    fn transaction(&mut self, transaction: &Transaction<'_>) -> io::Result<()> {
        let Transaction {
            kind,
            node,
            from_cycle,
            to_cycle,
            ref attributes,
        } = *transaction;
        let of = |wanted: &str| {
            let found = attributes.iter().find(|(name, _)| *name == wanted);
            found.map_or(Value::Null, |(_, value)| shown(value))
        };
        let (track, name) = match kind {
            TransactionKind::Message => (1, format!("message {}", of("message"))),
            TransactionKind::Attempt => {
                let part = if self.may_overlap {
                    "packet"
                } else {
                    "attempt"
                };
                (2, format!("message {}, {part} {}", of("message"), of(part)))
            }
            TransactionKind::Hop(number) => {
                let router = of("router");
                (
                    TRACKS + number,
                    router.as_str().unwrap_or_default().to_owned(),
                )
            }
        };
        self.name_tracks(node, track)?;
        let mut arguments = Map::new();
        arguments.insert("from_cycle".into(), from_cycle.into());
        arguments.insert("to_cycle".into(), to_cycle.into());
        for (name, value) in attributes {
            arguments.insert((*name).into(), shown(value));
        }
        if self.may_overlap {
            self.pairs += 1;
            let mut event = json!({
                "ph": "b",
                "pid": node,
                "tid": track,
                "cat": "packets",
                "id": self.pairs,
                "ts": microseconds(from_cycle),
                "name": name,
                "args": arguments,
            });
            self.event(&event)?;
            event["ph"] = "e".into();
            event["ts"] = microseconds(to_cycle).into();
            event.as_object_mut().expect("an object").remove("args");
            return self.event(&event);
        }
        self.event(&json!({
            "ph": "X",
            "pid": node,
            "tid": track,
            "ts": microseconds(from_cycle),
            "dur": microseconds(to_cycle - from_cycle),
            "name": name,
            "args": arguments,
        }))
    }
}

/// The value of an attribute.
fn shown(value: &Attribute<'_>) -> Value {
    match *value {
        Attribute::Number(number) => number.into(),
        Attribute::Name(name) => name.into(),
    }
}
