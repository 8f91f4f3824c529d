//! Use of links in the result of a run of a designer's own routers.

use serde::Serialize;

/// Use of the links, in the result of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkUse {
    /// Links, one for each direction.
    pub links: usize,
    /// Share of cycles in which a flit moves, as a mean over links.
    pub use_share_mean: f64,
    /// Share of cycles in which one is offered and not taken; `None` where links do not show it.
    pub stalled_share_mean: Option<f64>,
    /// The first mean for each virtual channel, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub use_share_mean_by_vc: Vec<f64>,
    /// Those that are used most, up to ten, the busiest first.
    pub busiest: Vec<BusyLink>,
}

/// A link that is used much.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BusyLink {
    /// The router, or endpoint, that sends on it.
    pub router: String,
    /// Its link port.
    pub link: &'static str,
    /// Share of cycles in which a flit moves, of any virtual channel.
    pub use_share: f64,
    /// Share of cycles in which one is offered and not taken; `None` where links do not show it.
    pub stalled_share: Option<f64>,
}
