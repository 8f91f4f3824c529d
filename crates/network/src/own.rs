//! Networks of a designer's own routers.
//!
//! Routers of one module or of several stand at places, which are numbered. A [`Shape`] says which links
//! of them are joined: a grid by arithmetic, or a [list](custom) that a designer wrote. Each
//! node is at a link of a router that is named for it.
//!
//! | in the fabric | |
//! |---|---|
//! | array [`ROUTERS`] | the routers of the first module, in the order of their places |
//! | array [`NODES`] | the endpoints of all nodes |
//! | arrays after these | the routers of further modules, or with other values of parameters; cycles on links |

mod arrays;
pub mod config;
pub mod custom;
mod endpoints;
mod grid;
mod nodes;
mod topology;

use std::collections::BTreeMap;
use std::sync::Arc;

use smallvec::SmallVec;

use super::copies::Copies;
use super::topology::{NODES, ROUTERS};
use super::{ChipArray, Fabric, LinkPort, OPEN, Pin, PinValues};
pub use arrays::RouterArray;
use crosswave_base::diagnostic::{Diagnostic, Error};
use crosswave_chips::Chip;
use crosswave_component::map::PinSource;
use crosswave_component::packet::{DestinationPart, RouteForm};
use crosswave_component::{Component, OwnNetlist};
use custom::Custom;
pub use endpoints::EndpointKeys;
use grid::Grid;

/// Routers at most.
pub const ROUTERS_MAX: u32 = 1 << 16;

/// Extra cycles of a link at most.
pub const LINK_CYCLES_MAX: u64 = 64;
/// Extra cycles of all links together at most.
const DELAYS_MAX: usize = 1 << 20;

/// A link of the router at a place.
pub type At = (u32, usize);

/// The coordinates of a place.
pub type Coordinates = SmallVec<[u32; 3]>;

/// Places of routers, and the links between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// By arithmetic.
    Grid(Grid),
    /// As a list has them.
    Custom(Custom),
}

impl Shape {
    fn name(&self, place: u32) -> String {
        match self {
            Shape::Grid(grid) => grid.name(place),
            Shape::Custom(custom) => custom.name(place).to_owned(),
        }
    }

    fn coordinates(&self, place: u32) -> Coordinates {
        match self {
            Shape::Grid(grid) => grid.coordinates(place),
            Shape::Custom(custom) => custom.coordinates(place),
        }
    }

    /// The number that a place has for the router there.
    fn id(&self, place: u32) -> u32 {
        match self {
            Shape::Grid(_) => place,
            Shape::Custom(custom) => custom.id(place),
        }
    }

    /// The value that a list gives a pin or a parameter of the router at a place.
    fn given(&self, place: u32, name: &str) -> Option<u64> {
        match self {
            Shape::Grid(_) => None,
            Shape::Custom(custom) => custom.given(place, name),
        }
    }

    /// Links from a place to another one on a shortest way.
    fn distance(&self, from: u32, to: u32) -> u32 {
        match self {
            Shape::Grid(grid) => grid.distance(from, to),
            Shape::Custom(custom) => custom.distance(from, to),
        }
    }

    /// Tells of the output links of a shortest way.
    fn way(&self, from: u32, to: u32, link: &mut dyn FnMut(usize)) {
        match self {
            Shape::Grid(grid) => grid.way(from, to, link),
            Shape::Custom(custom) => custom.way(from, to, link),
        }
    }

    /// Tells of all links between routers, with their extra cycles.
    fn joins(&self, join: &mut dyn FnMut(At, At, u32)) {
        match self {
            Shape::Grid(grid) => grid.joins(join),
            Shape::Custom(custom) => custom.joins(join),
        }
    }

    /// Number of links between routers.
    fn links(&self) -> u64 {
        match self {
            Shape::Grid(grid) => grid.links(),
            Shape::Custom(custom) => custom.links(),
        }
    }

    /// Links of the longest of the shortest ways between some places.
    fn longest(&self, places: &[u32]) -> u32 {
        match self {
            Shape::Grid(grid) => grid.longest(),
            Shape::Custom(custom) => {
                let pairs = places
                    .iter()
                    .flat_map(|&from| places.iter().map(move |&to| (from, to)));
                let links = pairs.map(|(from, to)| custom.distance(from, to));
                links.max().unwrap_or(0)
            }
        }
    }

