//! Rows 15 to 36: what a child prints, however much and however broken.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use lonis::limits::{Bound, Limits};
use lonis::{Call, StdoutMapping, SubprocessTool, TextEncoding, Tool};
use misbehave::Handshake;
use serde_json::{Value, json};

use super::host::{
    AMPLE_MILLIS, Ends, MEMORY_MIB, WAYS, Way, case, output, own_status, patient, peak_memory_kib,
    tool,
};
use crate::program::{Place, misbehave};

const LIMIT: Duration = Duration::from_mins(1);

fn nothing() -> Call {
    Call::new(Value::Null)
}

fn invalid() -> Ends {
    Ends::with("invalid_output", 9)
}

fn breach() -> Ends {
    Ends::with("output_limit_exceeded", 7)
}

/// What the hostile program prints by itself.
fn printed(words: &[&str]) -> Vec<u8> {
    let mut command = std::process::Command::new(misbehave());
    command.args(words).stdin(std::process::Stdio::null());
    command.output().unwrap().stdout
}

/// Where this stands in what the hostile program prints, by the number of its occurrence.
fn place_of(words: &[&str], wanted: &str, occurrence: usize) -> u64 {
    let printed = printed(words);
    let text = String::from_utf8_lossy(&printed);
    let (place, _) = text.match_indices(wanted).nth(occurrence).unwrap();
    place as u64
}

/// The offset that a fixture announced.
fn announced_offset(handshake: &mut Handshake) -> u64 {
    let said = handshake.heard().iter();
    let offset = said
        .filter_map(|heard| heard.line.strip_prefix("offset "))
        .next_back();
    offset.unwrap().parse().unwrap()
}

#[test]
fn case_15_a_byte_that_is_not_utf8_is_never_taken_for_the_end() {
    case(MEMORY_MIB, |host| {
        let mut handshake = Handshake::new().unwrap();
        let bad = tool(&["bad-utf8", &handshake.argument()]);
        let ended = host.call(&bad, Way::Streamed, nothing(), invalid());
        assert_eq!(ended.blocks.len(), 1);
        assert_eq!(
            ended.details()["byte_offset"],
            announced_offset(&mut handshake)
        );
    });
}

#[test]
fn case_16_no_character_is_replaced_unless_that_was_chosen() {
    case(MEMORY_MIB, |host| {
        let mut handshake = Handshake::new().unwrap();
        let bad = tool(&["bad-utf8", &handshake.argument()]);
        let details = host
            .call(&bad, Way::Collected, nothing(), invalid())
            .details();
        let offset = announced_offset(&mut handshake);
        assert_eq!(
            (&details["byte_offset"], &details["blocks"]),
            (&json!(offset), &json!(1))
        );

        let text = bad.with_mapping(StdoutMapping::Text);
        for ended in host.both(&text, invalid()) {
            assert_eq!(ended.details()["byte_offset"], offset);
        }
        let printed = printed(&["bad-utf8"]);
        let encoded = BASE64.encode(&printed);
        let chosen = text.clone().with_encoding(TextEncoding::Base64);
        for ended in host.both(&chosen, Ends::well()) {
            assert_eq!(ended.outputs(), [json!({ "stdout_base64": encoded })]);
        }
        let lossy = String::from_utf8_lossy(&printed);
        assert!(lossy.contains('\u{fffd}'));
        for ended in host.both(&text.with_encoding(TextEncoding::Lossy), Ends::well()) {
            assert_eq!(ended.outputs(), [json!({ "stdout": lossy, "lossy": true })]);
        }
    });
}

#[test]
fn case_17_a_breach_is_the_last_item_whatever_the_exit_says() {
    const CAP: u64 = 1_600_000;
    case(MEMORY_MIB, |host| {
        let many = tool(&["blocks", "count=5400", "size=300"]).with_max_stdout_bytes(CAP);
        for _ in 0..20 {
            let ended = host.call(&many, Way::Streamed, nothing(), breach());
            let numbers: Vec<u64> = ended
                .outputs()
                .iter()
                .map(|output| output["number"].as_u64().unwrap())
                .collect();
            // A block is 300 bytes and its line end.
            assert_eq!(numbers, (0..CAP / 301).collect::<Vec<_>>());
        }
    });
}

#[test]
fn case_18_bytes_are_counted_before_a_value_is_complete() {
    case(16, |host| {
        host.call(
            &patient(&["flood"]),
            Way::Streamed,
            nothing(),
            breach().within(1_000),
        );
    });
}

