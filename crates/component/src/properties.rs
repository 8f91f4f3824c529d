//! Properties of a router that keeps its protocols, as one module of Verilog beside it.
//!
//! Each link has rules for who sends flits and for who takes them. At a link into the router the first
//! are *assumptions* about its neighbour and the second are *properties* of the router; at a link out
//! of it they change places. The router as a whole has rules for the flits in it.
//!
//! The module reads the ports of the chip and has, for each rule, a signal that is 1 in a cycle in which the
//! rule is broken (`breach`), and one that is 1 in a cycle in which it says something (`premise`). The same
//! text serves proofs, monitors in a run, and the designer's own flow:
//!
//! | form | outputs | assertions |
//! |---|---|---|
//! | [`Form::Proof`] | `breaches`, `premises`, `illegal`: a bit for each rule | |
//! | [`Form::Monitor`] | `monitor_0`, …: a bit for each property, 1 from the cycle after its first breach on | |
//! | [`Form::Assertions`] | | `assert` and `assume` in clocked blocks |
//!
//! A flit is followed by a mark, a bit of its payload that no field but the number of the message uses.
//! All flits of one mark are one flit as the neighbours keep to it. That the router treats all values of the
//! payload alike is not proved; where it looks at these bits, only marked flits are meant.

mod flits;
mod senders;

use std::fmt::Write;

use super::endpoint::{bits, data, declared};
use super::file::{FlitForm, ProtocolName};
use super::links::{LinkEnds, LinkForm};
use super::packet::PacketLayout;
use super::reset;
use crosswave_chips::{PinDirection, Port, Role};

/// Bits of an output with monitors at most.
const MONITOR_BITS_MAX: usize = 64;

/// The traffic under which a rule is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Traffic {
    /// Any that keeps the protocol.
    Legal,
    /// One flit has the mark.
    Marked,
    /// One flit has the mark, and one later flit of its flow a second mark.
    Ordered,
}

/// The subject of a rule, by which assumptions matter to properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Offers of single flits.
    Offers,
    /// Room at the receiver.
    Room,
    /// Packets in a virtual channel.
    Packets,
    /// Paths of circuits.
    Paths,
    /// Flits in the router.
    Flits,
}

impl Rule {
    /// Its family.
    pub fn family(&self) -> Family {
        match self.name {
            "within-credits" | "credits-owed" | "stops-when-off" => Family::Room,
            "wormhole" | "known-channel" => Family::Packets,
            "quiet-after-reset" | "valid-stable" | "data-stable" | "resend-after-flit" => {
                Family::Offers
            }
            _ if self.link.is_none() => Family::Flits,
            _ => Family::Paths,
        }
    }

    /// True for an assumption that most routers need to keep a property.
    pub fn supports(&self, property: &Rule) -> bool {
        let needed: &[Family] = match property.family() {
            Family::Offers => &[Family::Offers],
            Family::Room => &[Family::Room],
            Family::Packets => &[Family::Packets, Family::Room],
            Family::Paths => &[Family::Paths],
            Family::Flits => &[Family::Flits, Family::Packets, Family::Room],
        };
        // Room at one link has nothing to do with that at others.
        let is_near = property.family() != Family::Room
            || self.link.map(|(link, _)| link) == property.link.map(|(link, _)| link);
        self.is_assumed
            && self.traffic <= property.traffic
            && needed.contains(&self.family())
            && is_near
    }
}

/// A rule: a property of the router, or an assumption about a neighbour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The link, and true for its direction out of the router; none for the router as a whole.
    pub link: Option<(&'static str, bool)>,
    /// Its name.
    pub name: &'static str,
    /// The sentence that it stands for.
    pub sentence: &'static str,
    /// True for an assumption.
    pub is_assumed: bool,
    /// The traffic that it needs.
    pub traffic: Traffic,
    /// The condition in Verilog under which it is broken in a cycle.
    breach: String,
    /// The condition under which it says something.
    premise: String,
}

