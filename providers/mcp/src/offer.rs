//! Everything that a client is offered: the registered tools, on the terms of the exposure file.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use lonis::host::{Execution, Host, HostedTool, Registered, Standing};
use lonis::limits::Bound;
use lonis::{BlockKind, Json, SchemaCheck, Tool, ToolContract, ToolError};
use serde_json::{Value, json};

use crate::exposure::{
    Class, Expose, Exposure, InputSchema, MAX_FILE_BYTES, Shape, default_name, definition,
    input_schema, name_problem,
};
use crate::failure;
use crate::own_tools::OwnTool;

/// Providers that are asked for contracts at one time.
const ASKERS: usize = 4;
/// A registry id, and a second name for it.
const ALIAS: (&str, &str) = ("session:diff", "diff");

/// A tool as it is offered.
#[derive(Debug)]
pub(crate) struct Offered {
    pub(crate) id: String,
    /// What `tools/list` shows.
    pub(crate) definition: Value,
    pub(crate) tool: Arc<dyn Tool<BlockKind>>,
    pub(crate) contract: ToolContract,
    /// The schema that is shown.
    pub(crate) check: SchemaCheck,
    /// The member that takes the root.
    pub(crate) root: Option<String>,
    /// Members that the exposure file sets.
    pub(crate) fixed: Vec<(String, Json)>,
    /// The longest time of a call, waiting included.
    pub(crate) deadline_millis: Option<u64>,
    /// What a call runs with in place of the tool's own time.
    pub(crate) timeout_millis: Option<u64>,
    pub(crate) class: Class,
}

/// Everything that is offered, by name.
#[derive(Debug)]
pub(crate) struct Offer {
    pub(crate) tools: BTreeMap<String, Arc<Offered>>,
    /// What was offered and no longer fits the reviewed file, by name, and why.
    pub(crate) changed: BTreeMap<String, String>,
    /// The version that the server carries.
    pub(crate) version: String,
    /// What was left out, and why.
    pub(crate) notes: Vec<String>,
    /// The hash of the exposure file, where there is one.
    pub(crate) exposure_sha256: Option<String>,
    /// What is registered, and what of it is unavailable.
    pub(crate) providers: Value,
}

/// A registered tool with its contract, where that could be learnt.
struct Known<'a> {
    hosted: &'a HostedTool,
    /// Whether a file of the host says how long a call may take.
    is_timed: bool,
    opened: Result<(Arc<dyn Tool<BlockKind>>, ToolContract), ToolError>,
}

impl Offered {
    /// The part of the id that names whose tool it is.
    pub(crate) fn provider(&self) -> &str {
        self.id.split(':').next().unwrap_or_default()
    }
}

impl Offer {
    /// Asks what is registered and holds it against the file.
    ///
    /// # Errors
    /// `mcp/exposure-*` where the file names what is not there or does not fit; a tool that the file does not name and
    /// that cannot be offered is left out with a note.
    pub(crate) fn of(host: &Host, exposure: &Exposure) -> Result<Self, ToolError> {
        let named = |tool: &&HostedTool| {
            exposure.serve.defaults
                || exposure
                    .expose
                    .iter()
                    .any(|one| one.tool == tool.id.as_str())
        };
        let hosted: Vec<&HostedTool> = host.tools().iter().filter(named).collect();
        let known = learn(host, &hosted);
        host.remember();
        let mut offer = Self {
            tools: BTreeMap::new(),
            changed: BTreeMap::new(),
            version: version(host, &exposure.serve.version_of)?,
            notes: host.notes(),
            exposure_sha256: exposure.sha256.clone(),
            providers: providers(host),
        };
        for expose in &exposure.expose {
            offer.add_reviewed(&known, expose, exposure)?;
        }
        if exposure.serve.defaults {
            offer.add_others(&known, exposure);
            offer.add_alias(&known, exposure);
        }
        Ok(offer)
    }