#[test]
fn case_19_a_collected_flood_takes_no_more() {
    case(16, |host| {
        host.call(
            &patient(&["flood"]),
            Way::Collected,
            nothing(),
            breach().within(1_000),
        );
    });
}

#[test]
fn case_20_exactly_the_cap_is_allowed() {
    case(MEMORY_MIB, |host| {
        for (stream, bound) in [
            ("stdout", Bound::MaxStdoutBytes),
            ("stderr", Bound::MaxStderrBytes),
        ] {
            let limits = Limits::new().with(bound, 4_096).unwrap();
            let exact = |bytes: u64| {
                let words = [
                    "exact",
                    &format!("bytes={bytes}"),
                    &format!("stream={stream}"),
                ];
                tool(&words).with_limits(limits)
            };
            host.both(&exact(4_096), Ends::well());
            for ended in host.both(&exact(4_097), breach()) {
                assert_eq!(ended.details()["stream"], stream);
            }
        }
    });
}

#[test]
fn case_21_the_cap_of_stderr_holds_beside_good_output() {
    case(MEMORY_MIB, |host| {
        let noisy = tool(&["blocks", "stderr_bytes=6400000"]);
        for ended in host.both(&noisy, breach()) {
            let details = ended.details();
            assert_eq!(
                (&details["stream"], &details["limit_bytes"]),
                (&json!("stderr"), &json!(262_144))
            );
        }
    });
}

#[test]
fn case_22_over_the_cap_it_is_the_breach_and_under_it_the_failure() {
    case(MEMORY_MIB, |host| {
        host.both(&tool(&["noise", "bytes=6400000", "exit=3"]), breach());
        for ended in host.both(
            &tool(&["noise", "bytes=204800", "exit=3"]),
            Ends::with("tool_failed", 3),
        ) {
            let tail = ended.details()["stderr_tail"].as_str().unwrap().to_owned();
            assert!(
                tail.len() <= 16 << 10 && tail.ends_with("last line"),
                "{}",
                tail.len()
            );
            assert!(ended.error.unwrap().message().len() <= 4_096);
        }
    });
}

#[test]
fn case_23_half_a_line_and_silence_is_one_error() {
    case(MEMORY_MIB, |host| {
        for ended in host.both(
            &tool(&["half-line"]).with_timeout_millis(2_500),
            Ends::timeout(2_500),
        ) {
            let whole = String::from_utf8(printed(&["half-line", "millis=0"])).unwrap();
            assert!(whole.starts_with("{\"schema_version\""), "{whole}");
            assert_eq!(ended.details()["partial_output"], whole);
        }
    });
}

#[test]
fn case_24_a_banner_ends_decoding_unless_the_child_explains_itself() {
    case(MEMORY_MIB, |host| {
        for ended in host.both(&tool(&["banner"]), invalid()) {
            assert_eq!(
                (ended.blocks.len(), &ended.details()["byte_offset"]),
                (0, &json!(0))
            );
        }
        host.both(&patient(&["banner", "error=yes"]), Ends::with("teapot", 2));
    });
}

#[test]
fn case_25_whitespace_has_no_meaning_between_tokens() {
    case(MEMORY_MIB, |host| {
        for ended in host.both(&tool(&["blocks", "count=1", "form=pretty"]), Ends::well()) {
            assert_eq!(ended.blocks.len(), 1);
        }
    });
}

#[test]
fn case_26_elements_of_an_array_are_delivered_as_they_close() {
    case(MEMORY_MIB, |host| {
        let mut handshake = Handshake::new().unwrap();
        let argument = handshake.argument();
        let words = [
            "--mode",
            "json",
            "call",
            "misbehave.blocks,count=3,form=array,gated=yes",
        ];
        let gated = tool(&words).with_args([argument]);
        let numbers = host.does(Ends::well().within(10_000), || {
            let mut stream = gated.start(nothing())?;
            let mut numbers = Vec::new();
            for _ in 0..3 {
                handshake.open_gate("leader", LIMIT).unwrap();
                numbers.push(output(&stream.next().expect("a block")?)["number"].clone());
            }
            assert!(stream.next().is_none());
            Ok(numbers)
        });
        assert_eq!(numbers.unwrap(), [0, 1, 2]);

        let place = Place::new();
        place.link("bad", &misbehave());
        let inner = format!(
            "[providers.inner]\ncommand = '{}'\nenv = {{ LONIS_PROVIDER_PATH = '{}' }}\n",
            crate::program::lonis().display(),
            place.path("providers").display()
        );
        let outer = Place::new();
        outer.config(&inner);
        let words = [
            "--mode",
            "ndjson",
            "call",
            "misbehave:blocks",
            "null",
            "--stream",
        ];
        let run = host.program(&mut outer.command(&words), Ends::well().within(20_000));
        assert_eq!(run.stdout.lines().count(), 3, "{run:?}");
    });
}

