//! A readable text form of designs. What [`print()`] writes, [`parse()`] reads back
//! as an equal design; tests are written in it.
//!
//! One statement to a line; words are separated by white space; `#` begins a
//! comment. A name is a word, or is quoted (`"a b"`, with `\"`, `\\`, `\n` and
//! `\u{hex}`) when it could be taken for something else: `0`, `1`, `?`, `=`, `->`,
//! `src`, `in`, `out`, nothing, or a name with white space, `"` or `#`.
//!
//! ```text
//! design   = { module }
//! module   = "module" NAME [src] { line } "end"
//! line     = "wire" NAME [src]                         a net (see below)
//!          | "input" NAME [ range ] [ "signed" ] [ "=" { bit } ]    the lowest bit first;
//!          | "output" NAME [ range ] [ "signed" ] [ "=" { bit } ]   alone: one net of that name
//!          | "gate" NAME FUNCTION { bit } "->" NAME [src]
//!          | "flop" NAME bit "->" NAME edge bit { option } [src]
//!          | "memory" NAME "words" N "width" N { size } { way PIN "=" { bit } } [src]
//!          | "instance" NAME MODULE { way NAME "=" { bit } } [src]
//! range    = "[" LEFT ":" RIGHT "]"                   without: [ bits - 1 : 0 ]
//! bit      = "0" | "1" | "?" | NAME                    "?" is X: any value will do
//! edge     = "posedge" | "negedge"
//! way      = "in" | "out"
//! option   = "enable" level
//!          | "reset" level "to" value [ "gated" ]      synchronous
//!          | "async-reset" level "to" value
//!          | "async-set-reset" level level             set, then reset
//!          | "async-load" level bit
//!          | "init" value
//! size     = "first" N                                 the address of the first word, 0 without
//!          | "init" NAME                               digits 0, 1, x: the last word first, of each
//!          | "beyond" value                            word the highest bit; 0 without
//! PIN      = "R0_ADDR" | "R0_DATA"                     of read port 0, then of 1, ...
//!          | "W0_CLK" | "W0_CLKN"                      of write port 0: rising or falling edge,
//!          | "W0_ADDR" | "W0_DATA" | "W0_EN"           then these
//! level    = bit ( "high" | "low" )
//! value    = "0" | "1"
//! src      = "src" NAME
//! FUNCTION = BUF | NOT | AND | NAND | OR | NOR | XOR | XNOR | ANDNOT | ORNOT
//!          | MUX | NMUX | AOI3 | OAI3 | AOI4 | OAI4
//! ```
//!
//! Nets are numbered in the order in which they are first mentioned, so `wire`
//! lines are only needed to give a net its number or its `src`, or to have a net
//! that nothing mentions; the printer writes all of them or none. Inputs of gates
//! are in the order of [`Function::pins`](super::Function::pins).
//!
//! ```
//! use crosswave_netlist::text;
//!
//! let design = text::parse(
//!     "module toggle\n  input clk\n  output q\n  gate g NOT q -> d\n  flop f d -> q posedge clk\nend\n",
//!     "example",
//! )?;
//! assert_eq!(design.modules[0].flops().count(), 1);
//! assert_eq!(text::parse(&text::print(&design), "again")?, design);
//! # Ok::<(), crosswave_base::diagnostic::Error>(())
//! ```
//!
//! A text may have at most 2^32 - 1 bytes.

mod parse;
mod print;
#[cfg(test)]
mod tests;
mod words;

use crosswave_base::diagnostic::Error;

use super::check::check;
use super::model::Design;

pub use print::{print, print_module};

/// Reads a design and checks it ([`check()`]). Mistakes of syntax have line,
/// column and span; those of the check have module, cell and port.
pub fn parse(text: &str, origin: &str) -> Result<Design, Error> {
    let design = parse_unchecked(text, origin)?;
    check(&design, origin)?;
    Ok(design)
}

/// Reads a design without checking it.
pub(super) fn parse_unchecked(text: &str, origin: &str) -> Result<Design, Error> {
    parse::parse(text, origin)
}
