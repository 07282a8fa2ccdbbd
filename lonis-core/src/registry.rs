//! The tools of one program, by id.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use lonis_schema::{Block, BlockPayload, ErrorKind, ToolError, ToolId};
use serde_json::Value;

use crate::{BlockStream, Call, CallRecord, Tool};

/// The tools of one program, each under its id, in the order of the ids.
///
/// Many threads may call through one registry at the same time.
///
/// # Example
/// ```
/// use lonis_core::{Call, StdoutMapping, SubprocessTool, ToolRegistry};
/// use lonis_schema::{BlockKind, ToolError, ToolId};
/// use serde_json::json;
///
/// let [sort, unknown] = ["unix:sort", "unix:shuffle"].map(|id| ToolId::new(id).expect("two segments"));
/// let tool = SubprocessTool::new(sort.clone(), "sort").with_mapping(StdoutMapping::Json);
/// let mut registry = ToolRegistry::<BlockKind>::new();
/// registry.register(Box::new(tool))?;
///
/// let record = registry.run(&sort, Call::new(json!({ "n": 1 })));
/// assert_eq!(record.blocks[0].render_human(), r#"result: {"n":1}"#);
/// assert!(record.outcome.is_some_and(|outcome| outcome.stdin_bytes == 7));
///
/// let error = registry.invoke(&unknown, json!(null)).unwrap_err();
/// assert_eq!((error.kind().as_str(), error.exit_code()), ("not_found", 3));
/// # Ok::<(), ToolError>(())
/// ```
pub struct ToolRegistry<P> {
    tools: BTreeMap<ToolId, Arc<dyn Tool<P>>>,
}

impl<P: BlockPayload> ToolRegistry<P> {
    /// Makes a registry without tools.
    pub fn new() -> Self {
        Self {
            tools: BTreeMap::new(),
        }
    }

    /// Adds a tool under its own id.
    ///
    /// # Errors
    /// `already_registered` when the id is taken; the tool that has it stays.
    pub fn register(&mut self, tool: Box<dyn Tool<P>>) -> Result<(), ToolError> {
        self.register_shared(tool.tool_id(), Arc::from(tool))
    }

    /// Adds a tool that others hold too, under an id of the caller's choice.
    ///
    /// # Errors
    /// `already_registered` when the id is taken; the tool that has it stays.
    pub fn register_shared(&mut self, id: ToolId, tool: Arc<dyn Tool<P>>) -> Result<(), ToolError> {
        if self.tools.contains_key(&id) {
            return Err(ToolError::new(
                ErrorKind::AlreadyRegistered,
                format!("tool id `{id}` is taken"),
            ));
        }
        self.tools.insert(id, tool);
        Ok(())
    }

    /// Returns the tool of an id.
    pub fn get(&self, id: &ToolId) -> Option<&dyn Tool<P>> {
        self.tools.get(id).map(AsRef::as_ref)
    }

    /// Returns the tool of an id, to be kept beyond the registry.
    pub fn get_shared(&self, id: &ToolId) -> Option<Arc<dyn Tool<P>>> {
        self.tools.get(id).cloned()
    }

    /// Iterates over the tools in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (&ToolId, &dyn Tool<P>)> {
        self.tools.iter().map(|(id, tool)| (id, tool.as_ref()))
    }

    /// Returns how many tools there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Returns whether there is no tool.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Runs a call of a tool to its end.
    ///
    /// # Errors
    /// `not_found` when no tool has the id, else what the tool fails with.
    pub fn invoke(&self, id: &ToolId, input: Value) -> Result<Vec<Block<P>>, ToolError> {
        self.find(id)?.invoke(input)
    }

    /// Runs a call of a tool and gives its blocks as they are made.
    ///
    /// # Errors
    /// `not_found` when no tool has the id, else what keeps the call from starting.
    pub fn invoke_stream(&self, id: &ToolId, input: Value) -> Result<BlockStream<P>, ToolError> {
        self.find(id)?.invoke_stream(input)
    }

    /// Starts a call of a tool with all that its caller asks for.
    ///
    /// # Errors
    /// `not_found` when no tool has the id, else what keeps the call from starting.
    pub fn start(&self, id: &ToolId, call: Call) -> Result<BlockStream<P>, ToolError> {
        self.find(id)?.start(call)
    }

    /// Runs a call of a tool to its end and returns everything that is known about it.
    pub fn run(&self, id: &ToolId, call: Call) -> CallRecord<P> {
        let input = call.input().clone();
        CallRecord::of(input, self.start(id, call))
    }

    fn find(&self, id: &ToolId) -> Result<&dyn Tool<P>, ToolError> {
        self.get(id).ok_or_else(|| {
            ToolError::new(ErrorKind::NotFound, format!("no tool has the id `{id}`"))
        })
    }
}

impl<P: BlockPayload> Default for ToolRegistry<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P> fmt::Debug for ToolRegistry<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.tools.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixture::Words;

    fn registry() -> ToolRegistry<lonis_schema::BlockKind> {
        let mut registry = ToolRegistry::new();
        for id in ["b:two", "a:one", "b:one"] {
            registry.register(Box::new(Words::new(id))).unwrap();
        }
        registry
    }

    #[test]
    fn tools_stand_in_the_order_of_their_ids_and_once() {
        let mut registry = registry();
        let ids: Vec<&str> = registry.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["a:one", "b:one", "b:two"]);
        let error = registry
            .register(Box::new(Words::new("b:one")))
            .unwrap_err();
        assert_eq!(
            (error.kind(), error.exit_code()),
            (&ErrorKind::AlreadyRegistered, 1)
        );
        assert_eq!(registry.len(), 3);
    }

    #[test]
    fn an_unknown_id_is_not_found_on_every_way() {
        let (registry, id) = (registry(), ToolId::new("c:one").unwrap());
        let errors = [
            registry.invoke(&id, json!([])).unwrap_err(),
            registry.invoke_stream(&id, json!([])).unwrap_err(),
            registry.start(&id, Call::new(json!([]))).unwrap_err(),
            registry.run(&id, Call::new(json!([]))).error.unwrap(),
        ];
        assert!(
            errors
                .iter()
                .all(|error| (error.kind(), error.exit_code()) == (&ErrorKind::NotFound, 3))
        );
    }

    #[test]
    fn a_record_keeps_what_came_before_a_failure() {
        let record = registry().run(
            &ToolId::new("a:one").unwrap(),
            Call::new(json!(["x", "y", 7, "z"])),
        );
        assert_eq!((record.blocks.len(), record.is_success()), (2, false));
        assert_eq!(record.input.text(), r#"["x","y",7,"z"]"#);
    }

    #[test]
    fn registries_and_streams_go_between_threads() {
        fn shared<T: Send + Sync>() {}
        fn sent<T: Send>() {}
        shared::<ToolRegistry<lonis_schema::BlockKind>>();
        sent::<BlockStream<lonis_schema::BlockKind>>();
        sent::<Call>();
    }
}
