//! Reading an input strictly, with the place of what is wrong.

use thiserror::Error;

use super::Json;

/// An input that does not have the shape asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{place}` {message}")]
pub struct Malformed {
    /// Where, as `$.a[2].key`.
    pub place: String,
    /// What is wrong there.
    pub message: String,
}

/// A value with its place in the whole.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    json: &'a Json,
    step: Step<'a>,
    parent: Option<&'a At<'a>>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    Key(&'a str),
    Index(usize),
}

/// An object whose keys are all known.
#[derive(Clone, Copy, Debug)]
pub struct Members<'a> {
    at: &'a At<'a>,
    members: &'a [(String, Json)],
}

/// A sum: its tag, and its value if it has one.
#[derive(Clone, Copy, Debug)]
pub struct Variant<'a> {
    /// The tag.
    pub tag: &'a str,
    /// The value.
    pub value: Option<At<'a>>,
}

impl<'a> At<'a> {
    /// Begins at the whole value.
    pub const fn root(json: &'a Json) -> Self {
        Self {
            json,
            step: Step::Root,
            parent: None,
        }
    }

    /// Gives the value.
    pub const fn json(&self) -> &'a Json {
        self.json
    }

    /// Makes the error that something is wrong here.
    pub fn malformed(&self, message: impl Into<String>) -> Malformed {
        let mut steps = Vec::new();
        let mut at = Some(self);
        while let Some(here) = at {
            steps.push(match here.step {
                Step::Root => "$".to_owned(),
                Step::Key(key) => format!(".{key}"),
                Step::Index(index) => format!("[{index}]"),
            });
            at = here.parent;
        }
        steps.reverse();
        Malformed {
            place: steps.concat(),
            message: message.into(),
        }
    }

    /// Gives a string.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn text(&self) -> Result<&'a str, Malformed> {
        match self.json {
            Json::Text(text) => Ok(text),
            _ => Err(self.malformed("must be a string")),
        }
    }

    /// Gives the entries of an array.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn entries(&self) -> Result<impl Iterator<Item = At<'_>>, Malformed> {
        let Json::Array(entries) = self.json else {
            return Err(self.malformed("must be an array"));
        };
        let places = entries.iter().enumerate();
        Ok(places.map(move |(index, json)| At {
            json,
            step: Step::Index(index),
            parent: Some(self),
        }))
    }

    /// Gives the members of an object that has all of the first keys and none but these and the second ones.
    ///
    /// # Errors
    /// When it is no object, a key is missing, or one is unknown.
    pub fn members<'s>(
        &'s self,
        required: &[&str],
        optional: &[&str],
    ) -> Result<Members<'s>, Malformed> {
        let Json::Object(members) = self.json else {
            return Err(self.malformed("must be an object"));
        };
        for (key, _) in members {
            if !required.contains(&key.as_str()) && !optional.contains(&key.as_str()) {
                return Err(self.malformed(format!("has the unknown key `{key}`")));
            }
        }
        let has = |key: &&&str| members.iter().any(|(member, _)| member == **key);
        if let Some(missing) = required.iter().find(|key| !has(key)) {
            return Err(self.malformed(format!("lacks the key `{missing}`")));
        }
        Ok(Members { at: self, members })
    }

    /// Gives a sum `{"tag":…}` or `{"tag":…,"value":…}`.
    ///
    /// # Errors
    /// When it has another shape.
    pub fn variant(&self) -> Result<Variant<'_>, Malformed> {
        let members = self.members(&["tag"], &["value"])?;
        let tag = members.text("tag")?;
        let value = members.find("value");
        Ok(Variant { tag, value })
    }

    /// Gives an optional value.
    ///
    /// # Errors
    /// When it has another shape.
    pub fn option(&self) -> Result<Option<At<'_>>, Malformed> {
        let variant = self.variant()?;
        match (variant.tag, variant.value) {
            ("None", None) => Ok(None),
            ("Some", Some(value)) => Ok(Some(value)),
            _ => Err(self.malformed("must be `None`, or `Some` with a value")),
        }
    }
}

impl<'a> Members<'a> {
    /// Gives the value of a key, if it is there.
    pub fn find(&self, key: &str) -> Option<At<'a>> {
        let member = self.members.iter().find(|(member, _)| member == key)?;
        Some(At {
            json: &member.1,
            step: Step::Key(&member.0),
            parent: Some(self.at),
        })
    }

    /// Gives the value of a key.
    ///
    /// # Errors
    /// When it is not there.
    pub fn get(&self, key: &str) -> Result<At<'a>, Malformed> {
        self.find(key)
            .ok_or_else(|| self.at.malformed(format!("lacks the key `{key}`")))
    }

    /// Gives the string of a key.
    ///
    /// # Errors
    /// When it is not there or anything else.
    pub fn text(&self, key: &str) -> Result<&'a str, Malformed> {
        self.get(key)?.text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_their_place() {
        let json = Json::read(br#"{"a":[1,{"key":2}]}"#).expect("it is JSON");
        let root = At::root(&json);
        let members = root.members(&["a"], &[]).expect("one key");
        let array = members.get("a").expect("it is there");
        let second = array.entries().expect("an array").nth(1).expect("two");
        let inner = second.members(&["key"], &[]).expect("one key");
        let error = inner.text("key").expect_err("a number");
        assert_eq!(error.to_string(), "`$.a[1].key` must be a string");
    }

    #[test]
    fn shapes_are_strict() {
        let check = |text: &str, expected: &str| {
            let json = Json::read(text.as_bytes()).expect("it is JSON");
            let root = At::root(&json);
            let error = root.members(&["a"], &["b"]).expect_err(text);
            assert_eq!(error.to_string(), expected, "{text}");
        };
        check("1", "`$` must be an object");
        check(r#"{"b":1}"#, "`$` lacks the key `a`");
        check(r#"{"a":1,"c":1}"#, "`$` has the unknown key `c`");
    }

    #[test]
    fn options_have_one_form() {
        let is_some = |text: &str| {
            let json = Json::read(text.as_bytes()).expect("it is JSON");
            let root = At::root(&json);
            root.option().ok().map(|found| found.is_some())
        };
        assert_eq!(is_some(r#"{"tag":"None"}"#), Some(false));
        assert_eq!(is_some(r#"{"tag":"Some","value":1}"#), Some(true));
        for text in [
            "null",
            r#"{"tag":"Some"}"#,
            r#"{"tag":"None","value":null}"#,
        ] {
            assert_eq!(is_some(text), None, "{text}");
        }
    }
}
