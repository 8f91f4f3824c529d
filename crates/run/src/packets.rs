//! A schedule of packets on an engine, observed or not.

use crate::host::packets::{PacketHost, ScheduleOutcome};
use crate::observer::Observer;
use crosswave_probe::engine::Engine;

/// Runs an engine in cycle 0 until no packet of a host can be under way any more. Cycles in which
/// none is are skipped.
///
/// ```
/// use crosswave_chips::packet::Packet;
/// use crosswave_event::EventEngine;
/// use crosswave_run::host::packets::{PacketHost, Sent};
/// use crosswave_network::binary_fat_tree::BinaryFatTree;
/// // A broadcast from node 0 of eight: 2 lg n steps.
/// let tree = BinaryFatTree::new(vec![1, 1, 1]);
/// let packet = Packet { broadcast: true, phase: 0, destination: 0b111, id: 1 };
/// let sent = [Sent { step: 1, source: 0, packet }];
/// let mut engine = EventEngine::new(tree.fabric(), 0, 1);
/// let outcome = crosswave_run::packets::run(&mut engine, PacketHost::new(&tree, &sent), &mut ());
/// assert_eq!((outcome.finish_step, outcome.deliveries.len()), (6, 7));
/// assert!(outcome.conflicts.is_empty());
/// ```
pub fn run(
    engine: &mut dyn Engine,
    mut host: PacketHost<'_>,
    observer: &mut dyn Observer,
) -> ScheduleOutcome {
    engine.hold_random(true);
    observer.cycle(engine, false);
    while engine.cycle() < host.last_cycle() && !observer.interrupted() {
        let idle_until = host.idle_until(engine.cycle());
        match idle_until {
            Some(next) => engine.skip_to(next),
            None => engine.step(),
        }
        host.drive(engine);
        observer.cycle(engine, idle_until.is_none());
        host.observe(engine);
    }
    host.end()
}
