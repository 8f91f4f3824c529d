//! Records that the ledger makes of events that are written down here, also of those that no right
//! network would show.

use super::*;
use crosswave_papers::strumpen2005::enumerate::fat_tree;
use crosswave_probe::message::NEVER;

/// A ledger of messages to node 3 of four from the others in turn.
fn ledger_of(messages: u32) -> Ledger {
    let messages = (0..messages).map(|id| MessageRecord::new(id % 3, 3, 5));
    Ledger::new(messages.collect(), &fat_tree(2))
}

/// A ledger of three messages.
fn ledger() -> Ledger {
    ledger_of(3)
}

fn received(ledger: &mut Ledger, cycle: u64) {
    ledger.take(Event::Received { node: 3, cycle });
}

/// The acknowledgement of a message, which was delivered in a cycle by what its sender
/// knows.
fn acknowledged(ledger: &mut Ledger, id: u32, cycle: u64, delivered: u64) {
    ledger.take(Event::Acknowledged(Acknowledged {
        id,
        destination: 3,
        attempts: 1,
        offered_cycle: 1,
        sent_cycle: 2,
        cycle,
        launched_cycle: 2,
        opened: None,
        delivered,
        stages: 0,
        wrong: false,
    }));
}

fn delivered(ledger: &mut Ledger) -> Vec<u64> {
    let messages = ledger.records().messages.iter();
    messages.map(|message| message.delivered_cycle).collect()
}

/// Release by the acknowledge: deliveries come first, and answers in another order.
#[test]
fn deliveries_are_matched_by_their_cycles() {
    let mut ledger = ledger();
    for cycle in [20, 31, 42] {
        received(&mut ledger, cycle);
    }
    acknowledged(&mut ledger, 1, 50, 42);
    assert_eq!(delivered(&mut ledger), [NEVER, 42, NEVER]);
    acknowledged(&mut ledger, 0, 51, 20);
    assert_eq!(ledger.finished(), None);
    acknowledged(&mut ledger, 2, 53, 31);
    assert_eq!(delivered(&mut ledger), [20, 42, 31]);
    assert_eq!(ledger.finished(), Some(53));
}

/// Release by the tail: answers come first, and the tails in the order of the way.
#[test]
fn tails_are_matched_by_their_cycles() {
    let mut ledger = ledger();
    acknowledged(&mut ledger, 2, 10, 33);
    acknowledged(&mut ledger, 0, 12, 21);
    received(&mut ledger, 21);
    assert_eq!(delivered(&mut ledger), [21, NEVER, NEVER]);
    acknowledged(&mut ledger, 1, 25, 44);
    received(&mut ledger, 33);
    assert_eq!(delivered(&mut ledger), [21, NEVER, 33]);
    assert_eq!(ledger.finished(), None);
    received(&mut ledger, 44);
    assert_eq!(delivered(&mut ledger), [21, 44, 33]);
    assert_eq!(ledger.finished(), Some(44));
}

/// A message that came in another cycle than its way takes was not this one.
#[test]
fn a_delivery_in_another_cycle_is_not_taken() {
    let mut ledger = ledger();
    received(&mut ledger, 20);
    acknowledged(&mut ledger, 0, 30, 21);
    assert_eq!(delivered(&mut ledger), [NEVER; 3]);
    received(&mut ledger, 22);
    assert_eq!(delivered(&mut ledger), [NEVER; 3]);
    received(&mut ledger, 21);
    assert_eq!(delivered(&mut ledger), [21, NEVER, NEVER]);
    // Those of cycles 20 and 22 wait for what they belong to.
    acknowledged(&mut ledger, 1, 40, 20);
    acknowledged(&mut ledger, 2, 41, 22);
    assert_eq!(delivered(&mut ledger), [21, 20, 22]);
}

/// Records are written for many messages at once. Until then what is saved has them nevertheless.
#[test]
fn what_is_saved_has_the_messages_that_are_over() {
    let all = RECENT_MAX as u32 + 10;
    let mut ledger = ledger_of(all);
    for id in 0..all - 1 {
        received(&mut ledger, u64::from(id));
        acknowledged(&mut ledger, id, u64::from(id) + 5, u64::from(id));
    }
    assert_eq!(ledger.records.messages[all as usize - 2].attempts, 0);
    let mut saver = Saver::new();
    ledger.save(&mut saver);
    let mut other = ledger_of(all);
    let bytes = saver.finish();
    other
        .load(&mut Loader::new(&bytes))
        .expect("of the same messages");
    for ledger in [&mut ledger, &mut other] {
        let records = ledger.records();
        let (last, over) = records.messages.split_last().expect("messages");
        assert_eq!((last.attempts, last.acknowledged_cycle), (0, NEVER));
        for (id, message) in (0..).zip(over) {
            assert_eq!((message.attempts, message.delivered_cycle), (1, id));
            assert_eq!(message.acknowledged_cycle, id + 5);
        }
    }
}