    /// Nodes of a group of each level, the lowest first.
    fn levels(&self, nodes: u32) -> Vec<u32> {
        match self {
            Shape::Grid(grid) => grid.levels(),
            Shape::Custom(_) => vec![nodes],
        }
    }

    /// The value of a source of values at a place.
    fn value(&self, place: u32, source: PinSource) -> u64 {
        match source {
            PinSource::Value(value) => value,
            PinSource::Id => self.id(place).into(),
            PinSource::Coordinate(axis) => {
                let coordinates = self.coordinates(place);
                coordinates.get(axis).copied().unwrap_or(0).into()
            }
        }
    }
}

/// The parts of a network.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The places.
    pub shape: Shape,
    /// The component at each place, by its number among [`components`](Self::components).
    pub component_of: Vec<u32>,
    /// The components, whose links and packets are of one form.
    pub components: Vec<&'static Component>,
    /// The link of each node.
    pub nodes: Vec<At>,
    /// The fields of heads to each node, where they do not follow from its place.
    pub headers: Option<Vec<u64>>,
    /// The endpoints.
    pub endpoints: EndpointKeys,
    /// The checks.
    pub checks: CheckKeys,
}

/// The checks of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckKeys {
    /// Cycles without an event at any node after which a run ends.
    pub deadlock_cycles: u64,
    /// True when routers look at the properties of their links.
    pub monitors: bool,
}

/// A network of a designer's own routers.
#[derive(Debug, Clone)]
pub struct OwnNetwork {
    shape: Arc<Shape>,
    /// The routers, in the order of the fabric's arrays.
    arrays: Vec<RouterArray>,
    /// The components.
    components: Vec<&'static Component>,
    /// The array and the instance of the router at each place.
    routers: Arc<Vec<(u32, u32)>>,
    /// The place of each router, by its number in the fabric.
    places: Arc<Vec<u32>>,
    nodes: Arc<Vec<At>>,
    headers: Option<Arc<Vec<u64>>>,
    /// True when no router has two nodes; then nodes have the numbers of their routers in heads.
    one_node_each: bool,
    endpoints: EndpointKeys,
    checks: CheckKeys,
    /// The row of each router, by its number in the fabric, and its place in it.
    standings: Arc<Vec<(usize, u32)>>,
    /// The rows, with their names.
    rows: Arc<Vec<(String, u32)>>,
    /// The chip that adds a cycle to a link, and how many of them there are.
    delays: Option<(&'static OwnNetlist, usize)>,
    /// The chips.
    family: &'static [&'static Chip],
    /// Notes about parameters.
    notes: Vec<Diagnostic>,
}

