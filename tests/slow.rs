//! What takes longer: the engines against each other and against other tools, proofs, whole
//! reports.

mod bidelta;
mod butterfly;
mod export;
mod faults;
mod foreign;
mod frames;
mod hdl;
mod lean_trees;
mod lockstep;
mod mport;
mod packets;
mod replicas;
mod report;
mod skew;
mod transit;
mod view;
mod viewer_files;
