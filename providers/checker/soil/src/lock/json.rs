//! The layout of a lock: two spaces per level, one object per line in lists.

/// A lock under construction.
pub(super) struct LockText {
    out: String,
    level: usize,
    /// Whether an entry stands before this place in what is open.
    has_entry: bool,
}

impl LockText {
    pub(super) fn new() -> Self {
        Self {
            out: String::new(),
            level: 0,
            has_entry: false,
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.out.push('\n');
        self.out
    }

    fn line(&mut self) {
        if self.has_entry {
            self.out.push(',');
        }
        self.out.push('\n');
        for _ in 0..self.level {
            self.out.push_str("  ");
        }
        self.has_entry = true;
    }

    fn key(&mut self, key: &str) {
        self.line();
        self.out.push_str(&quoted(key));
        self.out.push_str(": ");
    }

    /// Writes a member whose value is JSON already.
    pub(super) fn raw(&mut self, key: &str, json: &str) {
        self.key(key);
        self.out.push_str(json);
    }

    pub(super) fn string(&mut self, key: &str, text: &str) {
        self.raw(key, &quoted(text));
    }

    pub(super) fn optional(&mut self, key: &str, text: Option<&str>) {
        match text {
            Some(text) => self.string(key, text),
            None => self.raw(key, "null"),
        }
    }

    /// Writes the outermost object.
    pub(super) fn document(&mut self, members: impl FnOnce(&mut Self)) {
        self.inside('{', '}', members);
    }

    pub(super) fn object(&mut self, key: &str, members: impl FnOnce(&mut Self)) {
        self.key(key);
        self.inside('{', '}', members);
    }

    /// Writes rows, each one line.
    pub(super) fn rows(&mut self, key: &str, rows: impl IntoIterator<Item = String>) {
        self.key(key);
        self.inside('[', ']', |text| {
            for row in rows {
                text.line();
                text.out.push_str(&row);
            }
        });
    }

    fn inside(&mut self, open: char, close: char, write: impl FnOnce(&mut Self)) {
        self.out.push(open);
        self.level += 1;
        self.has_entry = false;
        write(self);
        self.level -= 1;
        if self.has_entry {
            self.has_entry = false;
            self.line();
        }
        self.out.push(close);
        self.has_entry = true;
    }
}

/// Gives a string as JSON.
pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string is always JSON")
}

/// Gives one line `{ "a": x, "b": y }` from keys and texts.
pub(super) fn row(members: &[(&str, &str)]) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(key, text)| format!("{}: {}", quoted(key), quoted(text)))
        .collect();
    format!("{{ {} }}", members.join(", "))
}
