//! Reading `program.json`.

use super::{ProgramTexts, Text};
use crate::json::{At, Json, Malformed};

/// What a program consists of, as paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// The path of the type environment.
    pub types: String,
    /// The paths of the files of definitions, callee before caller.
    pub definitions: Vec<String>,
    /// The paths of files of which only the signatures are read.
    pub signatures: Vec<String>,
    /// Clauses that guard definitions.
    pub guards: Vec<GuardTexts>,
}

/// The clauses of one definition, which is named bare or as `module::name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardTexts {
    /// The definition's name.
    pub definition: String,
    /// What has to hold when it is called.
    pub requires: Vec<Clause>,
    /// What has to hold when it returns.
    pub ensures: Vec<Clause>,
}

/// One clause as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Its label.
    pub label: String,
    /// Its predicate, over the parameter names of the signature; `result` in an ensures.
    pub predicate: String,
}

impl Manifest {
    /// Reads the text of a manifest.
    ///
    /// # Wire shape
    /// `{"types":path,"defs":[path]}`, and `"sigs":[path]`,
    /// `"guards":[{"def":"module::name","requires":[{"label":…,"pred":…}],"ensures":[…]}]`; paths are relative to the file.
    ///
    /// # Errors
    /// When the text is not JSON, a key is missing or unknown, or a value has the wrong type.
    pub fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let json = Json::read(bytes).map_err(|error| Malformed {
            place: "$".to_owned(),
            message: error.to_string(),
        })?;
        let root = At::root(&json);
        let members = root.members(&["types", "defs"], &["sigs", "guards"])?;
        let guards = match members.find("guards") {
            Some(list) => list.entries()?.map(|at| guard(&at)).collect(),
            None => Ok(Vec::new()),
        };
        Ok(Self {
            types: members.text("types")?.to_owned(),
            definitions: paths(&members.get("defs")?)?,
            signatures: members
                .find("sigs")
                .map_or_else(|| Ok(Vec::new()), |list| paths(&list))?,
            guards: guards?,
        })
    }

    /// Fetches the texts that the manifest names.
    ///
    /// `root_module` is the name of the folder that the manifest stands in.
    ///
    /// # Errors
    /// The first one that fetching gives.
    pub fn load<E>(
        self,
        root_module: &str,
        mut fetch: impl FnMut(&str) -> Result<Vec<u8>, E>,
    ) -> Result<ProgramTexts, E> {
        let mut text = |path: String| {
            let bytes = fetch(&path)?;
            Ok(Text::new(path, bytes))
        };
        Ok(ProgramTexts {
            types: Some(text(self.types)?),
            root_module: root_module.to_owned(),
            definitions: self
                .definitions
                .into_iter()
                .map(&mut text)
                .collect::<Result<_, E>>()?,
            signatures: self
                .signatures
                .into_iter()
                .map(&mut text)
                .collect::<Result<_, E>>()?,
            guards: self.guards,
            properties: Vec::new(),
            invariants: Vec::new(),
            derives_properties: false,
        })
    }
}

fn paths(list: &At<'_>) -> Result<Vec<String>, Malformed> {
    let texts = list.entries()?.map(|at| Ok(at.text()?.to_owned()));
    texts.collect()
}

fn guard(at: &At<'_>) -> Result<GuardTexts, Malformed> {
    let members = at.members(&["def", "requires", "ensures"], &[])?;
    Ok(GuardTexts {
        definition: members.text("def")?.to_owned(),
        requires: clauses(&members.get("requires")?)?,
        ensures: clauses(&members.get("ensures")?)?,
    })
}

fn clauses(list: &At<'_>) -> Result<Vec<Clause>, Malformed> {
    let clauses = list.entries()?.map(|at| {
        let members = at.members(&["label", "pred"], &[])?;
        Ok(Clause {
            label: members.text("label")?.to_owned(),
            predicate: members.text("pred")?.to_owned(),
        })
    });
    clauses.collect()
}