    fn add_reviewed(
        &mut self,
        known: &[Known<'_>],
        expose: &Expose,
        exposure: &Exposure,
    ) -> Result<(), ToolError> {
        let missing = |why: &str| {
            failure::exposure(
                "tool",
                format!("the tool `{}` {why}", expose.tool.escape_debug()),
            )
        };
        let known = known
            .iter()
            .find(|known| known.hosted.id.as_str() == expose.tool)
            .ok_or_else(|| missing("is not registered"))?;
        if let Err(error) = &known.opened {
            return Err(missing(&format!("is unusable: {}", error.message())));
        }
        let name = expose
            .name
            .clone()
            .unwrap_or_else(|| default_name(&expose.tool));
        let offered = offered(known, Some(expose), exposure, &name)?;
        let is_own = exposure.serve.defaults && OwnTool::of(&name, Shape::Search).is_some();
        if is_own || self.tools.contains_key(&name) {
            let message = format!("the name `{name}` of `{}` is taken", expose.tool);
            return Err(failure::exposure("name", message));
        }
        self.tools.insert(name, Arc::new(offered));
        Ok(())
    }

    /// Adds what the file does not name; names that two ids would have are given to neither.
    fn add_others(&mut self, known: &[Known<'_>], exposure: &Exposure) {
        let is_reviewed = |id: &str| exposure.expose.iter().any(|expose| expose.tool == id);
        let mut by_name: BTreeMap<String, Vec<&Known<'_>>> = BTreeMap::new();
        for known in known
            .iter()
            .filter(|known| !is_reviewed(known.hosted.id.as_str()))
        {
            let name = default_name(known.hosted.id.as_str());
            by_name.entry(name).or_default().push(known);
        }
        for (name, all) in by_name {
            if let [known] = all[..]
                && !self.tools.contains_key(&name)
            {
                match offered(known, None, exposure, &name) {
                    Ok(offered) => {
                        self.tools.insert(name, Arc::new(offered));
                    }
                    Err(error) => self.leave_out(known, error.message()),
                }
                continue;
            }
            for known in all {
                self.leave_out(known, &format!("another tool has the name `{name}`"));
            }
        }
    }

    /// Adds the short name that the comparison of a session has by default.
    fn add_alias(&mut self, known: &[Known<'_>], exposure: &Exposure) {
        let (id, name) = ALIAS;
        let known = known.iter().find(|known| known.hosted.id.as_str() == id);
        let is_offered = self.tools.values().any(|tool| tool.id == id);
        if let Some(known) = known.filter(|_| is_offered && !self.tools.contains_key(name)) {
            let expose = exposure.expose.iter().find(|expose| expose.tool == id);
            // Under its own name it is offered already, so that it can be offered.
            if let Ok(offered) = offered(known, expose, exposure, name) {
                self.tools.insert(name.to_owned(), Arc::new(offered));
            }
        }
    }

    fn leave_out(&mut self, known: &Known<'_>, why: &str) {
        self.notes.push(format!(
            "the tool `{}` is not offered: {why}",
            known.hosted.id
        ));
    }
}

/// What is registered, with the kind of the error of what is unavailable; no path of this machine is told.
fn providers(host: &Host) -> Value {
    let rows = host.providers().iter().map(|row| {
        json!({
            "name": row.name,
            "state": row.state.word(),
            "tools": row.tools,
            "reason": row.reason.as_ref().map(|error| error.kind().as_str()),
        })
    });
    json!({"providers": rows.collect::<Vec<_>>()})
}

/// Asks for every contract, some at one time; the order of the tools is kept.
fn learn<'a>(host: &Host, hosted: &[&'a HostedTool]) -> Vec<Known<'a>> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let ask = || {
        loop {
            let at = next.fetch_add(1, Ordering::SeqCst);
            let Some(hosted) = hosted.get(at) else { return };
            let known = (at, open(host, hosted));
            found
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(known);
        }
    };
    thread::scope(|scope| {
        // Joined at the end of the scope. This thread asks too, alone where no other can be made.
        for _ in 1..ASKERS.min(hosted.len()) {
            let _ = thread::Builder::new().spawn_scoped(scope, ask);
        }
        ask();
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_unstable_by_key(|(at, _)| *at);
    let known = found.into_iter().map(|(at, opened)| Known {
        hosted: hosted[at],
        is_timed: is_timed(host, hosted[at]),
        opened,
    });
    known.collect()
}

/// Whether a file of the host bounds the time of a tool, or that of its provider.
fn is_timed(host: &Host, hosted: &HostedTool) -> bool {
    let sets = |execution: &Execution| execution.bounds.value(Bound::TimeoutMillis).is_some();
    let own = |what: &Registered| match what {
        Registered::Provider(entry) => entry
            .tools
            .iter()
            .any(|(native, tool)| Some(native) == hosted.native.as_ref() && sets(&tool.execution)),
        Registered::Plain(_) => false,
    };
    host.registrations().iter().any(|registration| {
        registration.standing == Standing::Active
            && registration.name == hosted.provider
            && (sets(&registration.execution) || own(&registration.what))
    })
}

/// The time that the built-in policy gives the tools of sessions, whose obligations may be whole builds.
fn built_in_timeout_millis(id: &str) -> Option<u64> {
    match id {
        "session:stage" | "session:test" => Some(305_000),
        "session:apply" => Some(60_000),
        _ => None,
    }
}

fn open(
    host: &Host,
    hosted: &HostedTool,
) -> Result<(Arc<dyn Tool<BlockKind>>, ToolContract), ToolError> {
    let tool = host.open(hosted)?;
    let contract = tool.try_contract()?.ok_or_else(|| {
        failure::exposure(
            "schema",
            format!("the tool `{}` has no contract", hosted.id),
        )
    })?;
    Ok((tool, contract))
}

fn offered(
    known: &Known<'_>,
    expose: Option<&Expose>,
    exposure: &Exposure,
    name: &str,
) -> Result<Offered, ToolError> {
    let id = known.hosted.id.as_str();
    let (tool, contract) = known.opened.as_ref().map_err(Clone::clone)?;
    if let Some(problem) = name_problem(name) {
        return Err(failure::exposure(
            "name",
            format!("the name of `{id}`: {problem}"),
        ));
    }
    let taken = match contract.input_json_schema() {
        Some(schema) => schema.to_value(),
        None => schema_file(expose, id)?,
    };
    let InputSchema { schema, root } = input_schema(&taken, expose, exposure.serve.defaults, id)?;
    let check = SchemaCheck::compile(&schema).map_err(|error| {
        failure::exposure("schema", format!("the input schema of `{id}`: {error}"))
    })?;
    let deadline_millis = expose.and_then(|expose| expose.deadline_millis);
    let mut class = Class::of(contract.side_effects());
    let mut fixed = Vec::new();
    if let Some(expose) = expose {
        class = class.reviewed(expose)?;
        let members = expose.fixed.iter();
        fixed.extend(members.map(|(name, value)| (name.clone(), Json::from(value.clone()))));
    }
    Ok(Offered {
        id: id.to_owned(),
        definition: definition(name, id, contract, &schema, class, exposure.serve.result),
        tool: Arc::clone(tool),
        contract: contract.clone(),
        check,
        root,
        fixed,
        deadline_millis,
        timeout_millis: deadline_millis
            .or_else(|| built_in_timeout_millis(id).filter(|_| !known.is_timed)),
        class,
    })
}

/// Reads the schema that the exposure file names; none is invented.
fn schema_file(expose: Option<&Expose>, id: &str) -> Result<Value, ToolError> {
    let refused = |why: String| failure::exposure("schema", why);
    let Some(path) = expose.and_then(|expose| expose.schema.as_ref()) else {
        return Err(refused(format!(
            "the contract of `{id}` has no input schema"
        )));
    };
    let shown = path.display();
    let bytes = lonis::read_regular_file(path, MAX_FILE_BYTES)
        .map_err(|error| refused(format!("`{shown}`: {error}")))?;
    let json = lonis::parse_document(&bytes)
        .map_err(|error| refused(format!("`{shown}`: {}", error.message())))?;
    Ok(json.to_value())
}

/// Finds the version that the server carries.
fn version(host: &Host, of: &str) -> Result<String, ToolError> {
    if of == "lonis" {
        return Ok(env!("CARGO_PKG_VERSION").to_owned());
    }
    let provider = of.strip_prefix("lonis-").unwrap_or(of);
    let tool = host.tools().iter().find(|tool| tool.provider == provider);
    tool.map(|tool| tool.version.clone()).ok_or_else(|| {
        let shown = of.escape_debug();
        failure::exposure(
            "tool",
            format!("`version_of` names `{shown}`, which offers no tool"),
        )
    })
}