#[test]
fn case_27_one_leading_mark_is_dropped_and_another_is_an_error() {
    case(MEMORY_MIB, |host| {
        for ended in host.both(&tool(&["malformed", "case=bom"]), Ends::well()) {
            assert_eq!(ended.blocks.len(), 1);
        }
        let words = ["malformed", "case=second-bom"];
        let place = place_of(&words, "\u{feff}", 0);
        for ended in host.both(&tool(&words), invalid()) {
            assert_eq!(ended.details()["byte_offset"], place);
            assert_eq!(ended.details()["blocks"], 1);
        }
    });
}

#[test]
fn case_28_all_whole_blocks_count() {
    // A collected call holds what it has collected; the bound of the stream is asserted beside it.
    case(1_024, |host| {
        for ended in host.both(&tool(&["blocks", "count=2", "form=crlf"]), Ends::well()) {
            assert_eq!(ended.blocks.len(), 2);
        }
        for (name, whole) in [("truncated-array", 2), ("truncated-line", 1)] {
            let words = ["malformed", &format!("case={name}")];
            for ended in host.both(&tool(&words), invalid()) {
                assert_eq!(ended.details()["blocks"], whole, "{name}");
                let error = ended.error.unwrap();
                let told = format!("truncated after {whole} block");
                assert!(error.message().contains(&told), "{error}");
            }
        }
        for ended in host.both(&tool(&["quiet", "millis=0"]), Ends::well()) {
            assert_eq!(ended.blocks.len(), 0);
        }
        host.both(&tool(&["exit", "code=5"]), Ends::with("tool_failed", 5));

        let many = tool(&["blocks", "count=100000"])
            .with_max_stdout_bytes(1 << 30)
            .with_timeout_millis(AMPLE_MILLIS);
        let idle = peak_memory_kib();
        host.takes(AMPLE_MILLIS, || {
            let mut count = 0;
            for item in many.start(nothing()).unwrap() {
                assert_eq!(output(&item.unwrap())["number"], count);
                count += 1;
            }
            assert_eq!(count, 100_000);
        });
        let grown = peak_memory_kib() - idle;
        assert!(grown <= MEMORY_MIB << 10, "the stream took {grown} KiB");
        let collected = host.takes(AMPLE_MILLIS, || many.invoke(Value::Null).unwrap());
        assert_eq!(collected.len(), 100_000);
        for (number, block) in collected.iter().enumerate() {
            assert_eq!(output(block)["number"], number);
        }
    });
}

#[test]
fn case_29_a_signal_is_a_fact_in_the_details() {
    case(MEMORY_MIB, |host| {
        for (signal, name, code) in [(9, "SIGKILL", 137), (11, "SIGSEGV", 139)] {
            let dying = tool(&["die", &format!("signal={signal}")]);
            for ended in host.both(&dying, Ends::with("tool_failed", code)) {
                assert_eq!(
                    ended.details(),
                    json!({"signal": signal, "signal_name": name})
                );
            }
        }
    });
}

