//! What is registered, asked again whenever a client looks: a registry that changes is told, and never waited for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use lonis::ToolError;
use lonis::host::{Environment, Host};
use lonis::process::CancelToken;
use serde_json::Value;

use crate::exposure::Exposure;
use crate::offer::Offer;
use crate::server::Event;

/// The shortest time between two looks at what is registered.
const PAUSE: Duration = Duration::from_secs(1);

/// Where tools come from, and on what terms they are offered.
#[derive(Debug)]
pub(crate) struct Registry {
    surroundings: Environment,
    exposure: Exposure,
    /// Ends what is asked of providers.
    cancel: CancelToken,
    looked: Instant,
    is_looking: bool,
}

impl Registry {
    pub(crate) fn new(surroundings: Environment, exposure: Exposure, cancel: CancelToken) -> Self {
        Self {
            surroundings,
            exposure,
            cancel,
            looked: Instant::now(),
            is_looking: false,
        }
    }

    pub(crate) fn exposure(&self) -> &Exposure {
        &self.exposure
    }

    /// Asks what is registered now.
    ///
    /// # Errors
    /// What keeps a server from starting.
    pub(crate) fn offer(&self) -> Result<Offer, ToolError> {
        offer(&self.surroundings, &self.exposure, &self.cancel)
    }

    /// Begins to look whether anything has changed, unless that was done just now; the answer is an event.
    pub(crate) fn look(&mut self, events: &Sender<Event>) {
        if self.is_looking || self.looked.elapsed() < PAUSE {
            return;
        }
        let (surroundings, exposure) = (self.surroundings.clone(), self.exposure.clone());
        let (cancel, events) = (self.cancel.clone(), events.clone());
        // Not joined: its last act is the event, for which a server that has ended does not wait.
        let looking = thread::Builder::new()
            .name("registry".into())
            .spawn(move || {
                let found = offer(&surroundings, &exposure, &cancel);
                // Nobody listens once the server has ended.
                let _ = events.send(Event::Looked(Box::new(found)));
            });
        // Without a thread the next request looks.
        self.is_looking = looking.is_ok();
    }

    /// Notes that a look is over.
    pub(crate) fn looked(&mut self) {
        self.is_looking = false;
        self.looked = Instant::now();
    }

    /// Ends what is being asked.
    pub(crate) fn stop(&self) {
        self.cancel.kill();
    }
}

fn offer(
    surroundings: &Environment,
    exposure: &Exposure,
    cancel: &CancelToken,
) -> Result<Offer, ToolError> {
    let host = Host::load(surroundings)?.with_cancel(cancel.clone());
    Offer::of(&host, exposure)
}

/// What `tools/list` would show.
pub(crate) fn shown(offer: &Offer) -> BTreeMap<&str, &Value> {
    let tools = offer.tools.iter();
    tools
        .map(|(name, tool)| (name.as_str(), &tool.definition))
        .collect()
}

/// Takes from an offer what no longer fits the reviewed file: those tools are answered as changed.
pub(crate) fn without_reviewed(offer: &Offer, exposure: &Exposure, why: &ToolError) -> Offer {
    let mut left = Offer {
        tools: BTreeMap::new(),
        changed: offer.changed.clone(),
        version: offer.version.clone(),
        notes: Vec::new(),
        exposure_sha256: offer.exposure_sha256.clone(),
        providers: offer.providers.clone(),
    };
    for (name, tool) in &offer.tools {
        let is_reviewed = exposure.expose.iter().any(|expose| expose.tool == tool.id);
        if is_reviewed {
            left.changed.insert(name.clone(), why.message().to_owned());
        } else {
            left.tools.insert(name.clone(), Arc::clone(tool));
        }
    }
    left
}
