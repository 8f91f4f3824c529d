//! Small readings of JSON values that several readers need.

use serde_json::Value;

use crate::model::Direction;

/// A JSON object.
pub(super) type Object = serde_json::Map<String, Value>;

/// The value of an attribute of a module, cell or net name.
pub(super) fn attribute<'a>(body: &'a Object, name: &str) -> Option<&'a Value> {
    body.get("attributes")?.get(name)
}

/// The `src` attribute, or empty.
pub(super) fn src(body: &Object) -> &str {
    attribute(body, "src").and_then(Value::as_str).unwrap_or("")
}

/// Whether a flag is there and not zero. Yosys writes flags as numbers or as
/// strings of binary digits.
pub(super) fn is_set(value: Option<&Value>) -> bool {
    match value {
        Some(Value::String(digits)) => digits.contains('1'),
        Some(Value::Number(number)) => number.as_u64() != Some(0),
        _ => false,
    }
}

/// A port direction; `None` for `inout` and anything else.
pub(super) fn direction(value: &Value) -> Option<Direction> {
    match value.as_str()? {
        "input" => Some(Direction::Input),
        "output" => Some(Direction::Output),
        _ => None,
    }
}

/// A JSON value for a message: short values as they are, others by kind.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.chars().count() > 40 => "a long string".to_owned(),
        other => format!("`{other}`"),
    }
}
