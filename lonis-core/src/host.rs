//! What is registered, where it came from, and the tools that it offers.
//!
//! A [`Host`] is loaded from its surroundings ([`Environment`]): files are read and folders listed, and nothing is started.
//! What the providers offer is asked for when it is first needed, in parallel and under the bounds of each, or taken
//! from the discovery cache. A provider that is missing, hangs or prints garbage is a row of [`Host::providers`] with
//! its reason, and never an error of the others.

mod assemble;
mod cache;
mod config;
mod discovery;
mod environment;
mod examine;
mod folders;
mod name;
mod registration;
mod source;
mod surface;
mod trust;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use lonis_schema::{BlockKind, ErrorKind, ToolError, ToolId};

pub use config::{
    Config, ConfigError, EnvValue, Execution, MAX_FILE_BYTES, NativeTool, PlainTool, ProviderEntry,
    SandboxMode, SurfaceArguments,
};
pub use environment::Environment;
pub use examine::Examined;
pub use folders::{find, find_all, search_path, why_skipped};
pub use name::{InvalidProviderName, MAX_NAME_BYTES, ProviderName};
pub use registration::{
    CONFIG_FILE, Registered, Registration, Registrations, Standing, project_file,
};
pub use source::{Skipped, Source};
pub use surface::{HostedTool, ProviderRow, ProviderState};
pub use trust::{TrustError, TrustStore, TrustedFile};

use crate::log::{self, Level};
pub use crate::policy::{Answer, Decision, IdPattern, Policy, PolicyRule};
use crate::process::CancelToken;
use crate::provider::TokenSource;
use crate::{NativeName, SubprocessProvider, SubprocessTool, Tool};
use cache::DiscoveryCache;
use discovery::{Discovered, Discovery};
use surface::Surfaces;

/// Ids that begin so are those of the harness itself.
pub const OWN_PREFIX: &str = "lonis:";
/// How many names an error suggests.
const SUGGESTIONS: usize = 3;

/// Every tool that is registered for one user in one directory.
///
/// # Example
/// ```
/// use lonis_core::host::{Environment, Host};
///
/// let host = Host::load(&Environment::new("/"))?;
/// let error = host.find("acme:kv:get").unwrap_err();
/// assert_eq!(error.kind().as_str(), "not_found");
/// # Ok::<(), lonis_schema::ToolError>(())
/// ```
#[derive(Debug)]
pub struct Host {
    environment: Environment,
    registrations: Registrations,
    cancel: Option<TokenSource>,
    cache: Mutex<DiscoveryCache>,
    /// What is known so far, for those who need one tool alone.
    discovery: Mutex<Option<Discovery>>,
    surfaces: OnceLock<Surfaces>,
    /// What [`providers`](Self::providers) gives: that of the surfaces, after a look for the programs of plain CLIs.
    rows: OnceLock<Vec<ProviderRow>>,
}

impl Host {
    /// Reads the configuration files and lists the provider folders; nothing is started.
    ///
    /// # Errors
    /// `invalid_config` for a file in force that cannot be used.
    pub fn load(environment: &Environment) -> Result<Self, ToolError> {
        let registrations = Registrations::load(environment)?;
        log::event(Level::Debug, "host.loaded", || {
            vec![
                ("registrations", (registrations.list.len() as u64).into()),
                (
                    "policy_rules",
                    (registrations.policy.rules().count() as u64).into(),
                ),
            ]
        });
        for note in &registrations.notes {
            log::event(Level::Warn, "host.note", || {
                vec![("note", note.as_str().into())]
            });
        }
        // Where nobody is asked there is nothing to remember either.
        let asks_any = registrations.list.iter().any(Registration::is_asked);
        let cache = environment
            .cache_folder()
            .filter(|_| asks_any && environment.variable("LONIS_NO_CACHE").is_none());
        Ok(Self {
            environment: environment.clone(),
            registrations,
            cancel: None,
            cache: Mutex::new(
                cache.map_or_else(DiscoveryCache::none, |folder| DiscoveryCache::read(&folder)),
            ),
            discovery: Mutex::default(),
            surfaces: OnceLock::new(),
            rows: OnceLock::new(),
        })
    }

    /// Lets a token end every question that is asked of a provider.
    pub fn with_cancel(mut self, token: CancelToken) -> Self {
        self.cancel = Some(TokenSource::of(token));
        self
    }

    /// Lets a token end every question, as [`with_cancel`](Self::with_cancel) does, and asks for it when it is needed.
    ///
    /// That is before a program is started: a host that knows everything from its cache never asks.
    pub fn with_cancel_on_demand(
        mut self,
        token: impl Fn() -> CancelToken + Send + Sync + 'static,
    ) -> Self {
        self.cancel = Some(TokenSource::new(token));
        self
    }

    /// Returns what is registered, also what takes no part.
    pub fn registrations(&self) -> &[Registration] {
        &self.registrations.list
    }

    /// Returns the rules about calls; a tool that this host opens holds to them.
    pub fn policy(&self) -> &Policy {
        &self.registrations.policy
    }