#[test]
fn case_30_a_failure_is_never_a_success() {
    case(MEMORY_MIB, |host| {
        host.both(
            &tool(&["error", "exit_code=0", "exit=3"]),
            Ends::with("teapot", 3),
        );
        let place = Place::new();
        place.config(&format!(
            "[tools.\"t:zero\"]\ndescription = ''\ncommand = ['{}', 'error', 'exit_code=0']\n",
            misbehave().display()
        ));
        let words = ["--mode", "json", "call", "t:zero", "null"];
        host.program(&mut place.command(&words), Ends::with("teapot", 3));
        // Without a code of the child's there is the one of its host.
        let unsaid = lonis::ToolError::read(r#"{"kind":"teapot","message":"","exit_code":0}"#);
        assert_eq!(unsaid.unwrap().settle_exit_code(0).exit_code(), 6);
    });
}

#[test]
fn case_31_the_last_line_decides_and_the_rest_is_kept() {
    case(MEMORY_MIB, |host| {
        let words = ["error", "before=2", "exit=4", "exit_code=9"];
        for ended in host.both(&tool(&words), Ends::with("teapot", 9)) {
            assert_eq!(ended.details(), json!({"from": "misbehave"}));
            assert_eq!(ended.diagnostics, "log line 0 before\nlog line 1 before");
        }
        host.both(
            &tool(&["error", "after=1", "exit=4"]),
            Ends::with("tool_failed", 4),
        );
    });
}

#[test]
fn case_32_an_error_beside_success_is_a_note_and_a_failure_keeps_its_blocks() {
    case(MEMORY_MIB, |host| {
        for ended in host.both(&tool(&["error", "exit=0", "blocks=1"]), Ends::well()) {
            assert_eq!(
                (ended.blocks.len(), ended.notes.len()),
                (1, 1),
                "{:?}",
                ended.notes
            );
        }
        let failing = tool(&["blocks", "count=2", "exit=5"]);
        let [collected, streamed] = host.both(&failing, Ends::with("tool_failed", 5));
        assert_eq!(collected.details()["blocks"], 2);
        let partial = serde_json::to_value(&streamed.blocks).unwrap();
        assert_eq!(collected.details()["partial_blocks"], partial);
    });
}

#[test]
fn case_33_what_was_delivered_is_written_before_the_error() {
    case(MEMORY_MIB, |host| {
        let place = Place::new();
        place.link("bad", &misbehave());
        let words = [
            "--mode",
            "json",
            "call",
            "misbehave:blocks,count=3,exit=5",
            "null",
            "--stream",
        ];
        let run = host.program(
            &mut place.command(&named(&place, &words)),
            Ends::with("tool_failed", 5),
        );
        assert_eq!(run.json().as_array().unwrap().len(), 3);
    });
}

/// Declares the tool that the third word names, with its options as arguments.
fn named<'a>(place: &Place, words: &[&'a str]) -> Vec<&'a str> {
    let options = words[3]
        .strip_prefix("misbehave:")
        .unwrap()
        .replace(',', "', '");
    place.config(&format!(
        "[tools.\"t:named\"]\ndescription = ''\nmapping = 'blocks'\ncommand = ['{}', '{options}']\n",
        misbehave().display()
    ));
    let mut words = words.to_vec();
    words[3] = "t:named";
    words
}

#[test]
fn case_34_nesting_is_counted_and_never_exhausts_the_stack() {
    case(MEMORY_MIB, |host| {
        host.both(&tool(&["deep", "depth=127"]), Ends::well());
        for depth in ["depth=128", "depth=100000"] {
            for ended in host.both(&tool(&["deep", depth]), invalid()) {
                assert!(ended.error.unwrap().message().contains("127"), "{depth}");
            }
        }
    });
}

#[test]
fn case_35_a_key_twice_is_refused_at_every_depth() {
    case(MEMORY_MIB, |host| {
        for (name, key, spelled, occurrence) in [
            ("duplicate-kind", "`kind`", "\"kind\"", 1),
            ("duplicate-deep", "`b`", "\"b\"", 1),
            ("duplicate-escaped", "`a`", "\"\\u0061\"", 0),
        ] {
            let words = ["malformed", &format!("case={name}")];
            let place = place_of(&words, spelled, occurrence);
            for ended in host.both(&tool(&words), invalid()) {
                assert_eq!(ended.details()["byte_offset"], place, "{name}");
                assert!(ended.error.unwrap().message().contains(key), "{name}");
            }
        }
    });
}

#[test]
fn case_36_the_host_waits_on_events() {
    case(MEMORY_MIB, |host| {
        for _ in 0..40 {
            host.call(
                &tool(&["exit", "code=0"]),
                Way::Collected,
                nothing(),
                Ends::well(),
            );
        }
        for way in WAYS {
            let (cpu_before, switches) = spent();
            host.call(&quiet(), way, nothing(), Ends::well());
            let (cpu_after, switches_after) = spent();
            let cpu = cpu_after.saturating_sub(cpu_before);
            assert!(cpu <= Duration::from_millis(50), "{way:?}: {cpu:?}");
            assert!(switches_after - switches < 50, "{way:?}");
        }
    });
}

fn quiet() -> SubprocessTool {
    tool(&["quiet", "millis=3000"])
}

/// The processor time of this process, and how often this thread gave its processor up.
fn spent() -> (Duration, u64) {
    let spent = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    let nanos = spent.split_whitespace().next().unwrap().parse().unwrap();
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let switches = status
        .lines()
        .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    assert!(own_status("Threads:") > 0);
    (
        Duration::from_nanos(nanos),
        switches.unwrap().trim().parse().unwrap(),
    )
}
