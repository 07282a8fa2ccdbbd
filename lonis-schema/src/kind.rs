//! The fourteen seed kinds and the open seam.

mod knowledge;
mod participant;
mod process;

pub use knowledge::{Definition, Evidence, Intent};
pub use participant::{
    Action, ActionStatus, Answer, Assumption, AssumptionStatus, Decision, Message, Question,
    Summary,
};
pub use process::{
    Normalization, Outcome, OutcomeStatus, Plan, PlanStep, Resources, ResultData, Rewrite,
};

use std::borrow::Cow;

use crate::finding::Checker;
use crate::tagged::{DataSource, Tagged, read_tagged};
use crate::{BlockPayload, Json, ToolContract};
use serde::ser::{Error, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! seed_kinds {
    ($($(#[$meta:meta])* $variant:ident($type:ty) = $word:literal,)+) => {
        /// A payload of one of the fourteen seed kinds, or of any other.
        ///
        /// # Wire shape
        /// ```
        /// use lonis_schema::BlockKind;
        /// let text = r#"{"kind":"message","data":{"content":"hello"}}"#;
        /// let payload: BlockKind = serde_json::from_str(text)?;
        /// assert!(matches!(&payload, BlockKind::Message(message) if message.content == "hello"));
        /// assert_eq!(serde_json::to_string(&payload)?, text);
        /// # Ok::<(), serde_json::Error>(())
        /// ```
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum BlockKind {
            $($(#[$meta])* $variant($type),)+
            /// A payload of any other kind, carried as it is.
            ///
            /// Where its data is an object with a text `rendered`, that text is what people see of it.
            Extension {
                /// The kind, such as `acme.item`; never one of the seed kinds.
                kind: String,
                /// The data.
                data: Json,
            },
        }

        impl BlockKind {
            /// The names of the seed kinds.
            pub const SEED_KINDS: &'static [&'static str] = &[$($word),+];

            fn kind(&self) -> &str {
                match self {
                    $(Self::$variant(_) => $word,)+
                    Self::Extension { kind, .. } => kind,
                }
            }

            fn write_data<S: SerializeStruct>(&self, fields: &mut S) -> Result<(), S::Error> {
                match self {
                    $(Self::$variant(data) => fields.serialize_field("data", data),)+
                    Self::Extension { data, .. } => fields.serialize_field("data", data),
                }
            }
        }

        impl Tagged for BlockKind {
            fn read_data<'de, R: DataSource<'de>>(kind: &str, source: R) -> Result<Self, R::Error> {
                match kind {
                    $($word => source.read().map(Self::$variant),)+
                    _ => Ok(Self::Extension { kind: kind.to_owned(), data: source.read()? }),
                }
            }
        }

        $(impl From<$type> for BlockKind {
            fn from(data: $type) -> Self {
                Self::$variant(data)
            }
        })+
    };
}

seed_kinds! {
    /// Something said.
    Message(Message) = "message",
    /// Something asked.
    Question(Question) = "question",
    /// The answer to a question.
    Answer(Answer) = "answer",
    /// Something decided.
    Decision(Decision) = "decision",
    /// Something done.
    Action(Action) = "action",
    /// Something taken to be true.
    Assumption(Assumption) = "assumption",
    /// Many things in short.
    Summary(Summary) = "summary",
    /// Something that speaks for or against a statement.
    Evidence(Evidence) = "evidence",
    /// What a thing is.
    Definition(Definition) = "definition",
    /// What a tool can do.
    Capability(Box<ToolContract>) = "capability",
    /// What somebody wants.
    Intent(Intent) = "intent",
    /// How something is to be done.
    Plan(Plan) = "plan",
    /// What a tool found.
    Result(ResultData) = "result",
    /// How something ended.
    Outcome(Outcome) = "outcome",
}

impl From<ToolContract> for BlockKind {
    fn from(contract: ToolContract) -> Self {
        Self::Capability(Box::new(contract))
    }
}

impl BlockPayload for BlockKind {
    fn check(&self, checker: &mut Checker) {
        match self {
            Self::Message(message) => message.check(checker),
            Self::Question(question) => question.check(checker),
            Self::Answer(answer) => answer.check(checker),
            Self::Decision(decision) => decision.check(checker),
            Self::Action(action) => action.check(checker),
            Self::Assumption(assumption) => assumption.check(checker),
            Self::Summary(summary) => summary.check(checker),
            Self::Evidence(evidence) => evidence.check(checker),
            Self::Definition(definition) => definition.check(checker),
            Self::Capability(contract) => contract.look(checker),
            Self::Intent(intent) => intent.check(checker),
            Self::Plan(plan) => plan.check(checker),
            Self::Result(result) => result.check(checker),
            Self::Outcome(outcome) => outcome.check(checker),
            Self::Extension { .. } => {}
        }
    }

    fn hashed_form(&self) -> Option<Self> {
        match self {
            Self::Capability(contract) if contract.has_inline_schema() => {
                Some(contract.without_inline_schemas().into())
            }
            _ => None,
        }
    }

    fn kind_name(&self) -> &str {
        self.kind()
    }

    fn render_human(&self) -> String {
        match self {
            Self::Message(message) => format!("message: {}", message.content),
            Self::Question(question) => format!("question: {}", question.text),
            Self::Answer(answer) => format!("answer: {}", answer.text),
            Self::Decision(decision) => format!("decision: {}", decision.statement),
            Self::Action(action) => format!("action: {} {:?}", action.verb, action.status),
            Self::Assumption(assumption) => format!(
                "assumption: {} ({:?})",
                assumption.statement, assumption.status
            ),
            Self::Summary(summary) => format!("summary: {}", summary.text),
            Self::Evidence(evidence) => {
                format!("evidence[{}]: {}", evidence.kind, evidence.summary)
            }
            Self::Definition(definition) => {
                format!("definition: {} ({})", definition.name, definition.kind)
            }
            Self::Capability(contract) => format!(
                "capability: {} — {}",
                contract.name(),
                contract.description()
            ),
            Self::Intent(intent) => format!("intent: {}", intent.statement),
            Self::Plan(plan) => format!("plan: {} step(s)", plan.steps.len()),
            Self::Result(result) => result.render_human(),
            Self::Outcome(outcome) => format!("outcome[{:?}]: {}", outcome.status, outcome.message),
            Self::Extension { kind, data } => {
                let text = rendered(data).map_or(data.text().into(), Cow::Owned);
                format!("extension[{kind}]: {text}")
            }
        }
    }

    fn renders_warnings(&self) -> bool {
        matches!(self, Self::Extension { data, .. } if rendered(data).is_some())
    }
}

/// Gives the text for people that the data of an extension carries itself.
fn rendered(data: &Json) -> Option<String> {
    #[derive(Deserialize)]
    struct Shown {
        rendered: Option<String>,
    }
    let text = data.text();
    let shown = text
        .starts_with('{')
        .then(|| serde_json::from_str(text).ok());
    shown.flatten().and_then(|shown: Shown| shown.rendered)
}

impl ResultData {
    fn render_human(&self) -> String {
        let mut text = format!("result: {}", self.output.text());
        let lists = [
            ("validated", &self.validated_assumptions),
            ("refuted", &self.refuted_assumptions),
        ];
        let assumptions: Vec<String> = lists
            .iter()
            .filter(|(_, list)| !list.is_empty())
            .map(|(word, list)| format!("{word}: {}", list.join(", ")))
            .collect();
        if !assumptions.is_empty() {
            text.push_str("\nassumptions ");
            text.push_str(&assumptions.join("; "));
        }
        text
    }
}

impl Serialize for BlockKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Self::Extension { kind, .. } = self
            && Self::SEED_KINDS.contains(&&**kind)
        {
            return Err(S::Error::custom(format_args!(
                "extension has the name of the seed kind `{kind}`"
            )));
        }
        let mut fields = serializer.serialize_struct("BlockKind", 2)?;
        fields.serialize_field("kind", self.kind())?;
        self.write_data(&mut fields)?;
        fields.end()
    }
}

impl<'de> Deserialize<'de> for BlockKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_tagged(deserializer)
    }
}