    /// Returns what was passed over or left out, and why; complete once the providers were asked.
    pub fn notes(&self) -> Vec<String> {
        let asked = self
            .surfaces
            .get()
            .map(|surfaces| surfaces.notes.as_slice())
            .unwrap_or_default();
        self.registrations
            .notes
            .iter()
            .chain(asked)
            .cloned()
            .collect()
    }

    /// Returns every tool that can be called, by id; asks the providers that were not asked yet.
    pub fn tools(&self) -> &[HostedTool] {
        &self.surfaces().tools
    }

    /// Returns every registration with its state.
    ///
    /// Asks the providers that were not asked yet, and looks for the programs of plain CLIs.
    pub fn providers(&self) -> &[ProviderRow] {
        self.rows.get_or_init(|| {
            let mut rows = self.surfaces().rows.clone();
            for (row, registration) in rows.iter_mut().zip(&self.registrations.list) {
                self.look_for_plain(row, registration);
            }
            rows
        })
    }

    /// Notes that the program of a plain CLI is missing; its id stays its own, so that a call says why it cannot be.
    fn look_for_plain(&self, row: &mut ProviderRow, registration: &Registration) {
        let Registered::Plain(tool) = &registration.what else {
            return;
        };
        if row.state != ProviderState::Ready {
            return;
        }
        let found = assemble::look_for_plain(tool, &registration.execution, &self.environment);
        if let Err(error) = found {
            row.state = ProviderState::Unavailable;
            row.tools = 0;
            row.reason = Some(error);
        }
    }

    /// Finds a tool by its id, without waiting for a provider that has no part in it.
    ///
    /// The first in the order of the registrations that is known to offer the id has it. Where none is known, the
    /// provider that is named like the first segment of the id is asked, and only then are all the others. So a
    /// provider that nobody has asked yet does not take an id that another is known for, until all are asked.
    ///
    /// # Errors
    /// `not_found` with the nearest ids; `unavailable` when a variable that its file asks for is missing.
    pub fn find(&self, id: &str) -> Result<Arc<dyn Tool<BlockKind>>, ToolError> {
        if self.surfaces.get().is_none()
            && let Some(built) = self.find_known(id)
        {
            return built.map(shared);
        }
        match self.surfaces().tool(id) {
            Some(tool) => self.open(tool),
            None => Err(self.not_found(id)),
        }
    }

    /// Finds a tool among the providers that are known, then at its namesake; `None` where others have to be asked.
    fn find_known(&self, id: &str) -> Option<Result<SubprocessTool, ToolError>> {
        let list = &self.registrations.list;
        let ahead = list.iter().take_while(|one| !one.is_asked()).count();
        // Where no provider could have the id first, none is looked at.
        if let Some((tool, found)) = surface::first_of(&list[..ahead], &[], id) {
            return Some(self.build(&tool, found));
        }
        let mut kept = self.discovery();
        let discovery = kept.get_or_insert_with(|| self.look());
        let of_known = |discovery: &Discovery| {
            let (tool, found) = surface::first_of(&self.registrations.list, &discovery.known, id)?;
            Some(self.build(&tool, found))
        };
        if let Some(built) = of_known(discovery) {
            return Some(built);
        }
        let (namespace, _) = id.split_once(':')?;
        let is_namesake = |at: usize| self.registrations.list[at].name == namespace;
        if !discovery
            .unasked
            .iter()
            .any(|unasked| is_namesake(unasked.at))
        {
            return None;
        }
        discovery.ask(is_namesake);
        of_known(discovery)
    }

    /// Makes a tool ready to be called; nothing is run for it yet.
    ///
    /// # Errors
    /// `unavailable` when a variable that its file asks for is missing.
    pub fn open(&self, tool: &HostedTool) -> Result<Arc<dyn Tool<BlockKind>>, ToolError> {
        let found = self.surfaces().discovered(tool.at);
        self.build(tool, found).map(shared)
    }

    fn build(
        &self,
        tool: &HostedTool,
        found: Option<&Discovered>,
    ) -> Result<SubprocessTool, ToolError> {
        let registration = &self.registrations.list[tool.at];
        let execution = &registration.execution;
        let built = match (&registration.what, &tool.native) {
            (Registered::Plain(plain), _) => {
                assemble::plain(&tool.id, plain, execution, &self.environment)?
            }
            (Registered::Provider(entry), native) => {
                let provider = found.and_then(|found| found.provider.as_ref());
                let (Some(provider), Some(native)) = (provider, native) else {
                    return Err(self.not_found(tool.id.as_str()));
                };
                assemble::native_tool(provider, entry, execution, &self.environment, native)?
                    .with_version(&tool.version)
                    .with_description(&tool.description)
            }
        };
        Ok(built.with_policy(Arc::clone(&self.registrations.policy)))
    }

    /// Keeps what was learnt of the providers for the next host, contracts included.
    ///
    /// Nothing but time is lost when it cannot be kept, so that there is no error to handle.
    pub fn remember(&self) {
        let (mut cache, now) = (self.cache(), SystemTime::now());
        if let Some(surfaces) = self.surfaces.get() {
            discovery::store(surfaces.all_discovered(), &mut cache, now);
        } else if let Some(discovery) = self.discovery().as_ref() {
            discovery::store(&discovery.known, &mut cache, now);
        }
        // A cache folder that cannot be written only costs the next start its time.
        let _ = cache.write(now);
    }

