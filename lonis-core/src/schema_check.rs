//! A compiled inline schema of a contract, and the first place where a value breaks it.
//!
//! Schemas come from other people's programs: patterns run on an engine without backtracking, no reference leaves the
//! document, and no message repeats a value, which may be a secret.

use jsonschema::{Draft, PatternOptions, Validator};
use lonis_schema::{ErrorKind, ToolError};
use serde_json::{Value, json};
use thiserror::Error;

/// Largest program that one pattern of a schema may compile to, in bytes.
const MAX_PATTERN_PROGRAM_BYTES: usize = 1 << 20;

/// An inline JSON Schema of a contract, draft 2020-12, compiled once.
#[derive(Debug)]
pub struct SchemaCheck {
    validator: Validator,
}

impl SchemaCheck {
    /// Compiles a schema.
    ///
    /// # Errors
    /// When the document is no schema of draft 2020-12, refers to another document, or holds a pattern that needs
    /// backtracking.
    pub fn compile(schema: &Value) -> Result<Self, SchemaCheckError> {
        jsonschema::options()
            .with_draft(Draft::Draft202012)
            .offline()
            .with_pattern_options(PatternOptions::regex().size_limit(MAX_PATTERN_PROGRAM_BYTES))
            .build(schema)
            .map(|validator| Self { validator })
            .map_err(|error| SchemaCheckError {
                pointer: error.instance_path().to_string(),
                problem: error.masked().to_string(),
            })
    }

    /// Checks a value and returns the first breach.
    ///
    /// # Errors
    /// When the value breaks the schema.
    pub fn check(&self, value: &Value) -> Result<(), SchemaBreach> {
        self.validator
            .validate(value)
            .map_err(|error| SchemaBreach {
                pointer: error.instance_path().to_string(),
                schema_pointer: error.schema_path().to_string(),
                problem: error.masked().to_string(),
            })
    }
}

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("schema is not usable at `{pointer}`: {problem}")]
pub struct SchemaCheckError {
    /// JSON Pointer into the schema.
    pub pointer: String,
    /// What is wrong there.
    pub problem: String,
}

/// Where a value breaks its schema.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("input breaks the schema at `{pointer}`: {problem}")]
pub struct SchemaBreach {
    /// JSON Pointer into the value.
    pub pointer: String,
    /// JSON Pointer of the keyword that refuses it.
    pub schema_pointer: String,
    /// What is wrong there, without the value itself.
    pub problem: String,
}

impl From<SchemaBreach> for ToolError {
    fn from(breach: SchemaBreach) -> Self {
        Self::new(ErrorKind::InvalidInput, breach.to_string()).with_details(
            json!({"pointer": breach.pointer, "schema_pointer": breach.schema_pointer}),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breach_names_the_place_and_not_the_value() {
        let schema = json!({"type": "object", "properties": {"key": {"type": "integer"}}});
        let breach = SchemaCheck::compile(&schema)
            .unwrap()
            .check(&json!({"key": "hunter2"}))
            .unwrap_err();
        assert_eq!(breach.pointer, "/key");
        assert_eq!(breach.schema_pointer, "/properties/key/type");
        assert!(!breach.to_string().contains("hunter2"), "{breach}");
    }

    #[test]
    fn schemas_that_reach_out_or_backtrack_are_refused() {
        for schema in [
            json!({"$ref": "https://example.com/schema"}),
            json!({"$ref": "file:///etc/hostname"}),
            json!({"pattern": "(?=a)b"}),
            json!({"pattern": "((a{1,1000}){1,1000}){1,1000}"}),
            json!({"type": "nope"}),
        ] {
            assert!(SchemaCheck::compile(&schema).is_err(), "{schema}");
        }
    }

    #[test]
    fn references_inside_the_document_may_be_circular() {
        let schema = json!({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#"}]}}});
        assert_eq!(
            SchemaCheck::compile(&schema).unwrap().check(&json!(1)),
            Ok(())
        );
    }
}
