//! The tables of a run, or its lines of JSON.

use serde_json::{Value, json};

use crate::case::{Case, Claim, ClaimKind};
use crate::statistics::{Ratio, Series};

/// What is said about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Holds,
    Misses,
    Unclear,
}

impl Verdict {
    const fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Misses => "misses",
            Self::Unclear => "unclear",
        }
    }
}

/// A figure that is no time of a case: a peak of memory, a count of threads.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    pub(crate) at_most: Option<f64>,
}

/// All that a group gave.
#[derive(Debug)]
pub(crate) struct Results<'a> {
    pub(crate) group: &'a str,
    pub(crate) cases: &'a [Case],
    pub(crate) series: &'a [Series],
    pub(crate) facts: Vec<Fact>,
    /// Peers that are not installed.
    pub(crate) absent: Vec<String>,
    /// The larger of the loads before and after.
    pub(crate) load: f64,
    pub(crate) cores: usize,
}

/// One line of a table: a case and one of its claims.
struct Line<'a> {
    case: &'a Case,
    series: &'a Series,
    /// The ratio with the sign of its claim, the text of the target, and whether both ratios keep it.
    ratio: Option<Ratio>,
    target: String,
    verdict: Option<Verdict>,
}

impl Results<'_> {
    /// Prints a table and returns the claims that do not hold.
    pub(crate) fn print(&self, as_json: bool) -> usize {
        let lines: Vec<Line<'_>> = self
            .cases
            .iter()
            .zip(self.series)
            .flat_map(|(case, series)| self.lines(case, series))
            .collect();
        let facts: Vec<(&Fact, Option<Verdict>)> =
            self.facts.iter().map(|fact| (fact, judged(fact))).collect();
        if as_json {
            self.print_json(&lines);
            for (fact, verdict) in &facts {
                println!(
                    "{}",
                    json!({"group": self.group, "fact": fact.name, "value": fact.value, "unit": fact.unit,
                        "at_most": fact.at_most, "verdict": verdict.map(Verdict::word)})
                );
            }
        } else {
            self.print_table(&lines, &facts);
        }
        let verdicts = lines.iter().map(|line| line.verdict);
        let verdicts = verdicts.chain(facts.iter().map(|(_, verdict)| *verdict));
        verdicts
            .filter(|verdict| *verdict == Some(Verdict::Misses))
            .count()
    }

    fn lines<'a>(&'a self, case: &'a Case, series: &'a Series) -> Vec<Line<'a>> {
        let plain = Line {
            case,
            series,
            ratio: None,
            target: String::new(),
            verdict: None,
        };
        if case.claims.is_empty() {
            return vec![plain];
        }
        case.claims
            .iter()
            .map(|claim| self.line(case, series, claim))
            .collect()
    }

    fn line<'a>(&'a self, case: &'a Case, series: &'a Series, claim: &Claim) -> Line<'a> {
        let reach = claim
            .reach
            .map_or(String::new(), |reach| format!(", reach {reach}"));
        let bound = |sign: &str| {
            claim
                .bound
                .map_or(String::new(), |bound| format!("{sign} {bound}{reach} "))
        };
        let (ratio, target, is_kept, is_steady) = match &claim.kind {
            ClaimKind::TimeOver(peer) | ClaimKind::RateOver(peer) => {
                let Some(other) = self.series_of(peer) else {
                    return Line {
                        case,
                        series,
                        ratio: None,
                        target: format!("{peer}: absent"),
                        verdict: None,
                    };
                };
                let steady = series.is_steady() && other.is_steady();
                if matches!(claim.kind, ClaimKind::TimeOver(_)) {
                    let ratio = series.over(other);
                    let kept = claim
                        .bound
                        .map(|bound| (ratio.median <= bound, ratio.p10 <= bound));
                    (ratio, format!("{}× {peer}", bound("≤")), kept, steady)
                } else {
                    let ratio = other.over(series);
                    let kept = claim
                        .bound
                        .map(|bound| (ratio.median >= bound, ratio.p10 >= bound));
                    (
                        ratio,
                        format!("{}× rate of {peer}", bound("≥")),
                        kept,
                        steady,
                    )
                }
            }
            ClaimKind::LargeOverSmall => {
                let small = case
                    .name
                    .strip_suffix(crate::groups::LARGE)
                    .unwrap_or_default();
                let Some(other) = self.series_of(small) else {
                    return Line {
                        case,
                        series,
                        ratio: None,
                        target: String::new(),
                        verdict: None,
                    };
                };
                let ratio = series.over(other);
                let kept = claim
                    .bound
                    .map(|bound| (ratio.median <= bound, ratio.p10 <= bound));
                let steady = series.is_steady() && other.is_steady();
                (ratio, format!("{}× small host", bound("≤")), kept, steady)
            }
            ClaimKind::Micros => {
                let ratio = Ratio {
                    median: series.median() / 1e3,
                    p10: series.p10() / 1e3,
                };
                let kept = claim
                    .bound
                    .map(|bound| (ratio.median <= bound, ratio.p10 <= bound));
                (ratio, format!("{}µs", bound("≤")), kept, series.is_steady())
            }
        };
        let verdict = is_kept.map(|kept| self.verdict(kept, is_steady));
        Line {
            case,
            series,
            ratio: Some(ratio),
            target,
            verdict,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a few cores")]
    fn verdict(&self, kept: (bool, bool), is_steady: bool) -> Verdict {
        if !is_steady || self.load > self.cores as f64 {
            return Verdict::Unclear;
        }
        match kept {
            (true, true) => Verdict::Holds,
            (false, false) => Verdict::Misses,
            _ => Verdict::Unclear,
        }
    }

    fn series_of(&self, name: &str) -> Option<&Series> {
        let place = self.cases.iter().position(|case| case.name == name)?;
        self.series.get(place).filter(|series| !series.is_empty())
    }

    fn print_table(&self, lines: &[Line<'_>], facts: &[(&Fact, Option<Verdict>)]) {
        println!(
            "\n{}  (load {:.1} on {} cores)",
            self.group, self.load, self.cores
        );
        println!(
            "  {:<44} {:>16}  {:<36} {:<8} {:>22}",
            "case", "ratio (p10)", "target", "verdict", "time (p10)"
        );
        let mut last = "";
        for line in lines {
            let name = if last == line.case.name {
                ""
            } else {
                &line.case.name
            };
            last = &line.case.name;
            let ratio = line.ratio.map_or(String::new(), |ratio| {
                format!("{} ({})", short(ratio.median), short(ratio.p10))
            });
            let time = if name.is_empty() {
                String::new()
            } else {
                format!(
                    "{} ({})",
                    time(line.series.median()),
                    time(line.series.p10())
                )
            };
            let verdict = line.verdict.map_or("", Verdict::word);
            println!(
                "  {name:<44} {ratio:>16}  {:<36} {verdict:<8} {time:>22}",
                line.target
            );
        }
        for (fact, verdict) in facts {
            let target = fact.at_most.map_or(String::new(), |bound| {
                format!("≤ {} {}", short(bound), fact.unit)
            });
            let value = format!("{} {}", short(fact.value), fact.unit);
            println!(
                "  {:<44} {value:>16}  {target:<36} {:<8}",
                fact.name,
                verdict.map_or("", Verdict::word)
            );
        }
        for name in &self.absent {
            println!("  {name:<44} {:>16}", "absent");
        }
    }

    /// Prints one line for each case, with all its claims, and one for each peer that is absent.
    fn print_json(&self, lines: &[Line<'_>]) {
        for claims in lines.chunk_by(|one, next| one.case.name == next.case.name) {
            let line = &claims[0];
            let claims = claims.iter().filter(|claim| !claim.target.is_empty());
            let claims: Vec<Value> = claims
                .map(|claim| {
                    json!({
                        "target": claim.target,
                        "ratio": claim.ratio.map(|ratio| ratio.median),
                        "ratio_p10": claim.ratio.map(|ratio| ratio.p10),
                        "verdict": claim.verdict.map(Verdict::word),
                    })
                })
                .collect();
            println!(
                "{}",
                json!({
                    "group": self.group,
                    "case": line.case.name,
                    "claims": claims,
                    "rounds": line.series.len(),
                    "median_nanos": line.series.median(),
                    "p10_nanos": line.series.p10(),
                    "p90_nanos": line.series.p90(),
                    "p99_nanos": line.series.p99(),
                    "spread": line.series.spread(),
                    "load": self.load,
                    "cores": self.cores,
                })
            );
        }
        for name in &self.absent {
            println!(
                "{}",
                json!({"group": self.group, "case": name, "absent": true})
            );
        }
    }
}

fn judged(fact: &Fact) -> Option<Verdict> {
    fact.at_most.map(|bound| {
        if fact.value <= bound {
            Verdict::Holds
        } else {
            Verdict::Misses
        }
    })
}

/// Three digits that count.
fn short(value: f64) -> String {
    if value.abs() >= 100.0 {
        format!("{value:.0}")
    } else if value.abs() >= 10.0 {
        format!("{value:.1}")
    } else if value.abs() >= 0.1 {
        format!("{value:.2}")
    } else {
        format!("{value:.3}")
    }
}

fn time(nanos: f64) -> String {
    if nanos >= 1e9 {
        format!("{} s", short(nanos / 1e9))
    } else if nanos >= 1e6 {
        format!("{} ms", short(nanos / 1e6))
    } else if nanos >= 1e3 {
        format!("{} µs", short(nanos / 1e3))
    } else {
        format!("{} ns", short(nanos))
    }
}