impl Rule {
    /// The place that it is about: `router`, `east.out`.
    pub fn place(&self) -> String {
        match self.link {
            None => "router".to_owned(),
            Some((link, is_out)) => format!("{link}.{}", if is_out { "out" } else { "in" }),
        }
    }

    /// Its place and name.
    pub fn title(&self) -> String {
        format!("{} {}", self.place(), self.name)
    }

    /// The signal of its breach.
    fn signal(&self) -> String {
        self.title().replace(['.', ' ', '-'], "_")
    }
}

/// A form of the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Breaches of all rules as outputs.
    Proof,
    /// A bit for each property that can be looked at in any traffic.
    Monitor,
    /// Assertions and assumptions.
    Assertions,
}

/// A component as its properties see it.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The ports of its chip.
    pub ports: &'a [Port],
    /// The names of its links.
    pub links: &'a [&'static str],
    /// The form of its links.
    pub form: LinkForm,
    /// Their directions.
    pub ends: &'a [LinkEnds],
    /// Flits that may be on the way into it before a credit comes back, by link.
    pub credits: &'a [u32],
    /// Its packets.
    pub packet: &'a PacketLayout,
    /// The cycles in which its reset acts.
    pub reset_cycles: u64,
    /// Flits that it can hold at most.
    pub capacity: u64,
}

/// The properties of a component.
#[derive(Debug, Clone)]
pub struct Properties {
    /// All rules, in order.
    pub rules: Vec<Rule>,
    /// Registers and wires.
    declared: String,
    /// Statements at a clock edge.
    clocked: String,
    /// Statements in reset.
    reset: String,
    /// The ports that are read.
    ports: Vec<Port>,
    reset_cycles: u64,
}

/// A direction of a link, as the Verilog of its rules is written.
struct Direction<'a> {
    subject: &'a Subject<'a>,
    /// The number of the link.
    number: usize,
    link: &'static str,
    is_out: bool,
    /// The beginning of the names of its signals.
    prefix: String,
    has_back: bool,
}

impl Direction<'_> {
    /// Bits of the flit in this cycle.
    fn flit(&self, range: &std::ops::Range<usize>) -> String {
        format!("{}_flit{}", self.prefix, bits(range))
    }

    /// True in a cycle in which a flit moves.
    fn moves(&self) -> String {
        let prefix = &self.prefix;
        match self.subject.form.protocol {
            ProtocolName::ValidReady => format!("({prefix}_valid && {prefix}_ready)"),
            _ => format!("{prefix}_valid"),
        }
    }

    /// True in a cycle in which a flit of a channel is there.
    fn is_of(&self, channel: usize) -> String {
        let prefix = &self.prefix;
        match &self.subject.packet.vc {
            Some(vc) if self.subject.form.vcs > 1 => {
                format!("({prefix}_valid && {} == {channel})", self.flit(vc))
            }
            _ => format!("{prefix}_valid"),
        }
    }

    /// True when the flit that is there is the first of a packet, where flits tell.
    fn head(&self) -> Option<String> {
        let packet = self.subject.packet;
        match (&packet.codes, packet.head) {
            (Some(codes), _) => Some(self.is_one_of(codes.heads(), codes)),
            (None, Some(head)) => Some(self.flit(&(head..head + 1))),
            _ => None,
        }
    }

    /// True when the flit that is there is the final one of a packet, where flits tell.
    fn tail(&self) -> Option<String> {
        let packet = self.subject.packet;
        match (&packet.codes, packet.tail) {
            (Some(codes), _) => Some(self.is_one_of(codes.tails(), codes)),
            (None, Some(tail)) => Some(self.flit(&(tail..tail + 1))),
            _ if packet.form == FlitForm::Single => Some("1'b1".to_owned()),
            _ => None,
        }
    }

    fn is_one_of(&self, wanted: [u64; 2], codes: &super::packet::FlitCodes) -> String {
        let kind = self.flit(&codes.bits);
        let [one, other] = wanted.map(|code| codes.verilog(code));
        format!("({kind} == {one} || {kind} == {other})")
    }
}

