//! The variables of a child: nothing that was not listed.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use super::failure::ProcessError;
use super::shown::Shown;

/// Names and values in the order in which they were first set.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Environment {
    variables: Vec<(OsString, OsString)>,
    /// Values that nothing which is said of a call may hold.
    secrets: Vec<OsString>,
}

impl Environment {
    /// Sets a variable whose value is a secret.
    pub(crate) fn set_secret(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        let value = value.into();
        self.secrets.push(value.clone());
        self.set(name, value);
    }

    /// Returns the secret values.
    pub(crate) fn secrets(&self) -> &[OsString] {
        &self.secrets
    }

    /// Sets a variable, in place of an earlier value.
    pub(crate) fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        let (name, value) = (name.into(), value.into());
        match self.variables.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.variables.push((name, value)),
        }
    }

    /// Takes a variable away.
    pub(crate) fn remove(&mut self, name: &OsStr) {
        self.variables.retain(|(known, _)| known != name);
    }

    /// Returns the value of a variable.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        let found = self.variables.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_os_str())
    }

    /// Returns the names, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &OsString> {
        self.variables.iter().map(|(name, _)| name)
    }

    /// Returns names and values, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// Returns the pairs as the system takes them.
    pub(crate) fn assignments(&self) -> Vec<OsString> {
        let assignment = |(name, value): &(OsString, OsString)| {
            let mut text = OsString::with_capacity(name.len() + value.len() + 1);
            text.push(name);
            text.push("=");
            text.push(value);
            text
        };
        self.variables.iter().map(assignment).collect()
    }

    /// Refuses what cannot be told apart from something else once it is an assignment.
    pub(crate) fn check(&self) -> Result<(), ProcessError> {
        for (name, value) in &self.variables {
            let bytes = name.as_bytes();
            let reason = if bytes.is_empty() {
                "the name of a variable is empty"
            } else if bytes.contains(&b'=') {
                "the name of a variable has an equals sign in it"
            } else if bytes.contains(&0) || value.as_bytes().contains(&0) {
                "a variable has a zero byte in it"
            } else {
                continue;
            };
            // The value may be a secret, so the name alone is shown.
            let what = format!("the variable `{}`", Shown::new(name));
            return Err(ProcessError::Unusable { what, reason });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_value_takes_the_place_of_an_earlier_one() {
        let mut environment = Environment::default();
        environment.set("PATH", "/host");
        environment.set("A", "1");
        environment.set("PATH", "/pinned");
        assert_eq!(environment.assignments(), ["PATH=/pinned", "A=1"]);
        assert_eq!(environment.get("PATH"), Some(OsStr::new("/pinned")));
        assert_eq!(environment.get("B"), None);
        assert!(environment.check().is_ok());
    }

    #[test]
    fn names_that_cannot_be_told_apart_are_refused_without_their_value() {
        for (name, value) in [
            ("", "secret"),
            ("A=B", "secret"),
            ("A\0", "secret"),
            ("A", "secret\0"),
        ] {
            let mut environment = Environment::default();
            environment.set(name, value);
            let error = environment.check().expect_err(name).to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
