//! Finding tools by words, the likeliest first: one look at each id and description, so that ten thousand take
//! milliseconds.

use std::cmp::Reverse;

/// A word of fewer letters has too many neighbours for a slip to be told from another word.
const SHORTEST_NEAR: usize = 4;

/// Where a word was found, the best place last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    InDescription,
    BeginsDescriptionWord,
    DescriptionWord,
    InId,
    BeginsSegment,
    Segment,
    Id,
}

impl Found {
    /// What the place counts for: two in a lesser place are worth less than one in the next better but one.
    const fn weight(self) -> u32 {
        match self {
            Self::InDescription => 2,
            Self::BeginsDescriptionWord => 4,
            Self::DescriptionWord => 6,
            Self::InId => 10,
            Self::BeginsSegment => 16,
            Self::Segment => 24,
            Self::Id => 64,
        }
    }
}

/// The words that are looked for.
///
/// # Example
/// ```
/// use lonis_core::Search;
///
/// let tools = [("git:log", "Shows commits."), ("fs:read", "Reads a log file."), ("fs:list", "Lists files.")];
/// let found = Search::new(["LOG"]).ranked(&tools, |tool| *tool);
/// assert_eq!(found, [&tools[0], &tools[1]]);
/// let slip = Search::new(["lsit"]).near(&tools, |tool| *tool);
/// assert_eq!(slip, [&tools[2]]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    words: Vec<String>,
}

impl Search {
    /// Makes a search for texts that have every word, in any case; a text with blanks in it is several words.
    pub fn new<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> Self {
        let split = |text: W| {
            let words = text.as_ref().split_whitespace().map(str::to_lowercase);
            words.collect::<Vec<_>>()
        };
        Self {
            words: words.into_iter().flat_map(split).collect(),
        }
    }

    /// Returns the tools that have every word in their id or description, the best first.
    ///
    /// Those that are as good as another come by their id. `texts` gives the id and the description of a tool.
    pub fn ranked<'t, T>(
        &self,
        tools: &'t [T],
        texts: impl for<'a> Fn(&'a T) -> (&'a str, &'a str),
    ) -> Vec<&'t T> {
        let mut lowered = Lowered::default();
        let rank = |tool: &T, lowered: &mut Lowered| {
            let (id, description) = texts(tool);
            lowered.set(id, description);
            self.words
                .iter()
                .try_fold(0, |sum, word| Some(sum + lowered.find(word)?.weight()))
        };
        self.sorted(tools, texts_id(&texts), |tool| rank(tool, &mut lowered))
    }

    /// Returns the tools that have, for every word, one in their id that it may be a slip of.
    ///
    /// It is for a search that found nothing.
    pub fn near<'t, T>(
        &self,
        tools: &'t [T],
        texts: impl for<'a> Fn(&'a T) -> (&'a str, &'a str),
    ) -> Vec<&'t T> {
        let rank = |tool: &T| {
            let id = texts(tool).0.to_lowercase();
            self.words.iter().try_fold(0, |sum, word| {
                let distances = parts(&id).filter_map(|segment| slip(word, segment));
                Some(sum + u32::try_from(64 - distances.min()?.min(63)).unwrap_or(0))
            })
        };
        self.sorted(tools, texts_id(&texts), rank)
    }

    fn sorted<'t, T>(
        &self,
        tools: &'t [T],
        id: impl for<'a> Fn(&'a T) -> &'a str,
        mut rank: impl FnMut(&T) -> Option<u32>,
    ) -> Vec<&'t T> {
        if self.words.is_empty() {
            return Vec::new();
        }
        let ranked = tools.iter().filter_map(|tool| Some((rank(tool)?, tool)));
        let mut ranked: Vec<(u32, &T)> = ranked.collect();
        ranked.sort_by(|(left, one), (right, other)| {
            Reverse(left)
                .cmp(&Reverse(right))
                .then_with(|| id(one).cmp(id(other)))
        });
        ranked.into_iter().map(|(_, tool)| tool).collect()
    }
}

fn texts_id<T>(
    texts: &impl for<'a> Fn(&'a T) -> (&'a str, &'a str),
) -> impl for<'a> Fn(&'a T) -> &'a str {
    move |tool| texts(tool).0
}

/// How many letters a word would have to change to be another one, where that is few enough to be a slip.
fn slip(word: &str, other: &str) -> Option<usize> {
    let letters = word.chars().count();
    // The difference in length is the least that has to change, and cheaper to tell.
    let reach = letters / 3;
    if letters < SHORTEST_NEAR || other.chars().count().abs_diff(letters) > reach {
        return None;
    }
    Some(strsim::osa_distance(word, other)).filter(|distance| *distance <= reach)
}

