//! Networks on one hierarchical frame: the butterfly fat tree, the two fat stacks and the fat
//! pyramid, after Chen and Sha, *The Fat-Stack and Universal Routing in Interconnection Networks*
//! (cited below as the paper).
//!
//! | file | holds |
//! |---|---|
//! | [`shape`] | which network: family, size, options, and its numbers by rule |
//! | [`grid`] | where the members of a subnetwork stand in the plane |
//! | [`graph`] | nodes, links, and who is linked to whom |
//! | [`address`] | the paper's addresses, printed and read |
//! | [`wires`] | wires by kind, and the paper's closed forms of section 2 |
//! | [`distance`] | shortest distances, and the paper's formula of section 3 |
//! | [`route`] | shortest paths, by hops or by costs |
//! | [`climb`] | routes up and down the frame, those of section 4 among them |
//! | [`guest`] | the neighbours of other networks, as pairs of processors |
//! | [`layout`] | places, lengths and delays of wires |
//! | [`picture`] | a network in its layout, as SVG |
//! | [`schedule`] | packets step by step, and the schedules of section 3 |
//!
//! The *frame* is a complete n-ary tree whose leaves are the processors. A *subnetwork* is n
//! nodes with a common parent. *Levels* count from the processors, which are level 0; switches
//! stand in levels 1 to k. The four families differ in what links the nodes of a level, and in
//! how many of a subnetwork have a link upwards. Nothing here knows chips and engines: a link
//! has wires, a length and a delay, and no protocol.

pub mod address;
pub mod climb;
pub mod distance;
pub mod graph;
pub mod grid;
pub mod guest;
pub mod layout;
pub mod picture;
pub mod route;
pub mod schedule;
pub mod shape;
pub mod wires;
