//! Oblivious routing on m-port n-trees, after Yuan, Nienaber, Duan and Melhem, *Oblivious
//! Routing in Fat-Tree Based System Area Networks with Uncertain Traffic Demands* (a preliminary
//! version: SIGMETRICS 2007; cited below as the paper).
//!
//! | file | holds |
//! |---|---|
//! | [`tree`] | FT(m, n): switches, links, and all shortest paths of a pair |
//! | [`ports`] | ports of switches, and paths as lists of them |
//! | [`routing`] | OMRMN, OSRM2, OSRM3, MLID, d-mod-k and WSR: shares of a pair by top switch |
//! | [`table`] | a routing as a table, and tables as CSV |
//! | [`subnet`] | forwarding tables of InfiniBand subnets as a routing |
//! | `multiple` | common divisors and multiples |
//! | [`load`] | traffic matrices, what links carry of them, performance ratios |
//! | `matching` | maximum matchings of bipartite graphs, by number and by weight |
//! | [`ratio`] | the oblivious performance ratio, exactly, with a traffic that attains it |
//! | [`failures`] | links and switches that have failed: rerouting, and the optimum that is left |
//! | [`bounds`] | what no routing of single paths is below, and lemma 8 by enumeration |
//! | [`traffic`] | random instances of the traffic patterns of section VI |
//! | [`average`] | average performance ratios over such instances |
//!
//! A routing is *oblivious* when it is set before anyone knows what is sent. Nothing here
//! knows the chips and engines of the rest: links have one capacity, and all that is asked of them
//! is how much traffic they carry.

pub mod average;
pub mod bounds;
pub mod deadlock;
pub mod failures;
pub mod load;
mod matching;
mod multiple;
pub mod ports;
pub mod ratio;
pub mod routing;
pub mod subnet;
pub mod table;
pub mod traffic;
pub mod tree;
