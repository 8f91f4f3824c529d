//! The check that a schedule runs without queues.
//!
//! Every packet is assumed to move one link per step without waiting: sent in step t
//! towards level h, it crosses the up channel of level j in step t + j - 1 and the down
//! channel of level j in step t + 2h - j. The check finds what forbids that, and tells
//! when the last packet arrives.
//!
//! A message may reach a processor once only. So a schedule that passes and makes
//! n(n-1) deliveries of messages of one kind (broadcast or personal) without relays is a
//! whole multinode broadcast or total exchange.
//!
//! Schedules make at most [`DELIVERIES_MAX`] deliveries. Beside the schedule (32 bytes a
//! packet) the check takes 20 bytes a delivery, and then what `contention` does: less than
//! 500 MB for a total exchange among 4,096 processors.

use crate::contention;
use crate::fault::{DELIVERIES_MAX, Fault, STEP_MAX};
use crate::schedule::{Destination, Message, Schedule, ScheduledPacket};
use crate::tree::{BinaryFatTree, meeting_level};

/// The finish step and the deliveries of a schedule without faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScheduleOutcome {
    /// The last step in which a packet arrives; 0 for an empty schedule.
    pub finish_step: u64,
    /// Deliveries of messages to processors.
    pub deliveries: u64,
}

/// Checks a schedule.
///
/// # Errors
/// Of several faults the one reported is the first of this list: a packet that does not fit
/// (by index), a duplicate or an early relay (by index of the later packet), the
/// contention of the earliest step.
///
/// ```
/// use crosswave_collectives::check::check;
/// use crosswave_collectives::total_exchange::interleaved;
/// use crosswave_collectives::tree::BinaryFatTree;
///
/// let tree = BinaryFatTree::exponential(3)?;
/// let outcome = check(&tree, &interleaved(&tree)?)?;
/// assert_eq!((outcome.finish_step, outcome.deliveries), (11, 8 * 7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(tree: &BinaryFatTree, schedule: &Schedule) -> Result<ScheduleOutcome, Fault> {
    check_packets(tree, schedule)?;
    let outcome = check_messages(tree, schedule)?;
    match contention::find(tree, schedule) {
        None => Ok(outcome),
        Some(fault) => Err(fault),
    }
}

/// Checks every packet against the tree and the limits, so that later code can rely on it.
///
/// # Errors
/// A [`Fault`] of the class [`Input`](crosswave_base::diagnostic::Class::Input).
pub fn check_packets(tree: &BinaryFatTree, schedule: &Schedule) -> Result<(), Fault> {
    let mut deliveries = 0;
    for (index, packet) in schedule.packets.iter().enumerate() {
        check_packet(tree, index, packet)?;
        deliveries += match packet.destination {
            Destination::Processor(_) => 1,
            Destination::Levels(set) => {
                let levels = set.up_to(tree.levels());
                levels.map(|level| 1 << (level - 1)).sum::<u64>()
            }
        };
        if deliveries > DELIVERIES_MAX {
            return Err(Fault::TooMany((index, *packet)));
        }
    }
    Ok(())
}

fn check_packet(tree: &BinaryFatTree, index: usize, packet: &ScheduledPacket) -> Result<(), Fault> {
    let indexed = (index, *packet);
    if packet.step == 0 || packet.step > STEP_MAX {
        return Err(Fault::Step(indexed));
    }
    let destination = match packet.destination {
        Destination::Processor(processor) => processor,
        Destination::Levels(_) => packet.source,
    };
    let [origin, target] = match packet.relayed {
        None => [packet.source; 2],
        Some(Message::Broadcast { origin }) => [origin; 2],
        Some(Message::Personal { origin, target }) => [origin, target],
    };
    let processors = tree.processors();
    let named = [packet.source, destination, origin, target];
    if let Some(processor) = named.into_iter().find(|&named| named >= processors) {
        return Err(Fault::UnknownProcessor {
            packet: indexed,
            processor,
            processors,
        });
    }
    let levels = tree.levels();
    match packet.destination {
        Destination::Processor(destination) if destination == packet.source => {
            Err(Fault::SelfSend(indexed))
        }
        Destination::Levels(set) if set.highest() > levels && set.highest() <= 31 => {
            Err(Fault::UnknownLevel {
                packet: indexed,
                level: set.highest(),
                levels,
            })
        }
        _ => Ok(()),
    }
}

/// A message at a processor, and the packet that brought it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Delivery {
    message: Message,
    processor: u32,
    index: u32,
}