impl OwnNetwork {
    /// Puts a network together.
    ///
    /// # Errors
    /// When a module cannot be synthesised with the values that parameters have at a place.
    pub fn new(parts: Parts) -> Result<OwnNetwork, Error> {
        let Parts {
            shape,
            component_of,
            components,
            nodes,
            headers,
            endpoints,
            checks,
        } = parts;
        let (mut arrays, notes) = arrays::arrays(&shape, &component_of, &components)?;
        if checks.monitors {
            arrays::monitor(&mut arrays)?;
        }
        let mut routers = vec![(0, 0); component_of.len()];
        for (array, of) in (0..).zip(&arrays) {
            for (instance, &place) in (0..).zip(of.places.iter()) {
                routers[place as usize] = (array, instance);
            }
        }
        let places = arrays.iter().flat_map(|of| of.places.iter().copied());
        let places: Vec<u32> = places.collect();
        let mut with_node: Vec<u32> = nodes.iter().map(|&(place, _)| place).collect();
        with_node.sort_unstable();
        let one_node_each = with_node.windows(2).all(|pair| pair[0] != pair[1]);
        let mut cycles = 0;
        shape.joins(&mut |_, _, of_link| cycles += of_link as usize);
        let delays = match cycles {
            0 => None,
            count => Some((components[0].delay_line()?, count)),
        };
        let family: &'static [&'static Chip] = match (&arrays[..], delays) {
            ([one], None) => &one.component.chips,
            (several, _) => {
                let mut chips: Vec<&'static Chip> = vec![components[0].endpoint.chip];
                chips.extend(several.iter().map(|of| of.component.router.chip));
                chips.extend(delays.map(|(of, _)| of.chip));
                Vec::leak(chips)
            }
        };
        let (standings, rows) = drawn(&shape, &places, &arrays, &nodes);
        Ok(OwnNetwork {
            standings: Arc::new(standings),
            rows: Arc::new(rows),
            shape: Arc::new(shape),
            arrays,
            components,
            routers: Arc::new(routers),
            places: Arc::new(places),
            nodes: Arc::new(nodes),
            headers: headers.map(Arc::new),
            one_node_each,
            endpoints,
            checks,
            delays,
            family,
            notes,
        })
    }

    /// True when another one is of the same routers, links and checks.
    fn is_same(&self, other: &OwnNetwork) -> bool {
        let components = |network: &OwnNetwork| -> Vec<*const Component> {
            let all = network.components.iter();
            all.map(|&component| std::ptr::from_ref(component))
                .collect()
        };
        let checks = |network: &OwnNetwork| (network.endpoints, network.checks);
        components(self) == components(other)
            && (&self.shape, &self.nodes, &self.headers)
                == (&other.shape, &other.nodes, &other.headers)
            && checks(self) == checks(other)
    }

    /// Pins and parameters with coordinates along axes that a grid does not have, each with advice.
    fn missing_axes(&self) -> Vec<(String, &'static str)> {
        let Shape::Grid(grid) = &*self.shape else {
            return Vec::new();
        };
        let axes = grid.coordinates(0).len();
        let component = self.first();
        let ports = component.router.chip.ports;
        let pins = component.pins.iter();
        let pins = pins.map(|&(port, source)| ("pin", ports[port].name, source));
        let parameters = component.instance_parameters.iter();
        let parameters = parameters.map(|(name, source)| ("parameter", &**name, *source));
        let missing = pins
            .chain(parameters)
            .filter(|(.., source)| matches!(source, PinSource::Coordinate(axis) if *axis >= axes));
        let told = missing.map(|(what, name, source)| {
            let axes = if axes == 1 { "one axis" } else { "two axes" };
            let message = format!(
                "the {what} {name} is {}, and the network has {axes}",
                source.text()
            );
            (
                message,
                "give it a number in the component file, or the network another axis",
            )
        });
        told.collect()
    }

    /// Values of pins and fields that do not fit them, and ways that do not fit heads, each with advice.
    fn misfits(&self) -> Vec<(String, &'static str)> {
        let mut misfits = self.missing_axes();
        for of in &self.arrays {
            for &(port, source) in &of.component.pins {
                let port_of = &of.component.router.chip.ports[port];
                let values = self.pin_values(of, port, source);
                let instances = 0..of.places.len();
                let most = instances.map(|at| values.at(at)).max().unwrap_or(0);
                if port_of.width < 64 && most >> port_of.width != 0 {
                    let message = format!(
                        "the pin {} has {} bits, and {most} is among its values",
                        port_of.name, port_of.width
                    );
                    misfits.push((message, "make the network smaller, or the pin wider"));
                }
            }
        }
        if let Some((_, count)) = self.delays.filter(|&(_, count)| count > DELAYS_MAX) {
            let message =
                format!("links have {count} extra cycles together; expected up to {DELAYS_MAX}");
            misfits.push((message, "make the network or its links smaller"));
        }
        let mut answered = None;
        self.shape.joins(&mut |one, other, cycles| {
            let ends = [one, other].map(|(place, link)| {
                let (array, _) = self.routers[place as usize];
                self.arrays[array as usize].component.ends[link]
            });
            if cycles > 0
                && ends
                    .iter()
                    .any(|ends| ends.takes_answer || ends.sends_answer)
            {
                answered = Some(one);
            }
        });
        let is_late = self.first().form.protocol.back_is_optional();
        if let Some((place, _)) = answered.filter(|_| is_late) {
            let message = format!(
                "{} answers with resend over a link with extra cycles, where the answer would come late",
                self.shape.name(place)
            );
            misfits.push((message, "only links without extra cycles have resend"));
        }
        let packet = &self.first().packet;
        let parts = match self.headers {
            Some(_) => &[],
            None => &packet.destination[..],
        };
        for (part, bits) in parts {
            let value = |(node, &(place, _)): (usize, &At)| match part {
                DestinationPart::Coordinate(axis) => {
                    let coordinates = self.shape.coordinates(place);
                    coordinates.get(*axis).copied().unwrap_or(0)
                }
                DestinationPart::Id => self.id_of_node(node as u32),
                DestinationPart::Route => 0,
            };
            let most = self.nodes.iter().enumerate().map(value).max().unwrap_or(0);
            if bits.len() < 32 && u64::from(most) >> bits.len() != 0 {
                let message = format!(
                    "the field {} of heads has {} bits, and {most} is among the destinations",
                    part.field(),
                    bits.len()
                );
                misfits.push((message, "make the network smaller, or the field wider"));
            }
        }
        if let Some(form) = &packet.route {
            let places = self.nodes.iter().map(|&(place, _)| place);
            let most = self.shape.longest(&places.collect::<Vec<_>>()) as usize + 1;
            if most > form.hops_max() {
                let message = format!(
                    "the way in heads has room for {} routers, and a way has {most}",
                    form.hops_max()
                );
                misfits.push((
                    message,
                    "make the network smaller, or packet.route.bits wider",
                ));
            }
        }
        misfits
    }

    /// The component that the forms of links and packets are read from.
    fn first(&self) -> &'static Component {
        self.components[0]
    }

    /// Its components.
    pub fn components(&self) -> &[&'static Component] {
        &self.components
    }

    /// Number of nodes.
    pub fn node_count(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Nodes of a group of each level, the lowest first.
    pub fn levels(&self) -> Vec<u32> {
        self.shape.levels(self.node_count())
    }

    /// The netlists of all modules and of the endpoint.
    pub fn netlists(&self) -> Vec<&'static OwnNetlist> {
        let routers = self.arrays.iter().map(|of| &of.component.router);
        let mut netlists: Vec<&'static OwnNetlist> = routers.collect();
        netlists.push(self.first().endpoint);
        netlists.extend(self.delays.map(|(of, _)| of));
        netlists
    }

    /// The number of a node in heads.
    fn id_of_node(&self, node: u32) -> u32 {
        match self.one_node_each {
            true => self.shape.id(self.nodes[node as usize].0),
            false => node,
        }
    }

    /// The way from a node to another one as heads hold it: a shortest one, and the link of the node.
    fn way(&self, form: &RouteForm, source: u32, node: u32) -> u64 {
        let (from, _) = self.nodes[source as usize];
        let (to, local) = self.nodes[node as usize];
        let (mut way, mut hop) = (0, 0);
        self.shape.way(from, to, &mut |link| {
            way |= form.value(hop, link);
            hop += 1;
        });
        way | form.value(hop, local)
    }

    /// The fields of a head from a node to another one.
    fn header(&self, source: u32, node: u32) -> u64 {
        if let Some(headers) = &self.headers {
            return headers[node as usize];
        }
        let packet = &self.first().packet;
        let (place, _) = self.nodes[node as usize];
        let route = match &packet.route {
            Some(form) if source != node => self.way(form, source, node),
            _ => 0,
        };
        packet.header(&self.shape.coordinates(place), self.id_of_node(node), route)
    }

    /// The values of a pin over the routers of an array.
    fn pin_values(&self, of: &RouterArray, port: usize, source: PinSource) -> PinValues {
        let name = of.component.router.chip.ports[port].name;
        let value = |&place: &u32| {
            let given = self.shape.given(place, name);
            given.unwrap_or_else(|| self.shape.value(place, source))
        };
        let values: Vec<u64> = of.places.iter().map(value).collect();
        match values.split_first() {
            Some((first, rest)) if rest.iter().all(|value| value == first) => {
                PinValues::Uniform(*first)
            }
            _ if values.iter().all(|&value| value <= u32::MAX.into()) => {
                PinValues::Each(values.iter().map(|&value| value as u32).collect())
            }
            _ => PinValues::Wide(values),
        }
    }

    /// The array of routers in a fabric whose links begin at a number.
    fn router_array(&self, of: &RouterArray, first_link: u32) -> ChipArray {
        let (shape, places) = (Arc::clone(&self.shape), Arc::clone(&of.places));
        let pins = of.component.pins.iter();
        let pins = pins.map(|&(port, source)| Pin {
            port,
            values: self.pin_values(of, port, source),
        });
        ChipArray {
            chip: of.component.router.chip,
            instances: of.places.len(),
            first_link,
            pins: pins.chain(of.pins.iter().cloned()).collect(),
            silent: Vec::new(),
            random: false,
            changing: Vec::new(),
            modules: Arc::clone(&of.modules),
            name: Arc::new(move |instance| shape.name(places[instance])),
        }
    }

    /// The array in a fabric of an array of routers.
    fn fabric_array(array: u32) -> usize {
        match array as usize {
            0 => ROUTERS,
            more => NODES + more,
        }
    }

    /// The fabric.
    pub fn fabric(&self) -> Fabric {
        let mut arrays: Vec<ChipArray> = Vec::new();
        let mut links = 0;
        for (at, of) in self.arrays.iter().enumerate() {
            arrays.push(self.router_array(of, links));
            links += (of.places.len() * of.component.router.chip.links.len()) as u32;
            if at == ROUTERS {
                arrays.push(self.node_array(links));
                links += self.nodes.len() as u32;
            }
        }
        if let Some((of, count)) = self.delays {
            arrays.push(ChipArray {
                chip: of.chip,
                instances: count,
                first_link: links,
                pins: Vec::new(),
                silent: Vec::new(),
                random: false,
                changing: Vec::new(),
                modules: Arc::default(),
                name: Arc::new(|instance| format!("link_{instance}")),
            });
            links += (count * of.chip.links.len()) as u32;
        }
        let delay_array = arrays.len() - 1;
        let mut fabric = Fabric {
            name: match *self.shape {
                Shape::Grid(_) => "grid",
                Shape::Custom(_) => "custom",
            },
            arrays,
            peers: vec![OPEN; links as usize],
            rotations: Vec::new(),
            nodes: self.nodes.len(),
            copies: Copies::ONE,
            rest_cycles: 0,
            // Nothing is known of when a router of a designer's own rests.
            restless: true,
            more_routers: self.arrays.len() - 1,
            changes: Vec::new(),
            lane: None,
        };
        let router = |(place, link): At| {
            let (array, instance) = self.routers[place as usize];
            LinkPort {
                array: OwnNetwork::fabric_array(array),
                instance: instance as usize,
                link,
            }
        };
        for (instance, &at) in self.nodes.iter().enumerate() {
            let node = LinkPort {
                array: NODES,
                instance,
                link: 0,
            };
            fabric.join(node, router(at));
        }
        let mut delays = 0;
        self.shape.joins(&mut |one, other, cycles| {
            let mut near = router(one);
            for instance in delays..delays + cycles as usize {
                let [begin, end] = [0, 1].map(|link| LinkPort {
                    array: delay_array,
                    instance,
                    link,
                });
                fabric.join(near, begin);
                near = end;
            }
            delays += cycles as usize;
            fabric.join(near, router(other));
        });
        fabric
    }
}

