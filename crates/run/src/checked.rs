//! Checks what chips show when a run is taken up from bytes that are not trusted.

use crate::observer::Observer;
use crate::snapshot::RunState;
use crosswave_chips::Role;
use crosswave_network::Fabric;
use crosswave_probe::engine::Engine;

/// Looks at all ports in the state from which a run goes on. It ends the run where a port shows what
/// it cannot: more than its width holds, or another option than the network has.
pub(super) struct Checked<'f> {
    fabric: &'f Fabric,
    is_done: bool,
    has_failed: bool,
}

impl Checked<'_> {
    pub(super) fn new(fabric: &Fabric) -> Checked<'_> {
        Checked {
            fabric,
            is_done: false,
            has_failed: false,
        }
    }

    /// True when a port showed a value that it cannot show.
    pub(super) fn has_failed(&self) -> bool {
        self.has_failed
    }

    fn is_possible(&self, engine: &dyn Engine) -> bool {
        let arrays = self.fabric.arrays.iter().enumerate();
        arrays.into_iter().all(|(array, layout)| {
            let ports = layout.chip.ports.iter().enumerate();
            ports.into_iter().all(|(port, table)| {
                let is_option =
                    matches!(table.role, Role::Option | Role::Parameter) && !layout.changes(port);
                (0..layout.instances).all(|instance| {
                    let value = engine.value(array, port, instance);
                    let fits = table.width >= 64 || value >> table.width == 0;
                    fits && (!is_option || value == layout.pin(port, instance))
                })
            })
        })
    }
}

impl Observer for Checked<'_> {
    fn cycle(&mut self, _: &dyn Engine, _: bool) {}

    fn between_edges(&mut self, state: &RunState<'_, '_>) {
        if !std::mem::replace(&mut self.is_done, true) {
            self.has_failed = !self.is_possible(state.engine);
        }
    }

    fn interrupted(&mut self) -> bool {
        self.has_failed
    }
}