    /// Makes a provider by the name of its registration; nothing is run, and nothing taken from the cache.
    ///
    /// # Errors
    /// `not_found` for a name that no provider has, `unavailable` when a variable that its file asks for is missing.
    pub fn provider(&self, name: &str) -> Result<SubprocessProvider, ToolError> {
        for registration in self.registrations() {
            if let Registered::Provider(entry) = &registration.what
                && registration.standing == Standing::Active
                && registration.name == name
            {
                let provider =
                    assemble::provider(entry, &registration.execution, &self.environment)?;
                return Ok(match &self.cancel {
                    Some(source) => provider.with_token_source(source.clone()),
                    None => provider,
                });
            }
        }
        Err(self.no_provider(name))
    }

    fn no_provider(&self, name: &str) -> ToolError {
        let shown = name.escape_debug();
        let not_found = |message| ToolError::new(ErrorKind::NotFound, message);
        let (mut names, mut is_plain) = (Vec::new(), false);
        for registration in self.registrations() {
            match &registration.what {
                Registered::Provider(_) => names.push(registration.name.as_str()),
                Registered::Plain(_) => is_plain |= registration.name == name,
            }
        }
        if is_plain {
            return not_found(format!("`{shown}` is a plain program and no provider")).with_hint(
                "`lonis tools describe` shows its contract; `lonis` itself is the provider that offers it",
            );
        }
        let error = not_found(format!("no provider is called `{shown}`"));
        match crate::nearest::nearest(name, names, 1).first() {
            Some(near) => error.with_hint(format!("did you mean `{near}`?")),
            None => error.with_hint(
                "`lonis providers list` shows them; a program is named by a path with a slash",
            ),
        }
    }

    fn surfaces(&self) -> &Surfaces {
        self.surfaces.get_or_init(|| {
            let begun = self.discovery().take();
            let mut discovery = begun.unwrap_or_else(|| self.look());
            discovery.ask(|_| true);
            let (mut cache, now) = (self.cache(), SystemTime::now());
            discovery::store(&discovery.known, &mut cache, now);
            let surfaces = Surfaces::merge(&self.registrations, discovery.known);
            for row in &surfaces.rows {
                log::event(Level::Info, "provider.known", || {
                    let mut fields = vec![("name", row.name.as_str().into())];
                    fields.push(("state", row.state.word().into()));
                    fields.extend(
                        row.reason
                            .as_ref()
                            .map(|why| ("reason", why.to_string().into())),
                    );
                    fields
                });
            }
            // As in `remember`: a cache that cannot be kept is no failure of what was asked.
            let _ = cache.write(now);
            surfaces
        })
    }

    /// Looks at what is known of the providers; nothing is started.
    fn look(&self) -> Discovery {
        discovery::look(
            &self.registrations.list,
            &self.environment,
            self.cancel.as_ref(),
            &mut self.cache(),
        )
    }

    fn discovery(&self) -> MutexGuard<'_, Option<Discovery>> {
        // What a thread that panicked had asked of providers stays true.
        self.discovery
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn cache(&self) -> MutexGuard<'_, DiscoveryCache> {
        // A cache of a thread that panicked is at worst out of date.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn not_found(&self, id: &str) -> ToolError {
        let shown = id.escape_debug();
        let error = ToolError::new(ErrorKind::NotFound, format!("no tool is called `{shown}`"));
        let ids = || self.tools().iter().map(|tool| tool.id.as_str());
        // A provider's own spelling is the likeliest slip, and has an exact answer.
        let meant: Option<ToolId> = NativeName::parse(id).ok().map(|name| name.id().clone());
        let near = match meant.filter(|meant| ids().any(|known| known == meant.as_str())) {
            Some(meant) => vec![meant.to_string()],
            None => crate::nearest::nearest(id, ids(), SUGGESTIONS)
                .into_iter()
                .map(str::to_owned)
                .collect(),
        };
        if !near.is_empty() {
            let list: Vec<String> = near.iter().map(|id| format!("`{id}`")).collect();
            return error.with_hint(format!("did you mean {}?", list.join(" or ")));
        }
        if let Some(file) = &self.registrations.untrusted {
            let hint = format!(
                "it may be a tool of the project file `{}`, which is not used",
                file.display()
            );
            return error.with_hint(hint);
        }
        let unavailable: Vec<String> = self
            .providers()
            .iter()
            .filter(|row| row.state == ProviderState::Unavailable)
            .map(|row| format!("`{}`", row.name))
            .collect();
        if unavailable.is_empty() {
            error.with_hint("`lonis tools list` shows every tool")
        } else {
            error.with_hint(format!(
                "unavailable now: {}; `lonis providers list` says why",
                unavailable.join(", ")
            ))
        }
    }
}

fn shared(tool: SubprocessTool) -> Arc<dyn Tool<BlockKind>> {
    Arc::new(tool)
}

#[cfg(test)]
mod tests;
