//! The known names nearest to one that is not known, for hints.

/// Returns the names of `known` that `name` could have meant, nearest first, at most `limit`.
///
/// A name counts as near when at most a third of its letters, and at least one, would have to change.
pub fn nearest<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Vec<&'a str> {
    let reach = (name.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= reach)
        .collect();
    near.sort_unstable();
    near.truncate(limit);
    near.into_iter().map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_nearest_first() {
        let known = [
            "timeout_millis",
            "max_stdout_bytes",
            "max_stderr_bytes",
            "cwd",
        ];
        assert_eq!(nearest("timeout_milis", known, 3), ["timeout_millis"]);
        assert_eq!(
            nearest("max_stdout_byte", known, 3),
            ["max_stdout_bytes", "max_stderr_bytes"]
        );
        assert_eq!(nearest("cdw", known, 3), ["cwd"]);
        assert!(nearest("zzz", known, 3).is_empty());
    }
}
