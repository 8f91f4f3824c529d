//! Running gate netlists that are not of this project.
//!
//! A hierarchical netlist becomes arrays of equal instances, evaluated 64 to a word,
//! and one flat module for the rest. Nets between them are moved as bit planes.
//!
//! | file | holds |
//! |---|---|
//! | `clock` | the one clock of a design |
//! | `domains` | several clocks as one |
//! | `family` | which modules differ in constants only |
//! | `share` | one module for these |
//! | `choose` | which modules become arrays |
//! | `elaborate` | arrays and instances |
//! | `link` | what drives each input |
//! | [`scopes`] | the names inside a design, by scope |
//! | `record` | which bit of which array shows the value of a name |
//! | `lane_order` | which lane each instance has |
//! | `settle` | in which order gates are evaluated past links |
//! | `program` | the gates of an array as operations |
//! | `native` | operations as machine code |
//! | `memories` | memories of instances |
//! | `placed` | their words |
//! | `moves` | links as moves of words |
//! | `engine` | memory, and the cycle |
//! | [`run`] | a run: stimuli in, values out |
//! | [`watch`] | conditions on ports and nets |
//! | [`stimulus`] | what drives the inputs: CSV, VCD, random bits |

mod choose;
mod clock;
mod domains;
mod elaborate;
mod engine;
mod family;
mod lane_order;
mod memories;
mod moves;
mod native;
mod placed;
mod program;
mod record;
pub mod run;
pub mod scopes;
mod settle;
mod share;
pub mod stimulus;
pub mod watch;

pub use domains::{ClockPeriod, Clocks};
pub use elaborate::{Arrays, InstanceSize, Options};
pub use record::{NetSelection, RecordedVector, Twin};
pub use run::{Run, build, build_recorded};
pub use scopes::InstanceTree;
