//! The messages about a run of a designer's own routers that failed: packets with faults, packets that
//! did not come, links that wait for each other, packets that come nowhere.
//!
//! The replicate that failed is followed once more, up to the same end, to find the places.

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_observe::life::standstill;
use crosswave_run::monitors::{BrokenProperty, MonitorCounts};
use crosswave_run::result::failure::{
    Deadlock, FailedPacket, FailedPackets, Failure, LastPlace, Livelock, LostNack, MISSING,
};
use crosswave_run::simulation::Simulation;

use super::super::progress::{Display, Progress, RunPart};

/// Packets that are told of in words.
const PACKETS_TOLD: usize = 10;

/// Cycles of the proposed waveform before and after the last link of a circle stopped.
const WAVE_CYCLES: (u64, u64) = (100, 50);

/// Routers of the proposed waveform at most.
const WAVE_ROUTERS: usize = 32;

/// Finds out what went wrong in a run, and shows the progress; `None` where nothing did, or it is not
/// known.
pub(super) fn find(
    simulation: &Simulation,
    failed: &FailedPackets,
) -> Result<Option<Failure>, Error> {
    let Some((replicate, last_cycle)) = failed.replicate() else {
        return Ok(None);
    };
    let part = RunPart {
        first: replicate,
        count: 1,
        all: simulation.config().run.replicates,
        cycles_max: last_cycle,
    };
    let (mut display, mut nothing) = (Display::new(), ());
    let mut progress = Progress::new(&mut display, part, &mut nothing);
    standstill::find_failure(simulation, failed, &mut progress)
}

/// The error of a run in which something went wrong: `found` says what in a few words, at a place.
/// The waveform of it is proposed unless one was recorded.
pub(super) fn error(
    replicates: u32,
    (place, found): (String, String),
    failure: &Failure,
    has_waveform: bool,
) -> Error {
    let told = match (&failure.deadlock, &failure.livelock) {
        (Some(deadlock), _) => format!("{found}; {}", waiting(deadlock)),
        (None, Some(livelock)) => format!("{found}; {}", moving(livelock)),
        (None, None) => found,
    };
    let told = match &failure.lost_nack {
        Some(lost) => format!("{told}; {}", lost_nack(lost)),
        None => told,
    };
    let help = match waveform(failure).filter(|_| !has_waveform) {
        Some(options) => format!("a waveform of it: add {options}"),
        None => "checks.deadlock_cycles says how long nothing may happen".to_owned(),
    };
    let is_stalled = failure.deadlock.is_some() || failure.livelock.is_some();
    let help = if is_stalled { help } else { String::new() };
    let mut diagnostics = vec![Diagnostic::new(place, told, help)];
    let packets = failure.failed_packets.iter().take(PACKETS_TOLD);
    diagnostics.extend(packets.map(|packet| one_packet(packet, replicates)));
    let all = failure.failed_packets.len() as u64 + failure.failed_packets_left_out;
    let left = all.saturating_sub(PACKETS_TOLD as u64);
    if let Some(last) = diagnostics.last_mut().filter(|_| all > 0) {
        last.help = match left {
            0 => "`crosswave trace FILE ID` shows all routers of a message".to_owned(),
            left => format!("{left} more are in the result that --json writes"),
        };
    }
    Error {
        class: Class::Check,
        origin: "run".to_owned(),
        source: None,
        diagnostics,
    }
}

/// The error of a run in which monitors found something.
pub(super) fn broken(monitors: &MonitorCounts) -> Option<Error> {
    let found = monitors.broken.iter().take(PACKETS_TOLD).map(|found| {
        let BrokenProperty {
            router,
            place,
            property,
            sentence,
            cycle,
            ..
        } = found;
        let message = format!("{router} broke {property} at {place} in cycle {cycle}: {sentence}");
        Diagnostic::new("monitors", message, "")
    });
    let mut diagnostics: Vec<Diagnostic> = found.collect();
    let all = monitors.broken.len() as u64 + monitors.left_out;
    let left = all - diagnostics.len() as u64;
    let last = diagnostics.last_mut()?;
    last.help = match left {
        0 => "`crosswave component prove` shows a short waveform of a router that breaks it"
            .to_owned(),
        left => format!("{left} more are in the result that --json writes"),
    };
    Some(Error {
        class: Class::Check,
        origin: "run".to_owned(),
        source: None,
        diagnostics,
    })
}

/// The links that wait, in words.
fn waiting(deadlock: &Deadlock) -> String {
    let links = deadlock.links.iter().map(|link| {
        let vc = link.vc.map_or(String::new(), |vc| format!(" vc {vc}"));
        let (router, name) = (&link.router, link.link);
        format!("{router}.{name}{vc} (message {})", link.message)
    });
    let links = links.collect::<Vec<_>>().join(" → ");
    match &deadlock.end {
        None => format!("links wait for each other in a circle: {links} → the first one"),
        Some(end) => format!("links wait in a chain: {links}; {end}"),
    }
}

