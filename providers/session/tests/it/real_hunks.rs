//! Hunks of histories, sent as a diff and as quoted text, with the noise that agents add: right or refused, never wrong.

use imara_diff::{Algorithm, Diff, InternedInput};
use lonis_session::patch::diff::import;
use lonis_session::patch::engine::{Rules, StageError, stage_diff};
use lonis_session::patch::report::Report;
use serde_json::{Value, json};

use crate::corpus::{Pair, pairs};
use crate::generated::{Draw, cases};
use crate::memory::Memory;

/// One hunk of a pair: lines of the file before, and what takes the place of some of them.
struct Hunk {
    /// First line with context, from 0.
    start: usize,
    /// Lines with context before.
    old: Vec<String>,
    /// And after.
    new: Vec<String>,
    /// The hunk as a diff writes it, its lines alone.
    body: String,
    /// The file with this hunk alone.
    truth: String,
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The hunks of a pair with some lines of context, each applied alone.
fn hunks(pair: &Pair, context: usize) -> Vec<Hunk> {
    let (before, after) = (lines(&pair.before), lines(&pair.after));
    let mut input: InternedInput<&str> = InternedInput::default();
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let mut hunks = Vec::new();
    for found in diff.hunks() {
        let old = found.before.start as usize..found.before.end as usize;
        let new = &after[found.after.start as usize..found.after.end as usize];
        let from = old.start.saturating_sub(context);
        let to = (old.end + context).min(before.len());
        let is_unended = |text: &&str| !text.ends_with('\n');
        if before[from..to].iter().any(is_unended) || new.iter().any(is_unended) {
            continue;
        }
        let signed = |sign: &str, lines: &[&str]| -> String {
            lines.iter().flat_map(|line| [sign, line]).collect()
        };
        let (head, tail) = (&before[from..old.start], &before[old.end..to]);
        let body = [
            signed(" ", head),
            signed("-", &before[old.clone()]),
            signed("+", new),
            signed(" ", tail),
        ]
        .concat();
        let owned = |parts: [&[&str]; 3]| parts.concat().into_iter().map(str::to_owned).collect();
        hunks.push(Hunk {
            start: from,
            old: owned([head, &before[old.clone()], tail]),
            new: owned([head, new, tail]),
            body,
            truth: [&before[..old.start], new, &before[old.end..]]
                .concat()
                .concat(),
        });
    }
    hunks
}

/// How often an edit stood where it belongs or was refused; one that stands elsewhere ends the test.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    right: usize,
    refused: usize,
    /// Refused ones that the `retry` of the right place mends.
    mended: usize,
    /// Refused ones with a `retry` or a place to choose.
    places: usize,
}

impl Score {
    fn total(&self) -> usize {
        self.right + self.refused
    }

    /// The figures, for people: what a long run is for.
    fn shown(&self, name: &str) -> String {
        let number = |part: usize| f64::from(u32::try_from(part).unwrap());
        let share = |part: usize| 100.0 * number(part) / number(self.total().max(1));
        format!(
            "{name}: {} hunks, {:.2} % right, {:.2} % refused, 0 wrong; mended by a retry: {} of {}",
            self.total(),
            share(self.right),
            share(self.refused),
            self.mended,
            self.places
        )
    }
}

fn diff(path: &str, stated: usize, hunk: &Hunk) -> String {
    let (old, new) = (hunk.old.len(), hunk.new.len());
    format!(
        "--- a/{path}\n+++ b/{path}\n@@ -{stated},{old} +{stated},{new} @@\n{}",
        hunk.body
    )
}

fn staged(files: &Memory, diff: &str) -> Result<Memory, Vec<Report>> {
    let imported = import(files, diff).unwrap_or_else(|error| panic!("{error}\n{diff}"));
    match stage_diff(files, &Rules::default(), imported) {
        Ok(outcome) => Ok(files.after(&outcome)),
        Err(StageError::Refused { reports, .. }) => Err(reports),
        Err(error) => panic!("{error}"),
    }
}

