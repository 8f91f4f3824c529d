//! The results of a campaign of faults.

use serde::Serialize;

use super::Finding;
use super::network::MessageEffect;
use super::recorded::Recorded;
use super::target::RouterUnderTest;
use crosswave_netlist::faults::{FaultEffect, FaultSite};

/// The reason for which a stuck-at fault does not show at an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unseen {
    /// No input and no state of flip-flops makes it show: proved.
    Redundant,
    /// None does while pins that keep their values in this instance have them, and links that lead nowhere
    /// are 0: proved.
    Pins,
    /// The net never had the other value in these runs.
    NotExcited,
    /// It had, and the outputs were the same.
    NotPropagated,
}

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultClass {
    /// A net or a pin is stuck.
    StuckAt,
    /// The outputs of a link are late.
    LateLink,
    /// A flip-flop flips in one cycle.
    Flip,
}

impl FaultClass {
    /// All of them, in the order of reports.
    pub const ALL: [FaultClass; 3] = [FaultClass::StuckAt, FaultClass::LateLink, FaultClass::Flip];

    /// The words for several.
    pub fn plural(self) -> &'static str {
        match self {
            FaultClass::StuckAt => "stuck-at",
            FaultClass::LateLink => "late links",
            FaultClass::Flip => "flips",
        }
    }

    fn of(effect: FaultEffect) -> FaultClass {
        match effect {
            FaultEffect::StuckAt(_) => FaultClass::StuckAt,
            FaultEffect::Late => FaultClass::LateLink,
            FaultEffect::Flip => FaultClass::Flip,
        }
    }
}

/// The counts of a kind of fault. Equivalent faults count each.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FaultCounts {
    /// The kind.
    pub kind: FaultClass,
    /// Faults.
    pub faults: u64,
    /// Those that were looked at; each stands for those that are equivalent to it.
    pub classes: u64,
    /// Faults that show at an output of the router.
    pub seen: u64,
    /// Faults that show, and change nothing of the messages.
    pub harmless: Option<u64>,
    /// Faults with which all messages come, some in other cycles.
    pub delayed: Option<u64>,
    /// Faults with which all messages come, with other attempts.
    pub retried: Option<u64>,
    /// Faults with which nodes receive something wrong.
    pub wrong: Option<u64>,
    /// Faults with which messages are lost.
    pub lost: Option<u64>,
    /// Faults with which senders are told that messages came that did not.
    pub deceived: Option<u64>,
    /// Faults with which the run does not end.
    pub hang: Option<u64>,
    /// Faults with which outputs do not settle.
    pub unsettled: Option<u64>,
    /// Faults that nothing makes show, proved.
    pub redundant: u64,
    /// Faults that nothing makes show in this instance, proved.
    pub pins: u64,
    /// Faults at nets that never had the other value.
    pub not_excited: u64,
    /// Other faults that do not show.
    pub not_propagated: u64,
    /// Faults that show, in percent of all.
    pub fault_coverage_percent: f64,
    /// Faults that show, in percent of those that are not proved to be unable to.
    pub test_coverage_percent: f64,
}

/// A fault, and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FaultRow {
    /// The fault, in words.
    pub fault: String,
    /// The kind.
    pub kind: FaultClass,
    /// The place in a source, where the netlist tells it.
    pub source: Option<String>,
    /// Faults that are equivalent, itself among them.
    pub equivalent: u32,
    /// The replicate in which it shows.
    pub replicate: Option<u32>,
    /// The first cycle in which an output differs.
    pub cycle: Option<u64>,
    /// The output.
    pub output: Option<String>,
    /// The effect on messages.
    pub effect: Option<MessageEffect>,
    /// The reason for which it does not show.
    pub unseen: Option<Unseen>,
}

/// The results of a campaign.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CampaignReport {
    /// The chip.
    pub chip: String,
    /// The router.
    pub router: String,
    /// Replicates.
    pub replicates: u64,
    /// Cycles of all replicates without a fault.
    pub cycles: u64,
    /// Numbers by kind of fault.
    pub counts: Vec<FaultCounts>,
    /// The faults, one for each class.
    pub faults: Vec<FaultRow>,
}

