//! The parts of a file of `write_json` that are read.
//!
//! What is absent is `None`, and so is what is allowed to be of another kind than
//! expected. Where that is reported, it is kept.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess};
use smallvec::SmallVec;

use super::cell_types::{MEMORY, is_gate_or_flop};
use super::json::{Entries, ExpectedObject, FromJson, Plain, Read, Skip, value};
use crate::model::PortDirection;

/// An object that may be absent, or something else in its place.
pub(super) type ObjectEntries<'a, T> = Option<ExpectedObject<'a, Entries<'a, T>>>;

/// The whole file.
#[derive(Default)]
pub(super) struct NetlistFile<'a> {
    pub modules: Option<Entries<'a, ExpectedObject<'a, ModuleBody<'a>>>>,
}

/// A module.
#[derive(Default)]
pub(super) struct ModuleBody<'a> {
    pub attributes: Attributes<'a>,
    pub ports: ObjectEntries<'a, PortBody<'a>>,
    pub cells: ObjectEntries<'a, ExpectedObject<'a, CellBody<'a>>>,
    pub memories: ObjectEntries<'a, Skip>,
    /// The values of its parameters.
    pub parameters: Entries<'a, Plain<'a>>,
    pub netnames: ObjectEntries<'a, ExpectedObject<'a, NetName<'a>>>,
}

/// The attributes of a module, a cell or a name of a net.
#[derive(Default)]
pub(super) struct Attributes<'a> {
    /// The place in the source, or empty.
    pub src: Cow<'a, str>,
    /// The initial values of the bits of a net, or empty.
    pub init: Cow<'a, str>,
    pub blackbox: bool,
    pub top: bool,
}

/// A port of a module.
#[derive(Default)]
pub(super) struct PortBody<'a> {
    pub direction: Option<Plain<'a>>,
    pub bits: Option<Bits<'a>>,
    pub offset: Option<Plain<'a>>,
    pub upto: bool,
    pub signed: bool,
}

/// A cell.
#[derive(Default)]
pub(super) struct CellBody<'a> {
    pub cell_type: Option<Plain<'a>>,
    /// The attribute `src`, or empty.
    pub src: Cow<'a, str>,
    /// The directions of the ports; of gates and flip-flops they are left out.
    pub directions: Entries<'a, DeclaredDirection>,
    /// The parameters of a memory; of other cells they are left out.
    pub parameters: Entries<'a, Plain<'a>>,
    pub connections: ObjectEntries<'a, Bits<'a>>,
}

/// A name for nets.
#[derive(Default)]
pub(super) struct NetName<'a> {
    pub hidden: bool,
    pub bits: Option<Bits<'a>>,
    pub offset: Option<Box<Plain<'a>>>,
    pub upto: bool,
    /// The attribute `src`, or empty.
    pub src: Cow<'a, str>,
    /// The attribute `init`, or empty.
    pub init: Cow<'a, str>,
}

/// The direction that a cell gives for one of its ports.
pub(super) struct DeclaredDirection(pub Option<PortDirection>);

/// A value that should be an array of bits. Most have one bit.
pub(super) enum Bits<'a> {
    Array(SmallVec<[BitEntry<'a>; 1]>),
    Other(Box<Plain<'a>>),
}

/// A value that should be a bit.
pub(super) enum BitEntry<'a> {
    Net(u64),
    Zero,
    One,
    X,
    Other(Box<Plain<'a>>),
}

impl<'a> Bits<'a> {
    /// The entries of the array.
    pub fn as_array(&self) -> Option<&[BitEntry<'a>]> {
        match self {
            Bits::Array(bits) => Some(bits),
            Bits::Other(_) => None,
        }
    }
}

/// The value of the key that was read last, when it is a flag.
fn flag<'de, A: MapAccess<'de>>(map: &mut A) -> Result<bool, A::Error> {
    Ok(value::<Plain<'de>, A>(map)?.is_set())
}

/// The value of the key that was read last when it is a string, or empty.
fn text<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Cow<'de, str>, A::Error> {
    let found: Plain<'de> = value(map)?;
    Ok(found.into_text().unwrap_or_default())
}

/// Ignores the value of the key that was read last.
fn skip<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    let Skip = value(map)?;
    Ok(())
}

impl<'de> FromJson<'de> for NetlistFile<'de> {
    fn plain(_: Plain<'de>) -> Self {
        NetlistFile::default()
    }

    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        #[derive(Deserialize)]
        #[serde(field_identifier, rename_all = "snake_case")]
        enum Key {
            Modules,
            #[serde(other)]
            Other,
        }
        let mut file = NetlistFile::default();
        while let Some(key) = map.next_key()? {
            match key {
                Key::Modules => {
                    file.modules = match value(&mut map)? {
                        ExpectedObject::Object(modules) => Some(modules),
                        ExpectedObject::Other(_) => None,
                    };
                }
                Key::Other => skip(&mut map)?,
            }
        }
        Ok(file)
    }
}

impl<'de> FromJson<'de> for ModuleBody<'de> {
    fn plain(_: Plain<'de>) -> Self {
        ModuleBody::default()
    }

    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        #[derive(Deserialize)]
        #[serde(field_identifier, rename_all = "snake_case")]
        enum Key {
            Attributes,
            Ports,
            Cells,
            Memories,
            Netnames,
            ParameterDefaultValues,
            #[serde(other)]
            Other,
        }
        let mut module = ModuleBody::default();
        while let Some(key) = map.next_key()? {
            match key {
                Key::Attributes => module.attributes = value(&mut map)?,
                Key::Ports => module.ports = Some(value(&mut map)?),
                Key::Cells => module.cells = Some(value(&mut map)?),
                Key::Memories => module.memories = Some(value(&mut map)?),
                Key::Netnames => module.netnames = Some(value(&mut map)?),
                Key::ParameterDefaultValues => module.parameters = value(&mut map)?,
                Key::Other => skip(&mut map)?,
            }
        }
        Ok(module)
    }
}

