//! Flows: who sends to whom, from when to when, and the clocks of its packets.

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::CLOCKS_PER_SECOND;
use crosswave_base::random::{self, below};

/// Pattern in which a source sends while its flow lasts. All have one mean rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlowTraffic {
    /// A packet in each interval.
    Constant,
    /// Bursts and pauses whose lengths are drawn from exponential distributions.
    Exponential,
    /// The same from Pareto's.
    Pareto,
}

impl FlowTraffic {
    /// All.
    pub const ALL: [FlowTraffic; 3] = [
        FlowTraffic::Constant,
        FlowTraffic::Exponential,
        FlowTraffic::Pareto,
    ];

    /// Its name in the paper's table 1.
    pub fn name(self) -> &'static str {
        match self {
            FlowTraffic::Constant => "CBR",
            FlowTraffic::Exponential => "exponential",
            FlowTraffic::Pareto => "Pareto",
        }
    }
}

/// Clocks of a burst, and of a pause, on average.
const BURST_CLOCKS: f64 = 0.5 * CLOCKS_PER_SECOND as f64;

/// The shape of Pareto's distributions: between 1 and 2, so that there is a mean and no variance.
const PARETO_SHAPE: f64 = 1.5;

/// The stream of what flows are drawn from; those of their packets are behind it.
const FLOWS_STREAM: u64 = 0;

/// A connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    /// A processor.
    pub source: u32,
    /// Another one.
    pub destination: u32,
    /// The clock of its first packet.
    pub from: u64,
    /// The clock from which it sends no more.
    pub to: u64,
}

/// Size of a population of flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Population {
    /// Processors of the network.
    pub processors: u32,
    /// Processors that send.
    pub sources: u32,
    /// Flows.
    pub flows: u32,
    /// Clocks in which they start and end.
    pub clocks: u64,
}

/// Draws flows. The first have a source each; destinations are uniform among all other processors.
///
/// # Panics
/// With fewer than two processors, or without sources.
pub fn draw(population: Population, seed: u64) -> Vec<Flow> {
    let Population {
        processors, clocks, ..
    } = population;
    assert!(processors > 1 && population.sources > 0, "{population:?}");
    let mut generator = random::generator(seed, FLOWS_STREAM);
    let mut draw = |bound: u64| below(&mut generator, bound);
    let mut sources: Vec<u32> = (0..processors).collect();
    let count = population.sources.min(processors) as usize;
    for place in 0..count {
        let other = place + draw((sources.len() - place) as u64) as usize;
        sources.swap(place, other);
    }
    let flows = 0..population.flows as usize;
    let flow = |number: usize| {
        let source = match number < count {
            true => sources[number],
            false => sources[draw(count as u64) as usize],
        };
        let other = draw(u64::from(processors) - 1) as u32;
        let (a, b) = (draw(clocks), draw(clocks));
        Flow {
            source,
            destination: other + u32::from(other >= source),
            from: a.min(b),
            to: a.max(b),
        }
    };
    flows.map(flow).collect()
}

/// The clocks of a flow's packets.
#[derive(Debug, Clone)]
pub struct Packets {
    traffic: FlowTraffic,
    /// Clocks between packets at the mean rate.
    interval: u64,
    next: u64,
    to: u64,
    /// Packets that are left of the burst.
    left: u64,
    generator: Xoshiro256PlusPlus,
}

impl Packets {
    /// Those of the flow of a number, a packet every so many clocks on average.
    ///
    /// # Panics
    /// When the interval is below 2.
    pub fn new(flow: Flow, number: u32, traffic: FlowTraffic, interval: u64, seed: u64) -> Packets {
        assert!(interval > 1, "a burst sends at twice the rate");
        let mut packets = Packets {
            traffic,
            interval,
            next: flow.from,
            to: flow.to,
            left: 0,
            generator: random::generator(seed, 1 + FLOWS_STREAM + u64::from(number)),
        };
        packets.left = packets.burst();
        packets
    }