/// The row of each router and its place there, and the names of the rows with the numbers of their
/// routers.
type Drawn = (Vec<(usize, u32)>, Vec<(String, u32)>);

/// Finds the row of each router, and the rows. A row has routers of one array.
fn drawn(shape: &Shape, places: &[u32], arrays: &[RouterArray], nodes: &[At]) -> Drawn {
    let levels = match shape {
        Shape::Grid(grid) => {
            let rows = (0..grid.count()).map(|place| grid.standing(place).0 as u32);
            rows.collect()
        }
        Shape::Custom(custom) => custom.levels(nodes),
    };
    // Routers with other values of a parameter are of another chip with the same links.
    let first_of = |at: usize| {
        let links = arrays[at].component.router.chip.links;
        let same = |of: &RouterArray| of.component.router.chip.links == links;
        arrays.iter().position(same).unwrap_or(at)
    };
    let kinds = arrays.iter().enumerate();
    let kinds = kinds.flat_map(|(at, of)| std::iter::repeat_n(first_of(at), of.places.len()));
    let rows_of: Vec<(u32, usize)> = places
        .iter()
        .zip(kinds)
        .map(|(&place, kind)| (levels[place as usize], kind))
        .collect();
    let mut rows: BTreeMap<(u32, usize), Vec<u32>> = BTreeMap::new();
    for (&row, &place) in rows_of.iter().zip(places) {
        rows.entry(row).or_default().push(place);
    }
    rows.values_mut().for_each(|places| places.sort_unstable());
    let numbers: BTreeMap<(u32, usize), usize> = rows.keys().copied().zip(0..).collect();
    let standing = |(row, place): (&(u32, usize), &u32)| {
        let at = rows[row].binary_search(place).unwrap_or(0);
        (numbers[row], at as u32)
    };
    let standings = rows_of.iter().zip(places).map(standing).collect();
    let word = match shape {
        Shape::Grid(_) => "row",
        Shape::Custom(_) => "level",
    };
    let several = rows.keys().any(|&(_, kind)| kind > 0);
    let name = |&(level, kind): &(u32, usize)| match several {
        true => format!("{word} {level}, {}", arrays[kind].component.top),
        false => format!("{word} {level}"),
    };
    let names = rows.iter().map(|(row, of)| (name(row), of.len() as u32));
    (standings, names.collect())
}
