//! Figures of bidelta networks.
//!
//! | file | figure |
//! |---|---|
//! | [`routing`] | DeHon's Figure 4.19: the probability that a connection is routed |
//! | [`turning`] | clocks to a reply, over a turned connection and over a second one |

pub mod routing;
pub mod turning;
