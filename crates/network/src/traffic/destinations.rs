//! Destinations that are drawn for each message, or that follow from its source.

use rand_core::Rng;
use serde::ser::SerializeMap;

use super::matrix::MatrixFile;
use super::{Fault, Locality, Permutation};
use crosswave_base::decimal::Decimal;
use crosswave_base::random;

/// The name of a hot spot in a configuration, as a pattern and as destinations.
pub const HOT_SPOT: &str = "hot-spot";
/// The name of destinations by a matrix in a configuration.
pub const MATRIX: &str = "matrix";
/// The share of messages for a hot spot where none is given: a tenth.
pub const HOT_SHARE: Decimal = Decimal::of_millionths(100_000).expect("a share");

/// The rule that gives a message its destination.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Destinations {
    /// Uniform among all but the source.
    #[default]
    Others,
    /// Uniform among all. A message that would go to its source is not sent.
    All,
    /// By their distance.
    Local(Locality),
    /// A share of messages for one node, and the rest as [`Destinations::Others`]; that node itself
    /// sends all its messages to the others. Source: Pfister & Norton 1985, "Hot Spot Contention and
    /// Combining in Multistage Interconnection Networks".
    HotSpot {
        /// The node.
        node: u32,
        /// The share, above 0 and at most 1.
        share: Decimal,
    },
    /// One destination for each source. Sources that would send to themselves do not send.
    Permutation {
        /// The permutation.
        permutation: Permutation,
        /// Nodes along each axis of the network.
        axes: Vec<u32>,
    },
    /// By a table of weights. Sources without weights do not send.
    Matrix(MatrixFile),
}

impl Destinations {
    /// The name in a configuration.
    pub fn name(&self) -> &'static str {
        match self {
            Destinations::Others => "others",
            Destinations::All => "all",
            Destinations::Local(_) => "local",
            Destinations::HotSpot { .. } => HOT_SPOT,
            Destinations::Permutation { permutation, .. } => permutation.name(),
            Destinations::Matrix(_) => MATRIX,
        }
    }

    /// The first mismatch with a network of so many nodes.
    pub(super) fn faults(&self, nodes: u32) -> Option<Fault> {
        let fault = |key, message: String, help: &str| {
            Some(Fault {
                key,
                entry: None,
                message,
                help: help.into(),
            })
        };
        match self {
            Destinations::Others | Destinations::All => None,
            Destinations::Local(locality) => locality.faults(nodes),
            Destinations::HotSpot { node, .. } if *node >= nodes => {
                let last = nodes.max(1) - 1;
                let found = format!("node {node} of {nodes}; expected 0 to {last}");
                fault("destination", found, "name a node of the network")
            }
            Destinations::HotSpot { share, .. } if *share > Decimal::ONE => {
                let found = format!("a share of {}; expected at most 1", share.to_f64());
                fault("hot_share", found, "1 is every message")
            }
            Destinations::HotSpot { .. } => None,
            Destinations::Permutation { permutation, axes } => {
                let found = permutation.fault("destinations", axes);
                found.or_else(|| {
                    let all = axes.iter().product::<u32>();
                    if all != nodes {
                        let found = format!("axes of {axes:?} of {nodes} nodes");
                        return fault("destinations", found, "name the axes of the network");
                    }
                    if self.senders(nodes) > 0 {
                        return None;
                    }
                    let found = format!(
                        "{} sends each of the {nodes} nodes to itself; expected another \
                         destination for some",
                        permutation.name()
                    );
                    fault("destinations", found, "use a larger network, or others")
                })
            }
            Destinations::Matrix(file) if file.matrix.nodes() != nodes => {
                let found = format!(
                    "a matrix of {} nodes; expected one of {nodes}",
                    file.matrix.nodes()
                );
                fault("matrix", found, "read it for the network at hand")
            }
            Destinations::Matrix(_) => None,
        }
    }

    /// Prints their keys, if they are not the default.
    pub(super) fn serialize<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        if *self == Destinations::default() {
            return Ok(());
        }
        map.serialize_entry("destinations", self.name())?;
        match self {
            Destinations::Local(Locality { weights, .. }) => map.serialize_entry("levels", weights),
            Destinations::HotSpot { node, share } => {
                map.serialize_entry("destination", node)?;
                map.serialize_entry("hot_share", share)
            }
            Destinations::Matrix(file) => map.serialize_entry("matrix", &file.written),
            Destinations::Others | Destinations::All | Destinations::Permutation { .. } => Ok(()),
        }
    }

    /// True when a node of a network of so many nodes sends at all.
    pub fn sends(&self, source: u32) -> bool {
        match self {
            Destinations::Permutation { permutation, axes } => {
                permutation.image(source, axes) != source
            }
            Destinations::Matrix(file) => file.matrix.sends(source),
            _ => true,
        }
    }

    /// Number of nodes that send, of so many.
    pub fn senders(&self, nodes: u32) -> u32 {
        match self {
            Destinations::Permutation { .. } | Destinations::Matrix(_) => {
                (0..nodes).filter(|&node| self.sends(node)).count() as u32
            }
            _ => nodes,
        }
    }

    /// Draws a destination for a source that sends, in a network of so many nodes that they fit.
    pub fn draw(&self, source: u32, nodes: u32, generator: &mut impl Rng) -> u32 {
        match self {
            Destinations::Others => other(source, nodes, generator),
            Destinations::All => random::below(generator, u64::from(nodes)) as u32,
            Destinations::Local(locality) => locality.draw(source, generator),
            Destinations::HotSpot { node, share } => {
                let drawn = random::below(generator, Decimal::ONE.millionths());
                match drawn < share.millionths() && source != *node {
                    true => *node,
                    false => other(source, nodes, generator),
                }
            }
            Destinations::Permutation { permutation, axes } => permutation.image(source, axes),
            Destinations::Matrix(file) => file.matrix.draw(source, generator),
        }
    }
}

/// A node that is drawn among all but the source.
fn other(source: u32, nodes: u32, generator: &mut impl Rng) -> u32 {
    let other = random::below(generator, u64::from(nodes - 1)) as u32;
    other + u32::from(other >= source)
}