impl Properties {
    /// The properties of a component.
    pub fn of(subject: &Subject<'_>) -> Properties {
        let mut all = Properties {
            rules: Vec::new(),
            declared: String::new(),
            clocked: String::new(),
            reset: String::new(),
            ports: subject
                .ports
                .iter()
                .filter(|port| is_read(port))
                .copied()
                .collect(),
            reset_cycles: subject.reset_cycles,
        };
        all.declare("reg after_reset;");
        all.at_edge("after_reset <= in_reset;");
        let directions = directions(subject);
        for direction in &directions {
            let ports = &all.ports;
            let flit = data(ports, &format!("{}_data", direction.prefix));
            let width = subject.form.data_bits;
            all.declare(&format!(
                "wire [{}:0] {}_flit = {flit};",
                width - 1,
                direction.prefix
            ));
            senders::rules(&mut all, direction);
        }
        flits::rules(&mut all, subject, &directions);
        all
    }

    /// The properties that can be looked at in any traffic.
    pub fn monitored(&self) -> impl Iterator<Item = &Rule> {
        let any = |rule: &&Rule| !rule.is_assumed && rule.traffic == Traffic::Legal;
        self.rules.iter().filter(any)
    }

    fn declare(&mut self, line: &str) {
        let _ = writeln!(self.declared, "  {line}");
    }

    fn at_edge(&mut self, line: &str) {
        let _ = writeln!(self.clocked, "    {line}");
    }

    fn in_reset(&mut self, line: &str) {
        let _ = writeln!(self.reset, "      {line}");
    }

    /// A register that is 0 after reset, and its next value.
    fn register(&mut self, width: usize, name: &str, next: &str) {
        self.declare(&format!("reg [{}:0] {name};", width - 1));
        self.at_edge(&format!("{name} <= {next};"));
        self.in_reset(&format!("{name} <= {width}'d0;"));
    }

    /// Adds a rule of a direction: for who sends flits, or for who takes them.
    fn of_direction(
        &mut self,
        direction: &Direction<'_>,
        of_sender: bool,
        (name, sentence): (&'static str, &'static str),
        premise: &str,
        breach: &str,
    ) {
        self.rules.push(Rule {
            link: Some((direction.link, direction.is_out)),
            name,
            sentence,
            is_assumed: of_sender != direction.is_out,
            traffic: Traffic::Legal,
            breach: breach.to_owned(),
            premise: premise.to_owned(),
        });
    }

    /// The outputs of the module in a form, as names and widths.
    pub fn outputs(&self, form: Form) -> Vec<(String, usize)> {
        match form {
            Form::Assertions => Vec::new(),
            Form::Proof => vec![
                ("breaches".to_owned(), self.rules.len()),
                ("premises".to_owned(), self.rules.len()),
            ],
            Form::Monitor => {
                let count = self.monitored().count();
                let parts = (0..count).step_by(MONITOR_BITS_MAX).enumerate();
                parts
                    .map(|(part, first)| {
                        let width = (count - first).min(MONITOR_BITS_MAX);
                        (format!("monitor_{part}"), width)
                    })
                    .collect()
            }
        }
    }

