//! The probability that a connection finds its way through a network of crossbars, under
//! uniform traffic.
//!
//! Sources: C. P. Kruskal and M. Snir, "The Performance of Multistage Interconnection
//! Networks for Multiprocessors" (1983), for crossbars with one output per direction; for
//! more outputs per direction, and for RN1, T. F. Knight and P. G. Sobalvarro, "Routing
//! Statistics for Unqueued Banyan Networks" (1990), which A. DeHon, "Fat-Tree Routing for
//! Transit" (1990), uses for section 4.5 and Figures 4.8 to 4.19. What stands here is
//! derived here from the same assumptions; it is not transcribed.
//!
//! # Derivation
//!
//! A crossbar has n inputs and d directions, with b equivalent outputs in each. Let each
//! input hold a connection with probability m, its *load*, independently of the others,
//! and let each direction be equally likely. Then X, the connections that want a given
//! direction, is binomial with n trials and probability q = m/d. The direction passes
//! min(b, X) of them; the others are blocked. So the load of an output is
//!
//! ```text
//! m' = E[min(b, X)] / b     E[min(b, X)] = n q - sum over k > b of (k - b) P(X = k)
//! ```
//!
//! RN1 has n = 8, d = 4 and b = 2: E[min(2, X)] = 2 - 2 (1 - q)^8 - 8 q (1 - q)^7. With one
//! output, E[min(1, X)] = P(X > 0), which gives the recursion of Kruskal and Snir for
//! k by k crossbars: m' = 1 - (1 - m/k)^k.
//!
//! The outputs of a stage are the inputs of the next one, so its load is m'. When every
//! stage has as many outputs as inputs, the connections that arrive are to those that
//! were sent as the load behind the last stage is to that before the first:
//!
//! ```text
//! P(routed) = m_h / m_0
//! ```
//!
//! and 1 in the limit of no load.
//!
//! # What is exact and what is a model
//!
//! The first stage is exact under uniform traffic: a processor's two inputs are on
//! different chips, so the inputs of a chip belong to different processors. Behind it,
//! independence is exact with one output per direction, when the inputs of a chip come
//! from disjoint parts of the network. With two outputs, the wires of one direction lead
//! to chips whose outputs meet again, and are loaded together more often than
//! independent wires; the model neglects it. Simulation shows by how much.
//!
//! Retries are not in the model: the load is that of new connections, as in section 4.5.

/// A crossbar: inputs, directions, and equivalent outputs in each direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crossbar {
    /// Inputs: n.
    pub inputs: u32,
    /// Directions: d.
    pub directions: u32,
    /// Outputs per direction: b.
    pub outputs_per_direction: u32,
}

impl Crossbar {
    /// RN1 as one crossbar: 8 inputs, 4 directions, two outputs each (DeHon, section 1.3).
    pub const RN1: Crossbar = Crossbar {
        inputs: 8,
        directions: 4,
        outputs_per_direction: 2,
    };

    /// Half of RN1 as two crossbars: 4 inputs, 4 directions, one output each (DeHon,
    /// section 1.3).
    pub const RN1_HALF: Crossbar = Crossbar {
        inputs: 4,
        directions: 4,
        outputs_per_direction: 1,
    };

    /// The load of an output when each input has load `load_fraction`: m' above.
    ///
    /// The sum is over connections that are blocked, so that it loses no digits at small
    /// loads.
    ///
    /// ```
    /// use crosswave_analytic::routing::Crossbar;
    ///
    /// let full = Crossbar::RN1_HALF.output_load(1.0);
    /// assert_eq!(full, 1.0 - 0.75_f64.powi(4));
    /// ```
    ///
    /// # Panics
    /// When the load is not in 0 to 1.
    pub fn output_load(self, load_fraction: f64) -> f64 {
        assert!(
            (0.0..=1.0).contains(&load_fraction),
            "a load is a fraction from 0 to 1, not {load_fraction}"
        );
        let q = load_fraction / f64::from(self.directions);
        (f64::from(self.inputs) * q - self.blocked(q)) / f64::from(self.outputs_per_direction)
    }

