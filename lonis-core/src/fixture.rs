//! Tools and writers that the tests of this crate share.

use std::io::{self, Write};

use lonis_schema::kind::Message;
use lonis_schema::{
    Attribution, Block, BlockKind, ErrorKind, SeedBlock, Timestamp, ToolContract, ToolError,
};
use serde_json::Value;

use crate::{BlockStream, Tool};

/// Gives a tool of a test its id, found by a function of the tool, and exit codes; the rest is as a plain tool has it.
macro_rules! capabilities {
    ($tool:ty, $id:expr, $codes:expr) => {
        impl lonis_schema::Capabilities for $tool {
            fn schema_version(&self) -> lonis_schema::SchemaVersion {
                lonis_schema::SchemaVersion::TOOL_V1
            }

            fn tool_version(&self) -> &'static str {
                "1.0.0"
            }

            fn output_formats(&self) -> &'static [lonis_schema::OutputMode] {
                lonis_schema::OutputMode::ALL
            }

            fn exit_code_map(&self) -> &'static [(&'static str, u8)] {
                $codes
            }

            fn tool_id(&self) -> lonis_schema::ToolId {
                lonis_schema::ToolId::new(($id)(self)).unwrap()
            }
        }
    };
}
pub(crate) use capabilities;

/// The exit codes of a tool that knows words.
pub(crate) const WORD_CODES: &[(&str, u8)] = &[("ok", 0), ("no_word", 12), ("not_found", 13)];

/// A tool that says a word for each element of its input, fails at a number and panics at `false`.
pub(crate) struct Words {
    pub(crate) id: &'static str,
    pub(crate) contract: Option<ToolContract>,
}

impl Words {
    pub(crate) fn new(id: &'static str) -> Self {
        Self { id, contract: None }
    }

    pub(crate) fn with_contract(id: &'static str, contract: ToolContract) -> Self {
        Self {
            id,
            contract: Some(contract),
        }
    }
}

capabilities!(Words, |tool: &Words| tool.id, WORD_CODES);

impl Tool<BlockKind> for Words {
    fn invoke(&self, input: Value) -> Result<Vec<SeedBlock>, ToolError> {
        words(input).collect()
    }

    fn invoke_stream(&self, input: Value) -> Result<BlockStream<BlockKind>, ToolError> {
        if input.is_null() {
            return Err(ToolError::new(ErrorKind::BadInput, "nothing to say"));
        }
        Ok(BlockStream::from_results(words(input)))
    }

    fn contract(&self) -> Option<ToolContract> {
        self.contract.clone()
    }
}

fn words(input: Value) -> impl Iterator<Item = Result<SeedBlock, ToolError>> + Send + 'static {
    let words: Vec<Value> = serde_json::from_value(input).unwrap();
    words.into_iter().map(|word| match word {
        Value::String(word) => Ok(said(&word)),
        Value::Number(_) => Err(ToolError::new(
            ErrorKind::from("no_word"),
            "a number is no word",
        )),
        other => panic!("{other} is neither"),
    })
}

/// A block with one message, the same each time.
pub(crate) fn said(content: &str) -> SeedBlock {
    let when = Timestamp::new("2026-03-01T12:00:00Z").unwrap();
    let message = Message {
        content: content.to_owned(),
        ..Message::default()
    };
    Block::new(
        Attribution::at("acme:say", "acme:say", when),
        message.into(),
    )
}

/// An output that takes so many bytes and is full then.
pub(crate) struct Full {
    pub(crate) room: usize,
    pub(crate) taken: Vec<u8>,
}

impl Full {
    pub(crate) fn after(room: usize) -> Self {
        Self {
            room,
            taken: Vec::new(),
        }
    }
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = bytes.len().min(self.room - self.taken.len());
        if fits == 0 && !bytes.is_empty() {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        self.taken.extend_from_slice(&bytes[..fits]);
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
