//! Asking a provider for manifest and list at once; whoever inquires drives the runs, of one provider or of many.

use std::sync::Arc;

use lonis_schema::ToolError;

use super::identity::ExecutableIdentity;
use super::listing::Listing;
use super::question::{self, Question};
use super::{SubprocessProvider, read_list, read_manifest};
use crate::process::{Captured, Job};

type Answer = Result<Arc<str>, ToolError>;

/// The two questions to one provider, and what is answered of them.
#[derive(Debug)]
pub(crate) struct Inquiry {
    provider: SubprocessProvider,
    /// Looked at before the runs: what is replaced meanwhile is asked again.
    identity: ExecutableIdentity,
    manifest: Option<Answer>,
    list: Option<Answer>,
}

/// A run that answers one of the questions.
pub(crate) struct Run {
    pub(crate) job: Job,
    question: Question,
}

/// Which question a run was for, to be handed back with what it gave.
#[derive(Debug)]
pub(crate) struct AskedQuestion(Question);

impl Run {
    /// Takes the run apart, so that the job can be given away.
    pub(crate) fn into_parts(self) -> (AskedQuestion, Job) {
        (AskedQuestion(self.question), self.job)
    }
}

impl Inquiry {
    /// Looks at the provider, and returns what has to be run: nothing where all is known.
    pub(crate) fn begin(provider: &SubprocessProvider) -> Result<(Self, Vec<Run>), ToolError> {
        let identity = question::identity(&provider.program)?;
        let known = |question| provider.answers.get(identity.file(), &question).map(Ok);
        let inquiry = Self {
            provider: provider.clone(),
            manifest: known(Question::Manifest),
            list: known(Question::ToolsList),
            identity,
        };
        let mut runs = Vec::new();
        for (answer, question) in [
            (&inquiry.manifest, Question::Manifest),
            (&inquiry.list, Question::ToolsList),
        ] {
            if answer.is_none() {
                let job = provider.asked(&question).job();
                runs.push(Run { job, question });
            }
        }
        Ok((inquiry, runs))
    }

    /// Takes what a run gave, and tells whether that was the last.
    pub(crate) fn take(&mut self, asked: &AskedQuestion, captured: &Captured) -> bool {
        let AskedQuestion(question) = asked;
        let read = self.provider.asked(question).read(question, captured);
        let answer = read.map(|text| {
            let text: Arc<str> = text.into();
            let identity = self.identity.clone();
            self.provider.answers.put(identity, question, &text);
            text
        });
        match question {
            Question::Manifest => self.manifest = Some(answer),
            Question::ToolsList => self.list = Some(answer),
            Question::Describe(_) => {}
        }
        self.manifest.is_some() && self.list.is_some()
    }

    /// Returns what the provider offers, once both questions are answered.
    pub(crate) fn finish(self) -> Result<Listing, ToolError> {
        let answered = "both questions are answered before the end";
        let (manifest, list) = (self.manifest.expect(answered), self.list.expect(answered));
        let manifest = read_manifest(&manifest?)?;
        let list = read_list(&list?)?;
        Ok(Listing::new(&manifest, list, &self.provider.ids))
    }
}
