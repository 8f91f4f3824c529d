//! A run as one HTML page: its network with the circuits that stand in it cycle by cycle, the
//! lives of its messages, and where the clocks went. The page has everything in it and asks no
//! one for more.
//!
//! ```text
//!  Follower ──> Recorder ──> Records ──┐
//!  Topology, Fabric ──> Layout ────────┴──> page::html ──> page/page.html
//! ```
//!
//! | file | holds |
//! |---|---|
//! | [`record`] | what is kept of a run, and in which cycles |
//! | [`layout`] | rows of chips and where they are drawn, the wires between them |
//! | [`pack`] | numbers as text that is short |
//! | [`page`](mod@page) | the page, put together |
//! | `page/page.html`, `page/page.css` | its elements, and how they look |
//! | `page/data.js` | unpacks the data, and finds what a cycle shows |
//! | `page/network.js` | draws the network in a cycle |
//! | `page/details.js` | the waveform of a router, the messages of a node, the life of a message |
//! | `page/charts.js` | latencies, collisions and use of links over time |
//! | `page/page.js` | the cycle, what is selected, keys, and the address that has both |
//!
//! The data are the records of [`life`](crate::life), not what every cycle shows: the page finds
//! that itself. For one configuration, seed and window they are the same on every engine, so
//! the page is the same file.

pub mod layout;
pub mod pack;
pub mod page;
pub mod record;

pub use layout::PageLayout;
pub use page::{About, html};
pub use record::{Cut, Recorder, Window};
