//! What is never stored: values of secret variables, and matches of the policy's patterns.

use std::collections::BTreeMap;
use std::ffi::OsString;

use regex::bytes::Regex;

use crate::file_set::Globs;
use crate::identity::Identity;
use crate::policy::Redact;

/// Shorter values would be replaced all over an output.
const MIN_SECRET_BYTES: usize = 4;

/// The rules of a policy, ready for use.
#[derive(Debug)]
pub(super) struct Redaction {
    names: Globs,
    patterns: Vec<Regex>,
}

impl Redaction {
    pub(super) fn new(rules: &Redact) -> Self {
        Self {
            // Each was read with the policy; one that cannot be read now replaces nothing less than all would hide.
            names: Globs::new(rules.env.iter()).unwrap_or_default(),
            patterns: rules
                .patterns
                .iter()
                .filter_map(|pattern| Regex::new(pattern).ok())
                .collect(),
        }
    }

    /// The values to replace, the longest first, with the names that take their place.
    pub(super) fn secrets(
        &self,
        environment: &BTreeMap<String, OsString>,
    ) -> Vec<(Vec<u8>, String)> {
        let secret = environment
            .iter()
            .filter(|(name, _)| self.names.matches(name));
        let mut secrets: Vec<(Vec<u8>, String)> = secret
            .map(|(name, value)| (value.as_encoded_bytes().to_vec(), format!("<{name}>")))
            .filter(|(value, _)| value.len() >= MIN_SECRET_BYTES)
            .collect();
        secrets.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        secrets
    }

    /// Replaces what is secret, and says whether there was anything.
    pub(super) fn apply(&self, bytes: Vec<u8>, secrets: &[(Vec<u8>, String)]) -> (Vec<u8>, bool) {
        let mut kept = bytes;
        let mut is_redacted = false;
        for (secret, name) in secrets {
            if let Some(replaced) = replace(&kept, secret, name.as_bytes()) {
                kept = replaced;
                is_redacted = true;
            }
        }
        for pattern in &self.patterns {
            if pattern.is_match(&kept) {
                kept = pattern.replace_all(&kept, &b"<redacted>"[..]).into_owned();
                is_redacted = true;
            }
        }
        (kept, is_redacted)
    }

    /// The identity of an environment, in which secret values are `null`.
    pub(super) fn digest(&self, environment: &BTreeMap<String, OsString>) -> Identity {
        let values = environment
            .iter()
            .map(|(name, value)| {
                let shown =
                    (!self.names.matches(name)).then(|| value.to_string_lossy().into_owned());
                (name.as_str(), shown)
            })
            .collect();
        super::digest(&values)
    }
}

/// Replaces every occurrence; `None` where there is none.
fn replace(bytes: &[u8], secret: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = bytes;
    let mut found = false;
    while let Some(at) = rest
        .windows(secret.len())
        .position(|window| window == secret)
    {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(name);
        rest = &rest[at + secret.len()..];
        found = true;
    }
    out.extend_from_slice(rest);
    found.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    #[test]
    fn secrets_and_matches_are_replaced_before_anything_is_stored() {
        let policy = Policy::parse("version = 1\n[redact]\npatterns = ['id-[0-9]+']\n").unwrap();
        let redaction = Redaction::new(&policy.redact);
        let environment: BTreeMap<String, OsString> = [
            ("API_TOKEN", "hunter22"),
            ("SHORT_KEY", "abc"),
            ("PATH", "/bin"),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
        let secrets = redaction.secrets(&environment);
        for (text, expected, redacted) in [
            ("plain abc /bin", "plain abc /bin", false),
            ("a hunter22 b hunter22", "a <API_TOKEN> b <API_TOKEN>", true),
            ("id-17 and id-x", "<redacted> and id-x", true),
        ] {
            let (kept, seen) = redaction.apply(text.as_bytes().to_vec(), &secrets);
            assert_eq!(
                (String::from_utf8(kept).unwrap().as_str(), seen),
                (expected, redacted)
            );
        }
        let mut other = environment.clone();
        other.insert("API_TOKEN".to_owned(), "another1".into());
        assert_eq!(redaction.digest(&environment), redaction.digest(&other));
        other.insert("PATH".to_owned(), "/usr/bin".into());
        assert_ne!(redaction.digest(&environment), redaction.digest(&other));
    }
}