    /// The fraction of connections to a direction that pass, when an input has one for it with
    /// probability `wanted`; 1 where there are none.
    ///
    /// ```
    /// use crosswave_analytic::routing::Crossbar;
    /// assert_eq!(Crossbar::RN1.passed(0.0), 1.0);
    /// assert_eq!(Crossbar::RN1.passed(1.0), 0.25);
    /// ```
    pub fn passed(self, wanted: f64) -> f64 {
        if wanted <= 0.0 {
            return 1.0;
        }
        1.0 - self.blocked(wanted) / (f64::from(self.inputs) * wanted)
    }

    /// Mean number of connections to a direction that are blocked, when an input has one for it
    /// with probability `q`.
    fn blocked(self, q: f64) -> f64 {
        let (n, b) = (self.inputs, self.outputs_per_direction);
        let blocked = (b + 1..=n).map(|k| f64::from(k - b) * binomial(n, k, q));
        blocked.sum()
    }
}

/// P(X = k) of a binomial X with n trials of probability q.
fn binomial(n: u32, k: u32, q: f64) -> f64 {
    let ways: f64 = (0..k)
        .map(|i| f64::from(n - i) / f64::from(i + 1))
        .product();
    ways * q.powi(k as i32) * (1.0 - q).powi((n - k) as i32)
}

/// A way to state the load of a network. A processor has two inputs to the network and uses
/// one at a time (DeHon, section 1.2), so no more than half of the wires is ever loaded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NetworkLoad {
    /// The fraction of processors that send, from 0 to 1.
    Processors(f64),
    /// The fraction of the network's input wires that are loaded, half of the former.
    /// Above 0.5 only when processors use both inputs, which the model does not forbid.
    Wires(f64),
}

impl NetworkLoad {
    /// The fraction of input wires that are loaded: m_0.
    pub fn wires(self) -> f64 {
        match self {
            NetworkLoad::Processors(fraction) => fraction / 2.0,
            NetworkLoad::Wires(fraction) => fraction,
        }
    }
}

/// The result of routing uniform traffic in a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Routed {
    /// Entry 0 is the load of the wires into the first stage, entry s that of the wires
    /// behind stage s.
    pub wire_loads: Vec<f64>,
    /// The probability that a connection finds its way through all stages.
    pub probability: f64,
}

/// Uniform traffic through the stages, in order.
///
/// # Panics
/// When a stage has not as many outputs as inputs, or the load is not in 0 to 1.
pub fn through(stages: &[Crossbar], load: NetworkLoad) -> Routed {
    let mut wire_loads = vec![load.wires()];
    let mut now = load.wires();
    for stage in stages {
        let outputs = stage.directions * stage.outputs_per_direction;
        assert_eq!(stage.inputs, outputs, "as many outputs as inputs");
        now = stage.output_load(now);
        wire_loads.push(now);
    }
    let offered = wire_loads[0];
    Routed {
        probability: if offered == 0.0 { 1.0 } else { now / offered },
        wire_loads,
    }
}