/// A rejection that did not come back, in words.
fn lost_nack(lost: &LostNack) -> String {
    format!(
        "the nack of message {} came back to {} at {} in cycle {}, and did not come to its source",
        lost.message, lost.router, lost.link, lost.cycle
    )
}

/// A packet that comes nowhere, in words.
fn moving(livelock: &Livelock) -> String {
    let hops = livelock.last_hops.iter().map(|hop| match hop.link {
        Some(link) => format!("{}.{link}", hop.router),
        None => hop.router.clone(),
    });
    let hops = hops.collect::<Vec<_>>().join(" → ");
    if livelock.attempts > 1 {
        return format!(
            "message {} is rejected again and again: its attempt {} began in cycle {} and came to {hops}",
            livelock.message, livelock.attempts, livelock.launched_cycle
        );
    }
    format!(
        "message {} moves on and on and comes nowhere: it has been in {} routers since cycle {}, at last {hops}",
        livelock.message, livelock.hops, livelock.launched_cycle
    )
}

/// A packet that failed.
fn one_packet(packet: &FailedPacket, replicates: u32) -> Diagnostic {
    let place = match packet.message {
        Some(message) => format!("message {message}"),
        None => "a packet".to_owned(),
    };
    let place = match replicates {
        1 => place,
        _ => format!("replicate {}: {place}", packet.replicate),
    };
    let ends = match (packet.source, packet.destination) {
        (Some(source), Some(destination)) => format!(", from node {source} to node {destination}"),
        _ => String::new(),
    };
    let cycle = packet.cycle;
    let found = match packet.node {
        Some(node) => format!(
            "{}{ends}: it came to node {node} in cycle {cycle}",
            packet.fault
        ),
        None => format!(
            "{}{ends}: it was sent in cycle {cycle} and did not come",
            packet.fault
        ),
    };
    let seen = packet.last.as_ref().map(|last| {
        let LastPlace {
            router,
            link,
            has_left,
            cycle,
        } = last;
        match has_left {
            true => {
                format!("; its head was last seen as it left {router} at {link} in cycle {cycle}")
            }
            false => format!(
                "; its head was last seen as it came to {router} at {link} in cycle {cycle}"
            ),
        }
    });
    Diagnostic::new(place, found + &seen.unwrap_or_default(), "")
}

/// The options that record a waveform of the routers that wait, or of the one that a rejection came back
/// to. `None` if these are of another replicate than 0, which is the one that is recorded.
fn waveform(failure: &Failure) -> Option<String> {
    let (replicate, last, routers): (u32, u64, Vec<&String>) =
        match (&failure.lost_nack, &failure.deadlock, &failure.livelock) {
            (Some(lost), ..) => {
                let last = lost.cycle + WAVE_CYCLES.1;
                (lost.replicate, last, vec![&lost.router])
            }
            (None, Some(deadlock), _) => {
                let links = deadlock.links.iter();
                let stopped = links.clone().map(|link| link.since_cycle).max();
                let last = stopped.unwrap_or(0).saturating_add(WAVE_CYCLES.1);
                let routers = links.map(|link| &link.router);
                let routers = routers.chain(&deadlock.leads_to).collect();
                (deadlock.replicate, last.min(deadlock.cycle), routers)
            }
            (None, None, Some(livelock)) => {
                let hops = livelock.last_hops.iter();
                let last = hops.clone().map(|hop| hop.cycle).max().unwrap_or(0);
                let routers = hops.map(|hop| &hop.router).collect();
                (livelock.replicate, last, routers)
            }
            (None, None, None) => return None,
        };
    let first = last.saturating_sub(WAVE_CYCLES.0 + WAVE_CYCLES.1).max(1);
    let mut scopes: Vec<String> = Vec::new();
    for router in routers {
        let quoted = format!("\"**.{router}\"");
        if scopes.len() < WAVE_ROUTERS && !scopes.contains(&quoted) {
            scopes.push(quoted);
        }
    }
    (replicate == 0).then(|| {
        format!(
            "--set 'wave.window_cycles=[{first}, {last}]' --set 'wave.scopes=[{}]' --wave deadlock.vcd",
            scopes.join(", ")
        )
    })
}

/// The number of packets with each kind of fault, in words.
pub(super) fn counted(failure: &Failure) -> String {
    let missing = |packet: &&FailedPacket| packet.fault == MISSING;
    let missing = failure.failed_packets.iter().filter(missing).count() as u64;
    let all = failure.failed_packets.len() as u64 + failure.failed_packets_left_out;
    match all - missing {
        1 => "a packet has a fault".to_owned(),
        faults => format!("{faults} packets have faults"),
    }
}
