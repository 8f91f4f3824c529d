//! Routers of a network in arrays: those of one chip together.
//!
//! Routers of a component that differ in values of parameters are of one chip where their modules differ
//! in constants only, and of several chips where they do not ([`parameters`]). The routers of a chip are in
//! the order of their places, and the chips in that of their first routers.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{PinSource, Shape};
use crate::{Pin, PinValues};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_component::Component;
use crosswave_component::parameters::{self, Realised};

/// Routers of one chip.
#[derive(Debug, Clone)]
pub struct RouterArray {
    /// The component with its chip.
    pub component: &'static Component,
    /// The places of its instances.
    pub places: Arc<Vec<u32>>,
    /// The pins in the place of parameters.
    pub(super) pins: Vec<Pin>,
    /// The modules of its instances in Verilog, where these differ in parameters.
    pub(super) modules: Arc<[&'static str]>,
}

/// Routers in arrays, and what is to be said of their parameters.
pub(super) type Arrays = (Vec<RouterArray>, Vec<Diagnostic>);

/// Puts routers into arrays. `component_of` has the number of the component at each place.
///
/// # Errors
/// When a module cannot be synthesised with the values that parameters have at a place.
pub(super) fn arrays(
    shape: &Shape,
    component_of: &[u32],
    components: &[&'static Component],
) -> Result<Arrays, Error> {
    let (mut arrays, mut notes) = (Vec::new(), Vec::new());
    for (&component, of) in components.iter().zip(0..) {
        let mut places: BTreeMap<Vec<u64>, Vec<u32>> = BTreeMap::new();
        for (place, _) in (0..).zip(component_of).filter(|(_, number)| **number == of) {
            let values = component.instance_parameters.iter();
            let values = values.map(|(name, source): &(String, PinSource)| {
                let given = shape.given(place, name);
                given.unwrap_or_else(|| shape.value(place, *source))
            });
            places.entry(values.collect()).or_default().push(place);
        }
        // In the order of their first places, so that routers and nodes are in the same order.
        let mut places: Vec<(Vec<u64>, Vec<u32>)> = places.into_iter().collect();
        places.sort_by_key(|(_, places)| places[0]);
        let (sets, places): (Vec<Vec<u64>>, Vec<Vec<u32>>) = places.into_iter().unzip();
        let realised = parameters::realised(component, &sets)?;
        if let Some(reason) = &realised.reason {
            let names = parameters::names(&component.instance_parameters);
            let message = format!(
                "{} sets of values of {names} are {} chips: {reason}",
                sets.len(),
                realised.chips
            );
            let help = "a run is faster where modules differ in constants only, or have pins";
            notes.push(Diagnostic::new("component.parameters", message, help));
        }
        arrays.extend(of_component(&realised.routers, places));
    }
    Ok((arrays, notes))
}

/// Gives routers monitors.
///
/// # Errors
/// When routers are several modules by their parameters, or Yosys is missing.
pub(super) fn monitor(arrays: &mut [RouterArray]) -> Result<(), Error> {
    for array in arrays {
        if !array.modules.is_empty() {
            let message = "routers with parameters of their own have no monitors";
            let help = "leave it out, or give the router pins in the place of parameters";
            let diagnostic = Diagnostic::new("checks.monitors", message, help);
            return Err(Error::one(Class::Usage, "configuration", diagnostic));
        }
        array.component = array.component.monitored()?;
    }
    Ok(())
}

/// The arrays of a component: routers with their places, in the order of the first router of each chip.
fn of_component(routers: &[Realised], places: Vec<Vec<u32>>) -> Vec<RouterArray> {
    let mut chips: Vec<(&'static Component, Vec<(&Realised, u32)>)> = Vec::new();
    for (router, places) in routers.iter().zip(places) {
        let at = chips
            .iter()
            .position(|(known, _)| std::ptr::eq(*known, router.component));
        let at = at.unwrap_or_else(|| {
            chips.push((router.component, Vec::new()));
            chips.len() - 1
        });
        chips[at]
            .1
            .extend(places.into_iter().map(|place| (router, place)));
    }
    let array = |(component, mut instances): (&'static Component, Vec<(&Realised, u32)>)| {
        // Links between neighbours cost least where these are close.
        instances.sort_by_key(|(_, place)| *place);
        let (first, _) = instances[0];
        let pins = first.pins.iter().enumerate().map(|(at, &(port, _))| Pin {
            port,
            values: PinValues::Wide(instances.iter().map(|(of, _)| of.pins[at].1).collect()),
        });
        RouterArray {
            component,
            pins: pins.collect(),
            modules: match instances
                .iter()
                .all(|(of, _)| of.module == component.router.chip.name)
            {
                true => Arc::default(),
                false => instances.iter().map(|(of, _)| of.module).collect(),
            },
            places: Arc::new(instances.into_iter().map(|(_, place)| place).collect()),
        }
    };
    chips.into_iter().map(array).collect()
}
