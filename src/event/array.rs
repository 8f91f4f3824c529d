//! The instances of one kind of chip.

use crate::chip::{Direction, LinkWord, Model, ModelVisitor, Role};
use crate::network::ChipArray;
use crate::network::stimulus::InstancePins;

/// An array of models, whatever the kind of chip.
pub(super) trait ModelArray: Send {
    /// Sets a pin of role `Option` or `Host`.
    fn set_pin(&mut self, port: usize, instance: usize, value: u64);
    /// The value of such a pin.
    fn pin(&self, port: usize, instance: usize) -> u64;
    /// The value of an output of role `Host` or `State`.
    fn output(&self, port: usize, instance: usize) -> u64;
    /// One clock edge of one instance; see [`Model::step`].
    fn step(&mut self, instance: usize, random: &InstancePins, words: &mut [LinkWord]) -> bool;
}

/// An array of one model.
pub(super) struct Array<M: Model> {
    chips: Vec<(M::State, M::Pins)>,
}

impl<M: Model> Array<M> {
    /// All instances after reset, with their configuration pins set.
    pub(super) fn new(layout: &ChipArray) -> Self {
        let mut chips = vec![(M::State::default(), M::Pins::default()); layout.instances];
        for pin in &layout.pins {
            for (instance, (_, pins)) in chips.iter_mut().enumerate() {
                M::set_pin(pins, pin.port, pin.values.at(instance));
            }
        }
        Array { chips }
    }
}

impl<M: Model> ModelArray for Array<M> {
    fn set_pin(&mut self, port: usize, instance: usize, value: u64) {
        let port_table = &M::CHIP.ports[port];
        debug_assert!(matches!(port_table.role, Role::Option | Role::Host));
        debug_assert_eq!(port_table.direction, Direction::Input);
        M::set_pin(&mut self.chips[instance].1, port, value);
    }

    fn pin(&self, port: usize, instance: usize) -> u64 {
        M::pin(&self.chips[instance].1, port)
    }

    fn output(&self, port: usize, instance: usize) -> u64 {
        M::output(&self.chips[instance].0, port)
    }

    fn step(&mut self, instance: usize, random: &InstancePins, words: &mut [LinkWord]) -> bool {
        let (state, pins) = &mut self.chips[instance];
        M::step(state, pins, random, words)
    }
}

/// Makes the array that a layout describes.
pub(super) struct MakeArray<'a>(pub(super) &'a ChipArray);

impl ModelVisitor for MakeArray<'_> {
    type Output = Box<dyn ModelArray>;

    fn visit<M: Model>(self) -> Box<dyn ModelArray> {
        Box::new(Array::<M>::new(self.0))
    }
}