    /// The text of the module.
    pub fn verilog(&self, name: &str, form: Form) -> String {
        let outputs = self.outputs(form);
        let mut lines: Vec<String> = self.ports.iter().map(read).collect();
        lines.extend(
            outputs
                .iter()
                .map(|(name, width)| format!("    output wire [{}:0] {name}", width - 1)),
        );
        let mut text = format!(
            "// Rules for the links of a router. Written by crosswave for the component file.\n\
             `default_nettype none\n\nmodule {name} (\n{}\n);\n{}{}",
            lines.join(",\n"),
            reset::verilog(self.reset_cycles),
            self.declared,
        );
        // A String takes all text.
        let _ = write!(
            text,
            "  always @(posedge clock) begin\n{}    if (in_reset) begin\n{}    end\n  end\n",
            self.clocked, self.reset
        );
        for rule in &self.rules {
            let (signal, breach, premise) = (rule.signal(), &rule.breach, &rule.premise);
            let _ = writeln!(
                text,
                "  // {}: {}\n  wire {signal} = !in_reset && {breach};\n  wire {signal}_premise = !in_reset && {premise};",
                rule.title(),
                rule.sentence,
            );
        }
        match form {
            Form::Proof => {
                let all = |end: &str| {
                    let names = self.rules.iter().rev();
                    let names = names.map(|rule| rule.signal() + end);
                    names.collect::<Vec<_>>().join(", ")
                };
                let _ = writeln!(text, "  assign breaches = {{{}}};", all(""));
                let _ = writeln!(text, "  assign premises = {{{}}};", all("_premise"));
            }
            Form::Monitor => self.sticky(&mut text, &outputs),
            Form::Assertions => self.assertions(&mut text),
        }
        text.push_str("endmodule\n`default_nettype wire\n");
        text
    }

    /// Registers that keep the breaches.
    fn sticky(&self, text: &mut String, outputs: &[(String, usize)]) {
        let signals: Vec<String> = self.monitored().map(Rule::signal).collect();
        let parts = signals.chunks(MONITOR_BITS_MAX).zip(outputs);
        for (signals, (output, width)) in parts {
            let all: Vec<&str> = signals.iter().rev().map(String::as_str).collect();
            let _ = write!(
                text,
                "  reg [{0}:0] {output}_kept;\n  always @(posedge clock)\n    \
                 {output}_kept <= in_reset ? {width}'d0 : {output}_kept | {{{1}}};\n  \
                 assign {output} = {output}_kept;\n",
                width - 1,
                all.join(", "),
            );
        }
    }

    /// Immediate assertions. Simulators look at the rules of neighbours too; rules that need marks are
    /// for proofs.
    fn assertions(&self, text: &mut String) {
        // Yosys 0.23 takes labels and no messages, Icarus Verilog messages and no labels.
        let mut block = |opens: &str, traffic: Traffic, line: fn(&Rule, &str) -> String| {
            let rules = self.rules.iter().filter(|rule| rule.traffic == traffic);
            let _ = writeln!(text, "`{opens}\n  always @(posedge clock) begin");
            for rule in rules {
                let _ = writeln!(text, "    {}", line(rule, &rule.signal()));
            }
            text.push_str("  end\n`endif\n");
        };
        let formal = |rule: &Rule, signal: &str| {
            let word = if rule.is_assumed { "assume" } else { "assert" };
            format!("{signal}_rule: {word} (!{signal});")
        };
        block("ifdef FORMAL", Traffic::Legal, formal);
        block("ifdef FORMAL_MARKED", Traffic::Marked, formal);
        block("ifdef FORMAL_ORDERED", Traffic::Ordered, formal);
        block("ifndef FORMAL", Traffic::Legal, |rule, signal| {
            format!("assert (!{signal}) else $error(\"{}\");", rule.title())
        });
    }
}

/// The declaration of a port that is read.
fn read(port: &Port) -> String {
    declared(&Port {
        direction: PinDirection::Input,
        ..*port
    })
}

/// The directions of all links.
fn directions<'a>(subject: &'a Subject<'a>) -> Vec<Direction<'a>> {
    let mut all = Vec::new();
    for (number, (&link, ends)) in subject.links.iter().zip(subject.ends).enumerate() {
        for (is_out, is_there, has_back) in [
            (false, ends.takes, ends.takes_answer),
            (true, ends.sends, ends.sends_answer),
        ] {
            if is_there {
                all.push(Direction {
                    subject,
                    number,
                    link,
                    is_out,
                    prefix: format!("{link}_{}", if is_out { "out" } else { "in" }),
                    has_back,
                });
            }
        }
    }
    all
}

/// True for the ports that rules read.
pub(super) fn is_read(port: &Port) -> bool {
    matches!(port.role, Role::Clock | Role::Reset | Role::Link { .. })
}
