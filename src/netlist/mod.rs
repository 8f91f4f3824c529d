//! netlist.
