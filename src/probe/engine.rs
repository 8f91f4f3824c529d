//! The contract between a run and an engine.
//!
//! An engine stands in one cycle: its registers hold what they hold in that
//! cycle, and the host pins can be driven before [`Engine::step`] takes the
//! clock edge that begins the next one. Cycle 0 is the reset cycle.

/// A simulated network: what can be driven, observed and clocked.
///
/// `array` counts the arrays of the network's fabric, `port` the ports of the
/// array's chip, `instance` the instances of the array.
pub trait Engine {
    /// The current cycle.
    fn cycle(&self) -> u64;

    /// Drives a host pin of some instances, each with its value, from the
    /// current cycle on.
    fn drive(&mut self, array: usize, port: usize, values: &[(u32, u64)]);

    /// Drives a host pin of every instance of an array, from the current cycle on.
    fn drive_all(&mut self, array: usize, port: usize, value: u64);

    /// The value of any port in the current cycle.
    fn value(&self, array: usize, port: usize, instance: usize) -> u64;

    /// One bit of a port over all instances of an array, 64 to a word. Bits
    /// past the last instance may be anything.
    ///
    /// Engines that keep bit planes have a faster way than this one.
    fn plane(&self, array: usize, port: usize, bit: usize, instances: usize, words: &mut [u64]) {
        words.fill(0);
        for instance in 0..instances {
            let value = self.value(array, port, instance) >> bit & 1;
            words[instance / 64] |= value << (instance % 64);
        }
    }

    /// Whether the random pins are held at 0 in the current cycle.
    fn random_held(&self) -> bool;

    /// Appends the instances whose one-bit host output is 1 in the current
    /// cycle, in rising order. Only outputs that are 1 for single cycles after
    /// something happened may be asked for.
    fn raised(&self, array: usize, port: usize, instances: &mut Vec<u32>);

    /// Holds the random pins at 0 (`true`) or lets them run, from the current
    /// cycle on.
    fn hold_random(&mut self, hold: bool);

    /// One clock edge.
    fn step(&mut self);

    /// Goes to `cycle` without evaluating anything. Allowed only while nothing
    /// in the network can change.
    fn skip_to(&mut self, cycle: u64);
}
