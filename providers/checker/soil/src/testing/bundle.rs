//! Reading cases.

use crate::json::{At, Json, Malformed};

/// The cases of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The path of the program's manifest.
    pub program: String,
    /// The cases.
    pub cases: Vec<TestCase>,
}

/// One case: a call and what it gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCase {
    /// Its name.
    pub name: String,
    /// The definition that is called, bare or as `module::name`.
    pub definition: String,
    /// The fakes that arguments refer to.
    pub binds: Vec<CaseBind>,
    /// The arguments.
    pub arguments: Vec<CaseArgument>,
    /// What the call gives.
    pub expected: Expectation,
    /// Whether the case has to fail.
    pub is_xfail: bool,
}

/// A fake with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseBind {
    /// The name.
    pub name: String,
    /// The builtin that makes the fake.
    pub constructor: String,
    /// What it is made of.
    pub arguments: Vec<Json>,
}

/// An argument of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseArgument {
    /// The name of a fake.
    Binding(String),
    /// A value.
    Json(Json),
}

/// What a case expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// A value.
    Value(Json),
    /// That the call raises.
    Panic,
}

impl Bundle {
    /// Reads the text of a bundle.
    ///
    /// # Wire shape
    /// `{"program":path,"cases":[{"name","def","binds":[{"bind","ctor","args":[json]}],
    /// "args":[{"tag":"Binding","value":{"name"}}|{"tag":"Json","value":json}],
    /// "expect":{"tag":"Value","value":json}|{"tag":"Panic"},"xfail":bool}]}`
    ///
    /// # Errors
    /// When the text is not JSON, a key is missing or unknown, or a value has the wrong type.
    pub fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let json = Json::read(bytes).map_err(|error| Malformed {
            place: "$".to_owned(),
            message: error.to_string(),
        })?;
        let root = At::root(&json);
        let members = root.members(&["program", "cases"], &[])?;
        let cases = members.get("cases")?;
        let cases = cases.entries()?.map(|at| case(&at));
        Ok(Self {
            program: members.text("program")?.to_owned(),
            cases: cases.collect::<Result<_, _>>()?,
        })
    }
}

fn case(at: &At<'_>) -> Result<TestCase, Malformed> {
    let members = at.members(&["name", "def", "binds", "args", "expect", "xfail"], &[])?;
    let binds = members.get("binds")?;
    let binds = binds.entries()?.map(|at| bind(&at));
    let arguments = members.get("args")?;
    let arguments = arguments.entries()?.map(|at| argument(&at));
    let is_xfail = members.get("xfail")?;
    Ok(TestCase {
        name: members.text("name")?.to_owned(),
        definition: members.text("def")?.to_owned(),
        binds: binds.collect::<Result<_, _>>()?,
        arguments: arguments.collect::<Result<_, _>>()?,
        expected: expectation(&members.get("expect")?)?,
        is_xfail: match is_xfail.json() {
            Json::Boolean(value) => *value,
            _ => return Err(is_xfail.malformed("must be `true` or `false`")),
        },
    })
}

fn bind(at: &At<'_>) -> Result<CaseBind, Malformed> {
    let members = at.members(&["bind", "ctor", "args"], &[])?;
    let arguments = members.get("args")?;
    let arguments = arguments.entries()?.map(|at| at.json().clone()).collect();
    Ok(CaseBind {
        name: members.text("bind")?.to_owned(),
        constructor: members.text("ctor")?.to_owned(),
        arguments,
    })
}

fn argument(at: &At<'_>) -> Result<CaseArgument, Malformed> {
    let variant = at.variant()?;
    match (variant.tag, variant.value) {
        ("Binding", Some(value)) => {
            let members = value.members(&["name"], &[])?;
            Ok(CaseArgument::Binding(members.text("name")?.to_owned()))
        }
        ("Json", Some(value)) => Ok(CaseArgument::Json(value.json().clone())),
        _ => Err(at.malformed("must be `Binding` or `Json` with a value")),
    }
}

fn expectation(at: &At<'_>) -> Result<Expectation, Malformed> {
    let variant = at.variant()?;
    match (variant.tag, variant.value) {
        ("Value", Some(value)) => Ok(Expectation::Value(value.json().clone())),
        ("Panic", None) => Ok(Expectation::Panic),
        _ => Err(at.malformed("must be `Value` with a value, or `Panic`")),
    }
}