impl Delivery {
    /// The step of its arrival, when the packet never waits.
    fn arrival(&self, schedule: &Schedule) -> u64 {
        let packet = &schedule.packets[self.index as usize];
        packet.step + 2 * u64::from(meeting_level(packet.source, self.processor)) - 1
    }
}

/// Checks that no message comes twice and none is relayed before it has come, if no packet
/// waits. The packets have passed [`check_packets`].
///
/// # Errors
/// A [`Fault::Duplicate`] or a [`Fault::EarlyRelay`].
pub fn check_messages(tree: &BinaryFatTree, schedule: &Schedule) -> Result<ScheduleOutcome, Fault> {
    let packets = &schedule.packets;
    let mut deliveries = Vec::with_capacity(packets.len());
    let mut finish_step = 0;
    for (index, packet) in (0..).zip(packets) {
        let message = packet.message();
        for_each_receiver(tree, packet, |processor, arrival| {
            finish_step = arrival.max(finish_step);
            deliveries.push(Delivery {
                message,
                processor,
                index,
            });
        });
    }
    deliveries.sort_unstable();
    let indexed = |index: u32| (index as usize, packets[index as usize]);
    let doubled = deliveries
        .windows(2)
        .filter(|pair| (pair[0].message, pair[0].processor) == (pair[1].message, pair[1].processor))
        .map(|pair| (Some(indexed(pair[0].index)), &pair[1]));
    let returned = deliveries
        .iter()
        .filter(|delivery| delivery.message.origin() == delivery.processor)
        .map(|delivery| (None, delivery));
    if let Some((first, second)) = doubled
        .chain(returned)
        .min_by_key(|(_, second)| second.index)
    {
        return Err(Fault::Duplicate {
            first,
            second: indexed(second.index),
            processor: second.processor,
        });
    }
    for (index, packet) in packets.iter().enumerate() {
        let message = packet.message();
        if message.origin() == packet.source {
            continue;
        }
        let place = (message, packet.source);
        let found = deliveries.binary_search_by_key(&place, |d| (d.message, d.processor));
        let arrival = found.ok().map(|at| deliveries[at].arrival(schedule));
        if arrival.is_none_or(|arrival| arrival >= packet.step) {
            return Err(Fault::EarlyRelay {
                packet: (index, *packet),
                arrival,
            });
        }
    }
    Ok(ScheduleOutcome {
        finish_step,
        deliveries: deliveries.len() as u64,
    })
}

