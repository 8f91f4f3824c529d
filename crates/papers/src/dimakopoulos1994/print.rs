//! The paper's closed forms, as printed, with n processors and d = lg n levels.

/// Table 1 and section 2.1: broadcast.
pub fn broadcast(d: u64) -> u64 {
    2 * d
}

/// Table 1, Theorems 1 and 2: scatter, gather, multinode broadcast.
pub fn scatter(n: u64) -> u64 {
    n + 1
}

/// Section 3: the step in which the last message of a scatter arrives from level i.
pub fn last_arrival(n: u64, i: u64) -> u64 {
    n - (1 << (i - 1)) + 2 * i - 1
}

/// Section 4.1: the longest queue at a node of level i.
pub fn queue(i: u64) -> u64 {
    1 << (i - 1)
}

/// Section 4.1: multinode broadcast without queues.
pub fn without_queues(n: u64, d: u64) -> u64 {
    n + 2 * d - 2
}

/// Section 5: total exchange by scatterings one after the other.
pub fn consecutive_scatterings(n: u64) -> u64 {
    n * (n + 1)
}

/// Section 5: messages that a phase at level h passes in each direction, by the bounds of the
/// loops for CBFTs, both included.
pub fn messages_of_loops(h: u64) -> u64 {
    let periods = (1 << (h - 1)) + 1;
    periods * periods
}

/// Equation 1: total exchange in serial phases, with capacities from level 1 up.
pub fn equation_1(capacities: &[u64]) -> u64 {
    sends(capacities) + (capacities.len() as u64).pow(2)
}

/// Equation 2: total exchange in pipelined phases.
pub fn equation_2(capacities: &[u64]) -> u64 {
    sends(capacities) + 2 * capacities.len() as u64 - 1
}

/// The sum in both equations.
fn sends(capacities: &[u64]) -> u64 {
    let phases = (0..).zip(capacities);
    phases.map(|(i, &c)| 4u64.pow(i).div_ceil(c)).sum()
}

/// Section 5: pipelined phases on the CBFT.
pub fn cbft(n: u64, d: u64) -> u64 {
    (n * n - 1) / 3 + 2 * d - 1
}

/// Equation 3, and the conjecture of section 5.1: pipelined phases on the EBFT.
pub fn equation_3(n: u64, d: u64) -> u64 {
    n + 2 * d - 2
}

/// Table 1: the lower bound of total exchange, by the capacity of the root's branches.
pub fn table_1(n: u64, root_capacity: u64) -> u64 {
    (n + 1).max(n * n / (4 * root_capacity))
}

/// Lemma 3 and equation 6: the lower bound of total exchange on the EBFT.
pub fn lemma_3(n: u64, d: u64) -> f64 {
    let d = d as f64;
    n as f64 + 2.0 * d - 2.0 * d.log2() - 2.0
}
