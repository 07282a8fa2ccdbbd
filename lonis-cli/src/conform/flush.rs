//! Whether blocks are written when they are made, judged from when they came and when they say they were made.

use std::time::{Duration, SystemTime};

use lonis::SeedBlock;

use crate::counted::counted;

use super::report::Verdict;
use super::target::Arrival;

/// Time between the first and the last block below which nothing can be told.
const SHORTEST_SPAN: Duration = Duration::from_millis(50);

/// Size that runtimes gather output to, or a divisor of it.
const BUFFER_BYTES: usize = 4_096;

/// A read of this size was ended by the reader's buffer, not by the writer.
const LARGEST_READ: usize = 65_536;

pub(crate) fn judge(stdout: &[u8], arrivals: &[Arrival], blocks: &[SeedBlock]) -> Verdict {
    if blocks.len() < 2 {
        return Verdict::NotTested(format!(
            "{} cannot show it; give an input that makes more",
            counted(blocks.len(), "block")
        ));
    }
    if let Some(end) = cut_by_a_buffer(stdout, arrivals) {
        return Verdict::FallsShort(format!(
            "the first {end} bytes came together and end inside a line"
        ));
    }
    let made: Option<Vec<SystemTime>> = blocks.iter().map(stamp).collect();
    let Some((first, last)) = made.and_then(|made| Some((*made.first()?, *made.last()?))) else {
        return Verdict::NotTested("the stamps cannot be read".to_owned());
    };
    match last.duration_since(first) {
        Ok(span) if span >= SHORTEST_SPAN => {}
        _ => {
            return Verdict::NotTested(format!(
                "all blocks were made within {} ms",
                SHORTEST_SPAN.as_millis()
            ));
        }
    }
    match first_line_came(stdout, arrivals) {
        Some(came) if came < last => Verdict::Holds,
        _ => Verdict::FallsShort("the first block came after the last was made".to_owned()),
    }
}

/// Where a piece ends inside a line that a single write would have carried whole.
fn cut_by_a_buffer(stdout: &[u8], arrivals: &[Arrival]) -> Option<usize> {
    let mut start = 0;
    for arrival in arrivals {
        let length = arrival.end - start;
        start = arrival.end;
        let line_start = stdout[..arrival.end]
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |newline| newline + 1);
        let line_end = stdout[arrival.end..]
            .iter()
            .position(|&byte| byte == b'\n')
            .map(|newline| arrival.end + newline);
        let is_inside =
            line_start < arrival.end && line_end.is_some_and(|end| end - line_start < BUFFER_BYTES);
        if is_inside && arrival.end.is_multiple_of(BUFFER_BYTES) && length < LARGEST_READ {
            return Some(arrival.end);
        }
    }
    None
}

fn first_line_came(stdout: &[u8], arrivals: &[Arrival]) -> Option<SystemTime> {
    let end = stdout.iter().position(|&byte| byte == b'\n')?;
    arrivals
        .iter()
        .find(|arrival| arrival.end > end)
        .map(|arrival| arrival.at)
}

fn stamp(block: &SeedBlock) -> Option<SystemTime> {
    let when: jiff::Timestamp = block.attribution().provenance.when.as_str().parse().ok()?;
    let since_epoch = u64::try_from(when.as_nanosecond()).ok()?;
    Some(SystemTime::UNIX_EPOCH + Duration::from_nanos(since_epoch))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(millis: u64) -> String {
        format!(
            "{{\"schema_version\":\"lonis.block/v1\",\"attribution\":{{\"identity\":\"a:b\",\"provenance\":{{\"when\":\
             \"1970-01-01T00:00:00.{millis:03}Z\",\"producer\":\"p\"}}}},\"payload\":{{\"kind\":\"a.b\",\"data\":1}}}}\n"
        )
    }

    /// Judges blocks made at these times, whose lines came at those; equal times came as one piece.
    fn judged(made: &[u64], came: &[u64]) -> Verdict {
        let mut stdout = String::new();
        let mut arrivals: Vec<Arrival> = Vec::new();
        for (made, came) in made.iter().zip(came) {
            stdout.push_str(&block(*made));
            let at = SystemTime::UNIX_EPOCH + Duration::from_millis(*came);
            match arrivals.last_mut() {
                Some(last) if last.at == at => last.end = stdout.len(),
                _ => arrivals.push(Arrival {
                    end: stdout.len(),
                    at,
                }),
            }
        }
        let blocks: Vec<SeedBlock> = stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        judge(stdout.as_bytes(), &arrivals, &blocks)
    }

    #[test]
    fn blocks_that_came_before_the_last_was_made_were_flushed() {
        assert_eq!(judged(&[0, 50], &[1, 51]), Verdict::Holds);
        assert!(matches!(
            judged(&[0, 50], &[51, 51]),
            Verdict::FallsShort(_)
        ));
        assert!(matches!(judged(&[0, 5], &[6, 6]), Verdict::NotTested(_)));
        assert!(matches!(judged(&[0], &[1]), Verdict::NotTested(_)));
    }

    #[test]
    fn a_piece_that_ends_inside_a_line_shows_a_buffer() {
        let line = block(0);
        let stdout = line.repeat(60);
        let blocks: Vec<SeedBlock> = stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let at = SystemTime::UNIX_EPOCH;
        let verdict = |ends: &[usize]| {
            let arrivals: Vec<Arrival> = ends.iter().map(|&end| Arrival { end, at }).collect();
            judge(stdout.as_bytes(), &arrivals, &blocks)
        };
        assert!(matches!(
            verdict(&[8_192, stdout.len()]),
            Verdict::FallsShort(_)
        ));
        assert!(matches!(
            verdict(&[line.len() * 30, stdout.len()]),
            Verdict::NotTested(_)
        ));
    }
}
