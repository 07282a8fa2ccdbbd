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

use crate::{BlockPayload, Json, ToolContract};
use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::ser::{Error as _, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

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

            /// Reads the data of a known kind.
            fn read<'de, R: DataSource<'de>>(kind: &str, source: R) -> Result<Self, R::Error> {
                match kind {
                    $($word => source.read().map(Self::$variant),)+
                    _ => Ok(Self::Extension { kind: kind.to_owned(), data: source.read()? }),
                }
            }

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
    Capability(ToolContract) = "capability",
    /// What somebody wants.
    Intent(Intent) = "intent",
    /// How something is to be done.
    Plan(Plan) = "plan",
    /// What a tool found.
    Result(ResultData) = "result",
    /// How something ended.
    Outcome(Outcome) = "outcome",
}

impl BlockPayload for BlockKind {
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
            Self::Extension { kind, data } => format!("extension[{kind}]: {}", data.text()),
        }
    }
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
        deserializer.deserialize_map(PayloadVisitor)
    }
}

/// Where the data of a payload comes from: the value that follows in a map, or text that stood before the kind.
trait DataSource<'de> {
    type Error;

    fn read<T: DeserializeOwned>(self) -> Result<T, Self::Error>;
}

struct NextValue<'a, A>(&'a mut A);

impl<'de, A: MapAccess<'de>> DataSource<'de> for NextValue<'_, A> {
    type Error = A::Error;

    fn read<T: DeserializeOwned>(self) -> Result<T, A::Error> {
        self.0.next_value()
    }
}

struct KeptText(Json);

impl DataSource<'_> for KeptText {
    type Error = serde_json::Error;

    fn read<T: DeserializeOwned>(self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.0.text())
    }
}

struct PayloadVisitor;

impl<'de> Visitor<'de> for PayloadVisitor {
    type Value = BlockKind;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with `kind` and `data`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<BlockKind, A::Error> {
        let (mut kind, mut early_data, mut payload) = (None::<String>, None::<Json>, None);
        while let Some(key) = map.next_key::<String>()? {
            match (&*key, &kind) {
                ("kind", Some(_)) => return Err(A::Error::duplicate_field("kind")),
                ("kind", None) => kind = Some(map.next_value()?),
                ("data", _) if payload.is_some() || early_data.is_some() => {
                    return Err(A::Error::duplicate_field("data"));
                }
                ("data", Some(kind)) => payload = Some(BlockKind::read(kind, NextValue(&mut map))?),
                ("data", None) => early_data = Some(map.next_value()?),
                (other, _) => return Err(A::Error::unknown_field(other, &["kind", "data"])),
            }
        }
        let kind = kind.ok_or_else(|| A::Error::missing_field("kind"))?;
        match (payload, early_data) {
            (Some(payload), _) => Ok(payload),
            (None, Some(data)) => BlockKind::read(&kind, KeptText(data)).map_err(A::Error::custom),
            (None, None) => Err(A::Error::missing_field("data")),
        }
    }
}
