//! The host when an engine takes several cycles at a time: it is asked about groups of
//! interfaces one after another, perhaps from different threads. The senders of a group
//! need nobody else; what concerns others is noted, and written down afterwards.

use std::cmp::Reverse;
use std::sync::Mutex;

use super::ledger::Event;
use super::sender::{Book, Desk, Rules, Sender};
use super::{Host, SHOWN};
use crate::chip::network_interface as port;
use crate::network::topology::NODES;
use crate::probe::engine::{Engine, LocalHost, Stride};

/// What is known of a group of interfaces during a stride.
#[derive(Debug, Default)]
pub struct Notes {
    book: Book,
    events: Vec<Event>,
    /// How many messages are newly offered in each cycle.
    offered: Vec<i64>,
    /// How many are acknowledged in each.
    acknowledged: Vec<i64>,
}

/// The groups of interfaces.
struct Desks<'d, 'a> {
    rules: &'d Rules<'a>,
    /// The cycle before the first edge.
    cycle: u64,
    instances: usize,
    groups: Vec<Mutex<(&'d mut [Sender], &'d mut Notes)>>,
}

impl LocalHost for Desks<'_, '_> {
    fn array(&self) -> usize {
        NODES
    }

    fn ports(&self) -> &[usize] {
        &SHOWN
    }

    fn answer(
        &self,
        first: usize,
        cycle: u64,
        shown: &[&[u64]],
        drive: &mut dyn FnMut(usize, u32, u64),
    ) {
        let group = &self.groups[first / self.instances];
        let mut group = group
            .lock()
            .expect("no thread panics while it holds the lock");
        let (senders, notes) = &mut *group;
        let edge = (cycle - self.cycle - 1) as usize;
        let mut desk = Desk {
            rules: self.rules,
            first: first as u32,
            senders,
            book: &mut notes.book,
        };
        let before = desk.book.offered;
        desk.begin(cycle, drive);
        let between = desk.book.offered;
        let [received, launched, collided, acknowledged] = shown else {
            unreachable!("as many as it asked for");
        };
        let rules = self.rules;
        each(first, received, |instance| {
            let node = rules.node(instance);
            notes.events.push(Event::Received { node, cycle });
        });
        each(first, launched, |instance| desk.launched(instance, cycle));
        each(first, collided, |instance| {
            notes.events.push(desk.collided(instance, cycle, 0));
        });
        each(first, acknowledged, |instance| {
            notes.events.push(desk.acknowledged(instance, cycle, false));
        });
        notes.offered[edge] = between - before;
        notes.acknowledged[edge] = between - desk.book.offered;
    }
}

/// Calls with each instance whose lane is 1.
fn each(first: usize, words: &[u64], mut take: impl FnMut(u32)) {
    for (word, &value) in words.iter().enumerate() {
        let mut lanes = value;
        while lanes != 0 {
            take((first + 64 * word) as u32 + lanes.trailing_zeros());
            lanes &= lanes - 1;
        }
    }
}

impl Host<'_> {
    /// Whether the cycles of a stride that begins in a cycle may be taken together: no
    /// node has to know of another one to act, and they are all of one kind, not quiet.
    /// What interfaces to fat trees show is all that is looked at.
    ///
    /// In rounds, nodes wait for the last one. So a round is on its way, and cannot end
    /// before the last cycle of the stride; the next one then starts after that.
    pub(crate) fn may_stride(&self, cycle: u64, stride: Stride) -> bool {
        if !self.shows_only_what_strides_look_at() {
            return false;
        }
        let end = cycle + stride.cycles;
        let alone = match (self.rules.by_rounds, self.rules.timing.rounds()) {
            (false, _) => true,
            (true, None) => false,
            (true, Some(timing)) => {
                !self.round_on && self.book.round.ends_from(timing, cycle) >= Some(end)
            }
        };
        alone && cycle > 0 && !self.quiet(end)
    }

    /// Whether the interfaces are those whose outputs are [`SHOWN`].
    fn shows_only_what_strides_look_at(&self) -> bool {
        std::ptr::eq(self.rules.network.interface(), &port::INTERFACE)
    }

    /// Lets the engine take a stride, and takes in what happened in it.
    pub(crate) fn advance<E: Engine + ?Sized>(&mut self, engine: &mut E, stride: Stride) {
        let cycle = engine.cycle();
        self.hand_out(cycle, stride);
        let groups = self.senders.chunks_mut(stride.instances);
        let groups = groups.zip(&mut self.notes);
        engine.advance(&Desks {
            rules: &self.rules,
            cycle,
            instances: stride.instances,
            groups: groups.map(Mutex::new).collect(),
        });
        self.gather(cycle, stride);
    }

    /// Hands what is to be done to the groups.
    fn hand_out(&mut self, cycle: u64, stride: Stride) {
        let groups = self.senders.len().div_ceil(stride.instances);
        self.notes.resize_with(groups, Notes::default);
        for notes in &mut self.notes {
            notes.offered.clear();
            notes.offered.resize(stride.cycles as usize, 0);
            notes.acknowledged.clear();
            notes.acknowledged.resize(stride.cycles as usize, 0);
        }
        let notes = &mut self.notes;
        let group = |instance: u32| instance as usize / stride.instances;
        for instance in self.book.due_next.drain(..) {
            notes[group(instance)].book.due_next.push(instance);
        }
        for instance in self.book.changed.drain(..) {
            notes[group(instance)].book.changed.push(instance);
        }
        while let Some(&Reverse((due, instance))) = self.book.due.peek()
            && due <= cycle + stride.cycles
        {
            self.book.due.pop();
            let due = Reverse((due, instance));
            notes[group(instance)].book.due.push(due);
        }
    }

    /// Takes back what is still to be done, and writes down what happened.
    fn gather(&mut self, cycle: u64, stride: Stride) {
        let sum = |of: fn(&Notes) -> &[i64], edge: usize| -> i64 {
            self.notes.iter().map(|notes| of(notes)[edge]).sum()
        };
        let mut offered = self.book.offered;
        for edge in 0..stride.cycles as usize {
            offered += sum(|notes| &notes.offered, edge);
            if offered > 0 {
                self.last_busy = Some(cycle + 1 + edge as u64);
            }
            offered -= sum(|notes| &notes.acknowledged, edge);
        }
        for notes in &mut self.notes {
            self.book.due_next.append(&mut notes.book.due_next);
            self.book.changed.append(&mut notes.book.changed);
            self.book.due.append(&mut notes.book.due);
            self.book.offered += std::mem::take(&mut notes.book.offered);
            self.book.in_flight += std::mem::take(&mut notes.book.in_flight);
            if self.rules.by_rounds {
                self.book.round.take_in(&mut notes.book.round);
            }
            for event in notes.events.drain(..) {
                self.ledger.take(event);
            }
        }
        let end = cycle + stride.cycles;
        assert!(
            !self.rules.by_rounds || self.book.in_flight > 0 || self.book.round.last_settled == end,
            "no round ends before the last cycle of a stride"
        );
        let end = self.finished().map_or(end, |last| last.min(end));
        self.evaluated_cycles += end - cycle;
    }
}