/// Calls `visit` with every processor a packet reaches and the step of its arrival, if
/// the packet never waits.
fn for_each_receiver(
    tree: &BinaryFatTree,
    packet: &ScheduledPacket,
    mut visit: impl FnMut(u32, u64),
) {
    match packet.destination {
        Destination::Processor(processor) => {
            let level = meeting_level(packet.source, processor);
            visit(processor, packet.step + 2 * u64::from(level) - 1);
        }
        Destination::Levels(set) => {
            for level in set.up_to(tree.levels()) {
                let (first, last) = tree.span(tree.ancestor(packet.source, level - 1) ^ 1);
                for processor in first..=last {
                    visit(processor, packet.step + 2 * u64::from(level) - 1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::LevelSet;
    use crate::text;
    use crosswave_base::diagnostic::Class;

    fn verdict(levels: u32, rows: &str) -> String {
        let header = match rows.contains(['>', ';']) {
            true => "step,source,destination,message",
            false => "step,source,destination",
        };
        let rows = rows.replace(' ', "\n").replace(';', "");
        let placed = text::read(format!("{header}\n{rows}").as_bytes(), "t.csv").expect("rows");
        let tree = BinaryFatTree::constant(levels).expect("levels");
        match check(&tree, &placed.schedule) {
            Ok(outcome) => format!("{} {}", outcome.finish_step, outcome.deliveries),
            Err(fault) => fault.to_string(),
        }
    }

    #[test]
    fn a_packet_takes_a_step_per_link() {
        assert_eq!(verdict(2, "1,0,1"), "2 1");
        assert_eq!(verdict(2, "1,0,3"), "4 1");
        assert_eq!(verdict(2, "1,0,*"), "4 3");
        assert_eq!(verdict(3, "3,5,*1+2"), "6 3");
        assert_eq!(verdict(3, ""), "0 0");
    }

    #[test]
    fn contention_names_link_step_and_packets() {
        assert_eq!(
            verdict(2, "1,0,2 1,1,3"),
            "packet 1: 1 to 3 in step 1: in step 2 it wants the up channel of level 2 above \
             processors 0-1, and so does packet 0 (0 to 2 in step 1); the channel's capacity is 1"
        );
        // The packet of step 3 wants the same leaf channel as the one of step 1.
        assert_eq!(
            verdict(2, "1,0,2 3,3,2"),
            "packet 1: 3 to 2 in step 3: in step 4 it wants the down channel of level 1 above \
             processor 2, and so does packet 0 (0 to 2 in step 1); the channel's capacity is 1"
        );
        assert_eq!(verdict(2, "1,0,2 2,3,2"), "4 2");
    }

    #[test]
    fn the_earliest_contention_is_reported() {
        assert!(verdict(2, "5,0,1 5,0,2 1,2,3 1,2,0").starts_with("packet 3: 2 to 0 in step 1"));
    }

    #[test]
    fn packets_that_do_not_fit_are_named() {
        assert_eq!(
            verdict(2, "1,0,4"),
            "packet 0: 0 to 4 in step 1: found processor 4, expected one from 0 to 3"
        );
        assert!(verdict(2, "1,0,1 1,2,2").starts_with("packet 1: 2 to 2 in step 1: the source"));
        assert_eq!(
            verdict(2, "1,0,*3"),
            "packet 0: 0 to *3 in step 1: found level 3, expected one from 1 to 2"
        );
        assert!(verdict(2, "1,0,*31").contains("found level 31, expected one from 1 to 2"));
        assert!(verdict(2, &format!("{},0,1", STEP_MAX + 1)).contains("expected one from 1"));
        let last = format!("{} 1", STEP_MAX + 1);
        assert_eq!(verdict(2, &format!("{STEP_MAX},0,1")), last);
    }

    #[test]
    fn duplicates_and_early_relays_are_named() {
        assert_eq!(
            verdict(2, "1,0,* 9,0,*1"),
            "packet 1: 0 to *1 in step 9: processor 1 has the message from packet 0 (0 to * in \
             step 1), expected it once"
        );
        // The first relevant packet in the schedule is named when several messages arrive again.
        assert!(
            verdict(2, "1,0,* 8,0,3 9,0,*2 10,0,*1").starts_with("packet 2: 0 to *2 in step 9")
        );
        assert!(verdict(2, "1,0,1,0; 5,1,0,0;").contains("comes from processor 0"));
        assert_eq!(verdict(2, "1,0,1,0>2 3,1,2,0>2"), "6 2");
        assert_eq!(
            verdict(2, "1,0,1,0>2 2,1,2,0>2"),
            "packet 1: 1 to 2 in step 2 with message 0>2: the relay receives the message in step \
             2 only"
        );
        assert_eq!(
            verdict(2, "3,1,2,0>2"),
            "packet 0: 1 to 2 in step 3 with message 0>2: the relay never receives the message"
        );
    }

    #[test]
    fn more_deliveries_than_memory_takes_are_refused() {
        let tree = BinaryFatTree::constant(20).expect("levels");
        let broadcasts = |count: u64| -> Schedule {
            (1..=count)
                .map(|step| ScheduledPacket::to_levels(step, 0, LevelSet::ALL))
                .collect()
        };
        assert_eq!(check_packets(&tree, &broadcasts(16)), Ok(()));
        let fault = check_packets(&tree, &broadcasts(17)).expect_err("too many");
        assert_eq!((fault.class(), fault.packet().0), (Class::Input, 16));
        // 16 (2^20 - 1) and 16 more are 2^24.
        let mut most = broadcasts(16);
        most.packets
            .extend((1..=16).map(|to| ScheduledPacket::to(1, 0, to)));
        assert_eq!(check_packets(&tree, &most), Ok(()));
        most.packets.push(ScheduledPacket::to(1, 0, 17));
        let fault = check_packets(&tree, &most).expect_err("one too many");
        assert_eq!(fault.packet().0, 32);
    }

    #[test]
    fn an_error_has_the_line_of_the_packet() {
        let text = "# two\nstep,source,destination\n1,0,2\n\n1,1,3\n";
        let placed = text::read(text.as_bytes(), "t.csv").expect("rows");
        let tree = BinaryFatTree::constant(2).expect("levels");
        let fault = check(&tree, &placed.schedule).expect_err("they contend");
        let error = fault.error("t.csv", &placed.lines);
        assert_eq!(error.class, Class::Check);
        let said = error.to_string();
        assert!(said.starts_with("error: t.csv: line 5: 1 to 3 in step 1: in step 2"));
        assert!(
            said.contains("and so does line 3 (0 to 2 in step 1)"),
            "{said}"
        );
    }
}
