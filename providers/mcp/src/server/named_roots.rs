//! Asking a client for its roots, and what its answers do to the calls that wait for them.

use std::path::PathBuf;
use std::time::Instant;

use lonis::Json;
use serde_json::json;

use super::Server;
use super::asker::{Asker, Form};
use crate::message::RequestId;
use crate::refusal::Refusal;
use crate::roots::{Roots, silent};
use crate::settings::size;

impl Server {
    /// Asks the client for its roots, where it has some to name.
    pub(super) fn ask_for_roots(&mut self, questions: u32) {
        if !self.names_roots {
            return;
        }
        self.asked += 1;
        let id = RequestId::Text(format!("roots-{}", self.asked));
        self.send(&json!({"jsonrpc": "2.0", "id": id.to_value(), "method": "roots/list"}));
        self.roots = Roots::Asked {
            id,
            until: Instant::now() + self.settings.roots_timeout(),
            questions: questions + 1,
        };
    }

    /// Takes the answer of the client; one to a question that was given up is passed over.
    pub(super) fn on_answer(&mut self, answered: &RequestId, result: &Result<Json, Json>) {
        if let Roots::Asked { id, questions, .. } = &self.roots
            && id == answered
        {
            let most = size(self.settings.max_roots);
            self.roots = Roots::answered(result, *questions, &self.boundary, most);
            self.settle_places();
        }
    }

    /// Goes on without an answer that is overdue.
    pub(super) fn end_late_question(&mut self, now: Instant) {
        if let Roots::Asked {
            until, questions, ..
        } = self.roots
            && until <= now
        {
            self.roots = silent(questions, self.settings.roots_timeout_ms);
            self.settle_places();
        }
    }

    /// Finds the root of a call; `None` while the client has still to answer.
    pub(super) fn find_root(
        &self,
        asker: &Asker,
        wish: Option<&str>,
    ) -> Option<Result<PathBuf, Refusal>> {
        if asker.form == Form::Stateless {
            return Roots::Implicit.find(wish, &self.boundary);
        }
        self.roots.find(wish, &self.boundary)
    }

    /// Asks once more before a new call where the last answer was of no use.
    pub(super) fn ask_again(&mut self, asker: &Asker) {
        if let Some(questions) = self
            .roots
            .to_ask()
            .filter(|_| asker.form == Form::Handshake)
        {
            self.ask_for_roots(questions);
        }
    }
}