/// One tool's texts in small letters; the memory is used again for the next.
#[derive(Default)]
struct Lowered {
    id: String,
    description: String,
}

impl Lowered {
    fn set(&mut self, id: &str, description: &str) {
        for (target, text) in [(&mut self.id, id), (&mut self.description, description)] {
            target.clear();
            if text.is_ascii() {
                target.push_str(text);
                target.make_ascii_lowercase();
            } else {
                target.extend(text.chars().flat_map(char::to_lowercase));
            }
        }
    }

    fn find(&self, word: &str) -> Option<Found> {
        if self.id.contains(word) {
            let segment = best(&self.id, word, Found::Segment, Found::BeginsSegment);
            return Some(match segment {
                _ if self.id == word => Found::Id,
                Some(found) => found,
                None => Found::InId,
            });
        }
        if self.description.contains(word) {
            let (whole, begins) = (Found::DescriptionWord, Found::BeginsDescriptionWord);
            return Some(
                best(&self.description, word, whole, begins).unwrap_or(Found::InDescription),
            );
        }
        None
    }
}

/// Whether one of the parts of a text is a word, or begins with it.
fn best(text: &str, word: &str, whole: Found, begins: Found) -> Option<Found> {
    let found = parts(text).filter_map(|part| match part.strip_prefix(word) {
        Some("") => Some(whole),
        Some(_) => Some(begins),
        None => None,
    });
    found.max()
}

/// The runs of letters and digits of a text.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric());
    parts.filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(found: &[&(&'static str, &'static str)]) -> Vec<&'static str> {
        found.iter().map(|tool| tool.0).collect()
    }

    const TOOLS: [(&str, &str); 8] = [
        ("a:read", "Counts words."),
        ("b:words:count", "x"),
        ("c:x", "words and count"),
        ("fs:reader", "Opens files."),
        ("fs:thread", "A spread."),
        ("read", "Itself."),
        ("z:list", "Lists what was read already."),
        ("ü:ß", "STRASSE, Ünder"),
    ];

    #[test]
    fn better_places_come_first_and_every_word_has_to_be_there() {
        let found = |words: &[&str]| ids(&Search::new(words).ranked(&TOOLS, |tool| *tool));
        assert_eq!(
            found(&["read"]),
            ["read", "a:read", "fs:reader", "fs:thread", "z:list"]
        );
        assert_eq!(found(&["Words"]), ["b:words:count", "a:read", "c:x"]);
        assert_eq!(
            found(&["count", "words"]),
            ["b:words:count", "c:x", "a:read"]
        );
        assert_eq!(found(&["count words"]), found(&["count", "words"]));
        assert_eq!(found(&["ÜNDER"]), ["ü:ß"]);
        assert_eq!(found(&["read", "x"]), [""; 0]);
        assert_eq!(found(&[]), [""; 0]);
        assert_eq!(found(&["  "]), [""; 0]);
        assert_eq!(found(&["a:read"]), ["a:read"]);
    }

    #[test]
    fn a_slip_finds_what_was_meant() {
        let near = |word: &str| ids(&Search::new([word]).near(&TOOLS, |tool| *tool));
        assert_eq!(near("raed"), ["a:read", "read"]);
        assert_eq!(near("lits"), ["z:list"]);
        assert_eq!(near("wrods"), ["b:words:count"]);
        for other in ["xx", "nothing", "l"] {
            assert_eq!(near(other), [""; 0], "{other}");
        }
    }

    #[test]
    fn ten_thousand_are_ranked_like_few_and_soon() {
        let tools: Vec<(String, String)> = (0..10_000)
            .map(|number| {
                let id = format!("provider{}:group{}:tool{number}", number % 100, number % 7);
                let words = format!(
                    "Does thing {} of area {}, with a longer text beside it.",
                    number % 13,
                    number % 17
                );
                (id, words)
            })
            .collect();
        let started = std::time::Instant::now();
        let search = Search::new(["area", "group3", "12"]);
        let found = search.ranked(&tools, texts_of);
        assert!(!found.is_empty() && found.iter().all(|tool| tool.0.contains("group3")));
        // Whoever has the number in the id comes before whoever has it in the description.
        assert!(found.is_sorted_by_key(|tool| !tool.0.contains("12")));
        assert!(found.last().is_some_and(|tool| !tool.0.contains("12")));
        assert_eq!(search.near(&tools, texts_of).len(), 0);
        let slips = Search::new(["tolo9999"]).near(&tools, texts_of);
        assert_eq!(slips[0].0, "provider99:group3:tool9999");
        // A bound, not a speed: it takes some ten milliseconds.
        assert!(started.elapsed() < std::time::Duration::from_secs(50));
    }

    fn texts_of(tool: &(String, String)) -> (&str, &str) {
        (&tool.0, &tool.1)
    }
}
