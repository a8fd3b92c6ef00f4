//! Argument positions.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The position of an argument of a relation or fluent. Documents and sentences count from 1, lists from 0;
/// this type prevents confusing the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArgumentPosition {
    index: usize,
}

impl ArgumentPosition {
    /// The position of the first argument.
    pub fn first() -> ArgumentPosition {
        ArgumentPosition::at(0)
    }

    /// Whether it is the first position.
    pub fn is_first(&self) -> bool {
        self.index == 0
    }

    /// The position at an index of the list of arguments, from 0.
    pub fn at(index: usize) -> ArgumentPosition {
        ArgumentPosition { index }
    }

    /// Its index in the list of arguments, from 0.
    pub fn index(self) -> usize {
        self.index
    }

    /// Its number in documents and sentences, from 1.
    pub fn number(self) -> usize {
        self.index + 1
    }
}

/// The number, from 1.
impl fmt::Display for ArgumentPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

impl Serialize for ArgumentPosition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.number().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ArgumentPosition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = usize::deserialize(deserializer)?;
        let index = number.checked_sub(1).ok_or_else(|| D::Error::custom("arguments count from 1"))?;
        Ok(ArgumentPosition { index })
    }
}

impl JsonSchema for ArgumentPosition {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        usize::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        usize::json_schema(generator)
    }
}