fn percent(part: u64, all: u64) -> f64 {
    match all {
        0 => 100.0,
        all => 100.0 * part as f64 / all as f64,
    }
}

impl FaultCounts {
    fn new(kind: FaultClass, findings: &[&Finding], effects: bool) -> FaultCounts {
        let count = |counts: &dyn Fn(&Finding) -> bool| {
            let counted = findings.iter().filter(|finding| counts(finding));
            counted
                .map(|finding| u64::from(finding.weight))
                .sum::<u64>()
        };
        let effect = |effect| effects.then(|| count(&|one| one.effect == Some(effect)));
        let unseen = |reason| count(&|one| one.unseen == Some(reason));
        let (faults, seen) = (count(&|_| true), count(&|one| one.seen.is_some()));
        let (redundant, pins) = (unseen(Unseen::Redundant), unseen(Unseen::Pins));
        let not_excited = unseen(Unseen::NotExcited);
        FaultCounts {
            kind,
            faults,
            classes: findings.len() as u64,
            seen,
            harmless: effect(MessageEffect::None),
            delayed: effect(MessageEffect::Delayed),
            retried: effect(MessageEffect::Retried),
            wrong: effect(MessageEffect::Wrong),
            lost: effect(MessageEffect::Lost),
            deceived: effect(MessageEffect::Deceived),
            hang: effect(MessageEffect::Hang),
            unsettled: effect(MessageEffect::Unsettled),
            redundant,
            pins,
            not_excited,
            not_propagated: faults - seen - redundant - pins - not_excited,
            fault_coverage_percent: percent(seen, faults),
            test_coverage_percent: percent(seen, faults - redundant - pins),
        }
    }
}

impl CampaignReport {
    pub(super) fn new(
        router: &RouterUnderTest,
        recordings: &[Recorded],
        findings: &[Finding],
        effects: bool,
    ) -> CampaignReport {
        let mut counts = Vec::new();
        for kind in FaultClass::ALL {
            let of_kind = |one: &&Finding| FaultClass::of(one.timed.fault.effect) == kind;
            let of_kind: Vec<&Finding> = findings.iter().filter(of_kind).collect();
            if !of_kind.is_empty() {
                counts.push(FaultCounts::new(kind, &of_kind, effects));
            }
        }
        CampaignReport {
            chip: router.chip.name.to_owned(),
            router: router.name.clone(),
            replicates: recordings.len() as u64,
            cycles: recordings.iter().map(|one| one.last_cycle).sum(),
            counts,
            faults: findings.iter().map(|one| row(router, one)).collect(),
        }
    }
}

fn row(router: &RouterUnderTest, finding: &Finding) -> FaultRow {
    let fault = finding.timed.fault;
    let seen = finding.seen;
    let source = router.target.source(fault.site);
    FaultRow {
        fault: name(router, finding),
        kind: FaultClass::of(fault.effect),
        source: (!source.is_empty()).then(|| source.to_owned()),
        equivalent: finding.weight,
        replicate: seen.map(|(replicate, _)| replicate),
        cycle: seen.map(|(_, seen)| seen.cycle),
        output: seen.map(|(_, seen)| router.chip.ports[seen.port].name.to_owned()),
        effect: finding.effect,
        unseen: finding.unseen,
    }
}

/// A fault in words.
fn name(router: &RouterUnderTest, finding: &Finding) -> String {
    let fault = finding.timed.fault;
    let target = &router.target;
    let net = target
        .net(fault.site)
        .map(|net| target.module.net_name(net));
    let net = net.unwrap_or_default();
    let site = match (fault.site, target.pin(fault.site)) {
        (FaultSite::Link(link), _) => format!("link {}", router.chip.links[link as usize]),
        (FaultSite::Output { .. }, Some(pin)) => format!("output {pin}, from {net},"),
        (_, Some(pin)) => format!("pin {pin}, from {net},"),
        _ => net.to_owned(),
    };
    match fault.effect {
        FaultEffect::StuckAt(value) => format!("{site} stuck at {}", u8::from(value)),
        FaultEffect::Late => format!("{site} a cycle late"),
        FaultEffect::Flip => format!("{site} flips in cycle {}", finding.timed.cycle),
    }
}