/// Counts an edit, and gives the reports of one that is refused. One that stands elsewhere ends the test.
fn score(
    score: &mut Score,
    name: &str,
    pair: &Pair,
    truth: &str,
    staged: Result<Memory, Vec<Report>>,
) -> Vec<Report> {
    match staged {
        Ok(after) => {
            let got = String::from_utf8_lossy(after.bytes(&pair.path)).into_owned();
            assert_eq!(
                got, truth,
                "{name}: an edit of `{}` stands elsewhere",
                pair.path
            );
            score.right += 1;
            Vec::new()
        }
        Err(reports) => {
            score.refused += 1;
            reports
        }
    }
}

#[test]
fn hunks_stand_where_they_belong_or_nowhere() {
    for context in [3, 2, 1] {
        let mut by_number = Score::default();
        let mut by_text = Score::default();
        let wanted = usize::try_from(cases(300, 50_000)).unwrap();
        pairs(|pair| {
            let files = Memory::file(&pair.path, pair.before.as_str());
            for hunk in hunks(&pair, context) {
                let stated = diff(&pair.path, hunk.start + 1, &hunk);
                let reports = score(
                    &mut by_number,
                    "stated",
                    &pair,
                    &hunk.truth,
                    staged(&files, &stated),
                );
                assert!(reports.is_empty(), "{:?}\n{stated}", reports[0].to_value());
                if hunk.old.is_empty() {
                    continue;
                }
                let lost = diff(&pair.path, 1_000_000, &hunk);
                score(
                    &mut by_text,
                    "unstated",
                    &pair,
                    &hunk.truth,
                    staged(&files, &lost),
                );
            }
            by_text.total() < wanted
        });
        eprintln!(
            "{}",
            by_number.shown(&format!("{context} lines of context, lines as stated"))
        );
        eprintln!(
            "{}",
            by_text.shown(&format!("{context} lines of context, no line stated"))
        );
        assert!(by_number.total() > 0 && by_text.total() > 0);
    }
}

/// What an agent does to the text that it quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Noise {
    None,
    TrailingBlanks,
    LostIndent,
    TabsForSpaces,
    FlippedLineEnds,
    LessContext,
    StaleContext,
    WantedState,
    CutTail,
    TypographicQuotes,
}

const NOISES: [Noise; 10] = [
    Noise::None,
    Noise::TrailingBlanks,
    Noise::LostIndent,
    Noise::TabsForSpaces,
    Noise::FlippedLineEnds,
    Noise::LessContext,
    Noise::StaleContext,
    Noise::WantedState,
    Noise::CutTail,
    Noise::TypographicQuotes,
];

