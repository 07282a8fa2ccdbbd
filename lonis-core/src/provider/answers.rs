//! What a provider answered, kept for as long as its executable stays the same.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::identity::{ExecutableIdentity, FileIdentity};
use super::question::Question;

/// The answers of a provider as it printed them, each one JSON document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderAnswers {
    /// The manifest, if it was asked for.
    pub manifest: Option<Arc<str>>,
    /// The list of tools, if it was asked for.
    pub tools_list: Option<Arc<str>>,
    /// The contracts that were asked for, by native name.
    pub contracts: BTreeMap<String, Arc<str>>,
}

impl ProviderAnswers {
    fn get(&self, question: &Question) -> Option<Arc<str>> {
        match question {
            Question::Manifest => self.manifest.clone(),
            Question::ToolsList => self.tools_list.clone(),
            Question::Describe(name) => self.contracts.get(name.as_str()).cloned(),
        }
    }

    fn put(&mut self, question: &Question, text: &Arc<str>) {
        let text = Arc::clone(text);
        match question {
            Question::Manifest => self.manifest = Some(text),
            Question::ToolsList => self.tools_list = Some(text),
            Question::Describe(name) => drop(self.contracts.insert(name.as_str().to_owned(), text)),
        }
    }
}

/// Answers and the executable that gave them; no lock is held while one is waited for.
#[derive(Debug, Default)]
pub(super) struct Answers {
    kept: Mutex<(Option<ExecutableIdentity>, ProviderAnswers)>,
}

impl Answers {
    /// Returns an answer that the executable of this file gave, if it is still the same.
    pub(super) fn get(&self, file: &FileIdentity, question: &Question) -> Option<Arc<str>> {
        let kept = self.lock();
        let text = kept.1.get(question)?;
        // A look at an interpreter under the lock: cheaper than to copy what it is compared with.
        kept.0
            .as_ref()
            .is_some_and(|identity| identity.is_still(file))
            .then_some(text)
    }

    /// Keeps an answer; those of another executable go.
    pub(super) fn put(&self, identity: ExecutableIdentity, question: &Question, text: &Arc<str>) {
        let mut kept = self.lock();
        if kept.0.as_ref() != Some(&identity) {
            *kept = (Some(identity), ProviderAnswers::default());
        }
        kept.1.put(question, text);
    }

    pub(super) fn replace(&self, identity: Option<ExecutableIdentity>, answers: ProviderAnswers) {
        *self.lock() = (identity, answers);
    }

    pub(super) fn snapshot(&self) -> ProviderAnswers {
        self.lock().1.clone()
    }

    /// Returns how many contracts there are.
    pub(super) fn contracts(&self) -> usize {
        self.lock().1.contracts.len()
    }

    fn lock(&self) -> MutexGuard<'_, (Option<ExecutableIdentity>, ProviderAnswers)> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