    /// A length with a mean, by the traffic's distribution.
    fn length(&mut self, mean: f64) -> f64 {
        // Uniform in (0, 1], of 53 bits.
        let uniform = ((self.generator.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        match self.traffic {
            FlowTraffic::Constant => mean,
            FlowTraffic::Exponential => -mean * uniform.ln(),
            FlowTraffic::Pareto => {
                let least = mean * (PARETO_SHAPE - 1.0) / PARETO_SHAPE;
                least * uniform.powf(-1.0 / PARETO_SHAPE)
            }
        }
    }

    /// Clocks between the packets of a burst.
    fn spacing(&self) -> u64 {
        match self.traffic {
            FlowTraffic::Constant => self.interval,
            FlowTraffic::Exponential | FlowTraffic::Pareto => self.interval / 2,
        }
    }

    /// Packets of a burst, at least one.
    fn burst(&mut self) -> u64 {
        let spacing = self.spacing() as f64;
        (self.length(BURST_CLOCKS / spacing).round() as u64).max(1)
    }
}

impl Iterator for Packets {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let clock = self.next;
        if clock >= self.to {
            return None;
        }
        self.next += self.spacing();
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            if self.traffic != FlowTraffic::Constant {
                self.next += self.length(BURST_CLOCKS) as u64;
            }
            self.left = self.burst();
        }
        Some(clock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::EXPERIMENT_CLOCKS;

    const POPULATION: Population = Population {
        processors: 64,
        sources: 40,
        flows: 60,
        clocks: EXPERIMENT_CLOCKS,
    };

    #[test]
    fn flows_are_what_the_paper_says() {
        let mut clocks = 0;
        for seed in 0..200 {
            let flows = draw(POPULATION, seed);
            assert_eq!(flows.len(), 60);
            let mut sources: Vec<u32> = flows.iter().map(|flow| flow.source).collect();
            sources.sort_unstable();
            sources.dedup();
            assert_eq!(sources.len(), 40);
            for flow in &flows {
                assert!(flow.source != flow.destination && flow.destination < 64);
                assert!(flow.from <= flow.to && flow.to < EXPERIMENT_CLOCKS);
                clocks += flow.to - flow.from;
            }
            assert_eq!(flows, draw(POPULATION, seed));
        }
        // Two uniform times are a third of the whole apart: 12,000 flows have a mean within 1 %.
        let share = clocks as f64 / (200 * 60 * EXPERIMENT_CLOCKS) as f64;
        assert!((share - 1.0 / 3.0).abs() < 0.01, "{share}");
    }

    /// All have the mean rate: a packet every 5,000 clocks.
    #[test]
    fn rates_are_alike() {
        for (traffic, slack) in [
            (FlowTraffic::Constant, 0.001),
            (FlowTraffic::Exponential, 0.02),
            (FlowTraffic::Pareto, 0.15),
        ] {
            let flow = Flow {
                source: 0,
                destination: 1,
                from: 0,
                to: 1_000 * EXPERIMENT_CLOCKS,
            };
            let packets = Packets::new(flow, 0, traffic, 5_000, 1).count();
            let rate = packets as f64 * 5_000.0 / flow.to as f64;
            assert!((rate - 1.0).abs() < slack, "{traffic:?}: {rate}");
            let clocks: Vec<u64> = Packets::new(flow, 0, traffic, 5_000, 1).take(500).collect();
            assert!(clocks.is_sorted());
            let apart = clocks.windows(2).map(|pair| pair[1] - pair[0]).min();
            let spacing = if traffic == FlowTraffic::Constant {
                5_000
            } else {
                2_500
            };
            assert_eq!(apart, Some(spacing));
        }
    }

    #[test]
    fn a_flow_that_ends_as_it_starts_sends_nothing() {
        let flow = Flow {
            source: 0,
            destination: 1,
            from: 7,
            to: 7,
        };
        assert_eq!(Packets::new(flow, 0, FlowTraffic::Pareto, 2, 1).count(), 0);
    }
}