/// The stages of a bidelta network of 4^h processors: RN1 as one crossbar, and in the last
/// stage as two, so that a processor's two outputs come from different crossbars (DeHon,
/// sections 1.5 and 4.2.1).
///
/// ```
/// use crosswave_analytic::routing::{NetworkLoad, bidelta, through};
///
/// let routed = through(&bidelta(3), NetworkLoad::Processors(1.0));
/// assert_eq!(routed.wire_loads.len(), 4);
/// assert_eq!(format!("{:.3}", routed.probability), "0.728");
/// ```
///
/// # Panics
/// When there are no stages.
pub fn bidelta(stages: u32) -> Vec<Crossbar> {
    assert!(stages > 0, "a network has stages");
    let mut crossbars = vec![Crossbar::RN1; stages as usize - 1];
    crossbars.push(Crossbar::RN1_HALF);
    crossbars
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOADS: [f64; 7] = [1e-6, 0.01, 0.1, 0.25, 0.5, 0.8, 1.0];

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-14, "{found}, not {expected}");
    }

    #[test]
    fn closed_forms_of_one_stage() {
        for m in LOADS {
            let q: f64 = m / 4.0;
            assert_near(Crossbar::RN1_HALF.output_load(m), 1.0 - (1.0 - q).powi(4));
            let two = 2.0 - 2.0 * (1.0 - q).powi(8) - 8.0 * q * (1.0 - q).powi(7);
            assert_near(Crossbar::RN1.output_load(m), two / 2.0);
        }
    }

    /// Connections that pass, over all ways in which every input of a crossbar can be
    /// idle (when `idle`) or want a direction, and the number of ways.
    fn enumerated(crossbar: Crossbar, idle: bool) -> (u64, u64) {
        let choices = u64::from(crossbar.directions) + u64::from(idle);
        let ways = choices.pow(crossbar.inputs);
        let mut passed = 0;
        for mut way in 0..ways {
            let mut wanted = [0; 8];
            for _ in 0..crossbar.inputs {
                wanted[(way % choices) as usize] += 1;
                way /= choices;
            }
            for &wants in &wanted[..crossbar.directions as usize] {
                passed += u64::from(crossbar.outputs_per_direction.min(wants));
            }
        }
        (passed, ways)
    }

    #[test]
    fn every_case_of_one_rn1() {
        for crossbar in [Crossbar::RN1, Crossbar::RN1_HALF] {
            let (passed, ways) = enumerated(crossbar, false);
            let outputs = u64::from(crossbar.inputs);
            // Sixteenths and their powers: exact in binary.
            let formula = crossbar.output_load(1.0) * (ways * outputs) as f64;
            assert_eq!(formula, passed as f64);
        }
        let (_, ways) = enumerated(Crossbar::RN1, false);
        assert_eq!(ways, 65_536);
    }

    /// At a load of 4/5, idle is as likely as each of the four directions.
    #[test]
    fn every_case_of_one_rn1_with_idle_inputs() {
        for crossbar in [Crossbar::RN1, Crossbar::RN1_HALF] {
            let (passed, ways) = enumerated(crossbar, true);
            let outputs = u64::from(crossbar.inputs);
            assert_near(
                crossbar.output_load(0.8),
                passed as f64 / (ways * outputs) as f64,
            );
        }
    }

    #[test]
    fn without_load_everything_is_routed() {
        for stages in 1..=10 {
            let network = bidelta(stages);
            assert_eq!(through(&network, NetworkLoad::Wires(0.0)).probability, 1.0);
            let little = through(&network, NetworkLoad::Wires(1e-9)).probability;
            assert!(1.0 - little < 1e-8 && little < 1.0, "{little}");
        }
    }

    #[test]
    fn more_load_and_more_stages_block_more() {
        for stages in 1..=10 {
            let network = bidelta(stages);
            let mut last = 1.0;
            for load in LOADS {
                let routed = through(&network, NetworkLoad::Wires(load));
                assert!(routed.probability < last);
                last = routed.probability;
                let falling = routed.wire_loads.is_sorted_by(|a, b| a > b);
                assert!(falling, "{:?}", routed.wire_loads);
                let longer = through(&bidelta(stages + 1), NetworkLoad::Wires(load));
                assert!(longer.probability < routed.probability);
            }
        }
    }

    #[test]
    fn a_processor_uses_one_of_its_two_inputs() {
        let network = bidelta(5);
        let processors = through(&network, NetworkLoad::Processors(0.6));
        assert_eq!(processors, through(&network, NetworkLoad::Wires(0.3)));
    }
}
