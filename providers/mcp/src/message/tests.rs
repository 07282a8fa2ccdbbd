use serde_json::json;

use super::*;

fn text(id: &str) -> RequestId {
    RequestId::Text(id.to_owned())
}

fn number(id: i64) -> RequestId {
    RequestId::Number(id.into())
}

#[test]
fn lines_are_requests_notifications_and_answers() {
    let request = |id, params: Option<Value>| Message::Request {
        id,
        method: "ping".into(),
        params: params.map(Json::from),
    };
    for (line, expected) in [
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            request(number(1), None),
        ),
        (
            r#"{"jsonrpc":"2.0","id":"1","method":"ping"}"#,
            request(text("1"), None),
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":-7,\"method\":\"ping\",\"params\":{\"a\":1}}\r",
            request(number(-7), Some(json!({"a": 1}))),
        ),
        (
            r#"{"jsonrpc":"2.0","method":"ping","more":[]}"#,
            Message::Notification {
                method: "ping".into(),
                params: None,
            },
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"result":{}}"#,
            Message::Answer {
                id: number(4),
                result: Ok(json!({}).into()),
            },
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"error":{"code":1}}"#,
            Message::Answer {
                id: number(4),
                result: Err(json!({"code": 1}).into()),
            },
        ),
    ] {
        assert_eq!(Message::read(line.as_bytes()), Ok(expected), "{line}");
    }
}

#[test]
fn digits_of_parameters_are_kept() {
    let line =
        br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":12345678901234567890123,"d":1.50}}"#;
    let Ok(Message::Request { params, .. }) = Message::read(line) else {
        panic!("it is a request");
    };
    let params = params.expect("they are there");
    assert_eq!(params.text(), r#"{"n":12345678901234567890123,"d":1.50}"#);
}

#[test]
fn what_is_no_message_says_why() {
    use McpCode::{Batch, Parse, Request, RequestId as Id, Utf8};
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":"{}","method":"x"}}"#,
        "i".repeat(257)
    );
    for (line, code, id) in [
        (&b"nonsense"[..], Parse, None),
        (b"", Parse, None),
        (br#"{"id":1,"id":2}"#, Parse, None),
        (b"{\"a\":\"\xff\"}", Utf8, None),
        (b"[]", Batch, None),
        (b"7", Request, None),
        (br#"{"id":1,"method":"x"}"#, Request, Some(number(1))),
        (
            br#"{"jsonrpc":"1.0","id":"a","method":"x"}"#,
            Request,
            Some(text("a")),
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            Request,
            Some(number(1)),
        ),
        (br#"{"jsonrpc":"2.0","id":1}"#, Request, Some(number(1))),
        (br#"{"jsonrpc":"2.0"}"#, Request, None),
        (
            br#"{"jsonrpc":"2.0","id":1,"result":1,"error":2}"#,
            Request,
            Some(number(1)),
        ),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#, Id, None),
        (br#"{"jsonrpc":"2.0","id":"","method":"x"}"#, Id, None),
        (br#"{"jsonrpc":"2.0","id":null,"method":"x"}"#, Id, None),
        (br#"{"jsonrpc":"2.0","id":true,"method":"x"}"#, Id, None),
        (long.as_bytes(), Id, None),
    ] {
        let shown = String::from_utf8_lossy(line);
        let unreadable = Message::read(line).expect_err(&shown);
        assert_eq!(
            (unreadable.refusal.code(), unreadable.id),
            (code, id),
            "{shown}"
        );
    }
}

#[test]
fn the_id_of_a_line_that_is_too_long_is_found_where_it_can_be() {
    for (front, expected) in [
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"aaa"#,
            Some(number(7)),
        ),
        (
            r#" { "params" : {"id":1} , "id" : "k" ,"x":"#,
            Some(text("k")),
        ),
        (r#"{"params":{"id":1,"t":"aaaaa"#, None),
        (r#"{"id":12"#, None),
        (r#"["id",1]"#, None),
        ("aaaa", None),
    ] {
        assert_eq!(id_in_front(front.as_bytes()), expected, "{front}");
    }
}