impl<'de> FromJson<'de> for Attributes<'de> {
    fn plain(_: Plain<'de>) -> Self {
        Attributes::default()
    }

    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        #[derive(Deserialize)]
        #[serde(field_identifier, rename_all = "snake_case")]
        enum Key {
            Src,
            Init,
            Blackbox,
            Top,
            #[serde(other)]
            Other,
        }
        let mut attributes = Attributes::default();
        while let Some(key) = map.next_key()? {
            match key {
                Key::Src => attributes.src = text(&mut map)?,
                Key::Init => attributes.init = text(&mut map)?,
                Key::Blackbox => attributes.blackbox = flag(&mut map)?,
                Key::Top => attributes.top = flag(&mut map)?,
                Key::Other => skip(&mut map)?,
            }
        }
        Ok(attributes)
    }
}

impl<'de> FromJson<'de> for PortBody<'de> {
    fn plain(_: Plain<'de>) -> Self {
        PortBody::default()
    }

    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        #[derive(Deserialize)]
        #[serde(field_identifier, rename_all = "snake_case")]
        enum Key {
            Direction,
            Bits,
            Offset,
            Upto,
            Signed,
            #[serde(other)]
            Other,
        }
        let mut port = PortBody::default();
        while let Some(key) = map.next_key()? {
            match key {
                Key::Direction => port.direction = Some(value(&mut map)?),
                Key::Bits => port.bits = Some(value(&mut map)?),
                Key::Offset => port.offset = Some(value(&mut map)?),
                Key::Upto => port.upto = flag(&mut map)?,
                Key::Signed => port.signed = flag(&mut map)?,
                Key::Other => skip(&mut map)?,
            }
        }
        Ok(port)
    }
}

impl<'de> FromJson<'de> for CellBody<'de> {
    fn plain(_: Plain<'de>) -> Self {
        CellBody::default()
    }

    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        #[derive(Deserialize)]
        #[serde(field_identifier, rename_all = "snake_case")]
        enum Key {
            Type,
            Parameters,
            Attributes,
            PortDirections,
            Connections,
            #[serde(other)]
            Other,
        }
        let mut cell = CellBody::default();
        while let Some(key) = map.next_key()? {
            match key {
                Key::Type => cell.cell_type = Some(value(&mut map)?),
                Key::Parameters => cell.parameters = value(&mut map)?,
                Key::Attributes => cell.src = value::<Attributes<'de>, A>(&mut map)?.src,
                Key::PortDirections => cell.directions = value(&mut map)?,
                Key::Connections => cell.connections = Some(value(&mut map)?),
                Key::Other => skip(&mut map)?,
            }
        }
        let cell_type = cell.cell_type.as_ref().and_then(Plain::as_str);
        if cell_type.is_some_and(is_gate_or_flop) {
            cell.directions = Entries::default();
        }
        if cell_type != Some(MEMORY) {
            cell.parameters = Entries::default();
        }
        Ok(cell)
    }
}

impl<'de> FromJson<'de> for NetName<'de> {
    fn plain(_: Plain<'de>) -> Self {
        NetName::default()
    }

    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        #[derive(Deserialize)]
        #[serde(field_identifier, rename_all = "snake_case")]
        enum Key {
            HideName,
            Bits,
            Offset,
            Upto,
            Attributes,
            #[serde(other)]
            Other,
        }
        let mut name = NetName::default();
        while let Some(key) = map.next_key()? {
            match key {
                Key::HideName => name.hidden = flag(&mut map)?,
                Key::Bits => name.bits = Some(value(&mut map)?),
                Key::Offset => name.offset = Some(Box::new(value(&mut map)?)),
                Key::Upto => name.upto = flag(&mut map)?,
                Key::Attributes => {
                    let attributes: Attributes<'de> = value(&mut map)?;
                    (name.src, name.init) = (attributes.src, attributes.init);
                }
                Key::Other => skip(&mut map)?,
            }
        }
        Ok(name)
    }
}

impl<'de> FromJson<'de> for DeclaredDirection {
    fn plain(value: Plain<'de>) -> Self {
        DeclaredDirection(value.direction())
    }
}

impl<'de> FromJson<'de> for Bits<'de> {
    fn plain(value: Plain<'de>) -> Self {
        Bits::Other(Box::new(value))
    }

    fn array<A: SeqAccess<'de>>(mut sequence: A) -> Result<Self, A::Error> {
        let mut bits = SmallVec::new();
        while let Some(Read(bit)) = sequence.next_element()? {
            bits.push(bit);
        }
        Ok(Bits::Array(bits))
    }
}

impl<'de> FromJson<'de> for BitEntry<'de> {
    fn plain(value: Plain<'de>) -> Self {
        let number = match &value {
            Plain::Number(number) => number.as_u64(),
            _ => None,
        };
        match (value.as_str(), number) {
            (_, Some(number)) => BitEntry::Net(number),
            (Some("0"), _) => BitEntry::Zero,
            (Some("1"), _) => BitEntry::One,
            (Some("x"), _) => BitEntry::X,
            _ => BitEntry::Other(Box::new(value)),
        }
    }
}