/// The op with noise, where the hunk has something that the noise can change.
fn noisy(draw: &mut Draw, hunk: &Hunk, noise: Noise) -> Option<Value> {
    let both = |change: &dyn Fn(&str) -> String| {
        let side = |lines: &[String]| lines.iter().map(|line| change(line)).collect::<String>();
        (side(&hunk.old), side(&hunk.new))
    };
    let all = || {
        hunk.old
            .iter()
            .chain(&hunk.new)
            .filter(|line| !line.trim().is_empty())
    };
    let (find, replace) = match noise {
        Noise::None => both(&str::to_owned),
        Noise::TrailingBlanks => {
            let at = draw.below(hunk.old.len());
            let mut old = hunk.old.clone();
            old[at] = format!("{}  \n", old[at].trim_end());
            (old.concat(), hunk.new.concat())
        }
        Noise::LostIndent => {
            let blanks = |line: &String| line.len() - line.trim_start_matches(' ').len();
            let least = all().map(blanks).min()?;
            if least == 0 {
                return None;
            }
            both(&|line| line.get(least..).unwrap_or("\n").to_owned())
        }
        Noise::TabsForSpaces => {
            let is_even = |line: &String| {
                (line.len() - line.trim_start_matches(' ').len()).is_multiple_of(4)
                    && !line.trim_start_matches(' ').starts_with('\t')
            };
            if !all().all(is_even) || !hunk.old.iter().any(|line| line.starts_with("    ")) {
                return None;
            }
            both(&|line| {
                let rest = line.trim_start_matches(' ');
                "\t".repeat((line.len() - rest.len()) / 4) + rest
            })
        }
        Noise::FlippedLineEnds => {
            both(&|line| format!("{}\r\n", line.trim_end_matches(['\r', '\n'])))
        }
        Noise::LessContext => {
            let same = |(old, new): &(&String, &String)| old == new;
            let head = hunk.old.iter().zip(&hunk.new).take_while(same).count();
            let skipped = head.saturating_sub(1);
            (hunk.old[skipped..].concat(), hunk.new[skipped..].concat())
        }
        Noise::StaleContext => {
            let at = draw.below(hunk.old.len());
            let mut old = hunk.old.clone();
            old[at] = format!("{} stale\n", old[at].trim_end());
            (old.concat(), hunk.new.concat())
        }
        Noise::WantedState => (hunk.new.concat(), hunk.new.concat() + "// more\n"),
        Noise::CutTail => {
            let same = |(old, new): &(&String, &String)| old == new;
            let tail = hunk
                .old
                .iter()
                .rev()
                .zip(hunk.new.iter().rev())
                .take_while(same)
                .count();
            let cut = tail.saturating_sub(1);
            (
                hunk.old[..hunk.old.len() - cut].concat(),
                hunk.new[..hunk.new.len() - cut].concat(),
            )
        }
        Noise::TypographicQuotes => {
            if !hunk.old.iter().any(|line| line.contains('"'))
                || hunk.new.iter().any(|line| line.contains('\u{201c}'))
            {
                return None;
            }
            (
                hunk.old.concat().replace('"', "\u{201c}"),
                hunk.new.concat(),
            )
        }
    };
    if find.is_empty() || find == replace {
        return None;
    }
    let tier = if noise == Noise::TypographicQuotes {
        "punctuation"
    } else {
        "indent"
    };
    Some(json!({"op": "replace-text", "find": find, "replace": replace, "match": tier}))
}

/// Whether sending the `retry` of the right place gives the truth.
fn is_mended(report: &Report, pair: &Pair, files: &Memory, hunk: &Hunk) -> Option<bool> {
    let report = report.to_value();
    let lines = hunk.start + 1..=hunk.start + hunk.old.len();
    let places = report["matches"].as_array()?;
    let is_right = |place: &&Value| {
        place["line"]
            .as_u64()
            .is_some_and(|line| lines.contains(&usize::try_from(line).unwrap()))
    };
    let place = places.iter().find(is_right)?;
    let after = files.sent(&pair.path, &place["retry"]);
    Some(after.is_ok_and(|after| after.bytes(&pair.path) == hunk.truth.as_bytes()))
}

#[test]
fn quoted_hunks_with_noise_are_right_or_refused() {
    let wanted = usize::try_from(cases(100, 10_000)).unwrap();
    for noise in NOISES {
        let mut seen = Score::default();
        let mut draw = Draw::new(11);
        let mut tried = 0;
        pairs(|pair| {
            let files = Memory::file(&pair.path, pair.before.as_str());
            for hunk in hunks(&pair, 3) {
                tried += 1;
                let Some(op) = noisy(&mut draw, &hunk, noise) else {
                    continue;
                };
                let staged = files.sent(&pair.path, &op);
                if noise == Noise::WantedState {
                    // The state that is wanted does not stand there, or is a place of its own: it is never half applied.
                    seen.refused += usize::from(staged.is_err());
                    seen.right += usize::from(staged.is_ok());
                    continue;
                }
                let reports = score(&mut seen, &format!("{noise:?}"), &pair, &hunk.truth, staged);
                if let Some(report) = reports.first()
                    && let Some(mended) = is_mended(report, &pair, &files, &hunk)
                {
                    seen.places += 1;
                    seen.mended += usize::from(mended);
                }
            }
            seen.total() < wanted && tried < 20 * wanted
        });
        eprintln!("{}", seen.shown(&format!("{noise:?}")));
        assert!(seen.total() > 0, "{noise:?}");
        assert!(10 * seen.mended >= 9 * seen.places, "{noise:?}: {seen:?}");
    }
}
