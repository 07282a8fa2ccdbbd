//! A derived payload is `{"kind", "data"}` on the wire, exactly, and comes back as it was.

use std::collections::BTreeMap;

use lonis::{Attribution, Block, BlockKind, BlockPayload, SeedBlock};
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, BlockPayload)]
#[lonis_payload(namespace = "acme.kv")]
enum Acme {
    Search {
        query: String,
        limit: Option<u32>,
    },
    HTTPServer {
        r#type: String,
        children: Vec<Self>,
    },
    #[lonis_payload(kind = "sub.done")]
    Ready,
}

#[derive(Debug, Clone, PartialEq, BlockPayload)]
#[lonis_payload(render_fn = "Self::text")]
enum Fields {
    All {
        #[serde(rename = "name", alias = "label", alias = "title")]
        called: String,
        #[serde(default)]
        count: u64,
        #[serde(default = "Self::seven", skip_serializing_if = "is_seven")]
        seven: u8,
        #[serde(skip)]
        cached: Option<Vec<u8>>,
        #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
        tags: BTreeMap<String, Vec<Self>>,
        #[serde(with = "spelled")]
        yes: bool,
        #[serde(
            serialize_with = "spelled::serialize",
            deserialize_with = "spelled::deserialize"
        )]
        no: bool,
    },
    Hidden {
        #[serde(skip)]
        mark: &'static str,
    },
}

impl Fields {
    fn seven() -> u8 {
        7
    }

    fn text(&self) -> String {
        format!("fields of {}", self.kind_name())
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks with a reference"
)]
fn is_seven(number: &u8) -> bool {
    *number == 7
}

mod spelled {
    use serde::{Deserialize, Deserializer, Serializer};

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks with a reference"
    )]
    pub(super) fn serialize<S: Serializer>(value: &bool, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(if *value { "yes" } else { "no" })
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<bool, D::Error> {
        Ok(String::deserialize(deserializer)? == "yes")
    }
}

fn all() -> Fields {
    Fields::All {
        called: "x".to_owned(),
        count: 2,
        seven: 7,
        cached: None,
        tags: BTreeMap::new(),
        yes: true,
        no: false,
    }
}

#[test]
fn each_variant_has_its_text_and_comes_back() {
    let search = Acme::Search {
        query: "sheaf".to_owned(),
        limit: None,
    };
    let server = Acme::HTTPServer {
        r#type: "tls".to_owned(),
        children: vec![Acme::Ready],
    };
    let cases = [
        (
            search,
            r#"{"kind":"acme.kv.search","data":{"query":"sheaf","limit":null}}"#,
        ),
        (
            server,
            concat!(
                r#"{"kind":"acme.kv.http_server","data":{"type":"tls","children":"#,
                r#"[{"kind":"acme.kv.sub.done","data":null}]}}"#
            ),
        ),
        (Acme::Ready, r#"{"kind":"acme.kv.sub.done","data":null}"#),
    ];
    for (payload, text) in cases {
        assert_eq!(serde_json::to_string(&payload).unwrap(), text);
        assert_eq!(serde_json::from_str::<Acme>(text).unwrap(), payload);
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(value["kind"], payload.kind_name());
        assert_eq!(serde_json::from_value::<Acme>(value).unwrap(), payload);
    }
}

#[test]
fn the_kind_gives_the_schema_and_the_text_for_people() {
    let search = Acme::Search {
        query: "a\nb".to_owned(),
        limit: Some(3),
    };
    assert_eq!(search.schema_id(), "lonis.block/acme.kv.search/v1");
    assert_eq!(
        search.render_human(),
        r#"acme.kv.search: Search { query: "a\nb", limit: Some(3) }"#
    );
    assert_eq!(Acme::Ready.render_human(), "acme.kv.sub.done: Ready");
    assert_eq!(all().render_human(), "fields of all");
}

#[test]
fn data_may_stand_before_the_kind() {
    let text = r#" { "data" : {"limit":1,"query":"q"}, "kind" : "acme.kv.search" } "#;
    let expected = Acme::Search {
        query: "q".to_owned(),
        limit: Some(1),
    };
    assert_eq!(serde_json::from_str::<Acme>(text).unwrap(), expected);
    let text = r#"{"data":null,"kind":"acme.kv.sub.done"}"#;
    assert_eq!(serde_json::from_str::<Acme>(text).unwrap(), Acme::Ready);
}

#[test]
fn what_is_not_exactly_the_shape_is_refused() {
    let search = "acme.kv.search";
    let done = "acme.kv.sub.done";
    let cases = [
        // The pair.
        (
            format!(r#"["{search}",{{"query":"q"}}]"#),
            "invalid type: sequence",
        ),
        (format!(r#"{{"kind":"{search}"}}"#), "missing field `data`"),
        (r#"{"data":null}"#.to_owned(), "missing field `kind`"),
        (format!(r#"{{"kind":"{done}"}}"#), "missing field `data`"),
        (
            format!(r#"{{"kind":"{done}","data":null,"more":1}}"#),
            "unknown field `more`",
        ),
        (
            format!(r#"{{"kind":"{done}","kind":"{done}","data":null}}"#),
            "duplicate field `kind`",
        ),
        (
            format!(r#"{{"kind":"{done}","data":null,"data":null}}"#),
            "duplicate field `data`",
        ),
        (
            format!(r#"{{"data":null,"data":null,"kind":"{done}"}}"#),
            "duplicate field `data`",
        ),
        (
            r#"{"kind":7,"data":null}"#.to_owned(),
            "invalid type: integer `7`",
        ),
        // The kind.
        (
            r#"{"kind":"search","data":{"query":"q"}}"#.to_owned(),
            "unknown kind `search`",
        ),
        (
            r#"{"kind":"Acme.kv.search","data":{"query":"q"}}"#.to_owned(),
            "unknown kind",
        ),
        (
            r#"{"data":1,"kind":"message"}"#.to_owned(),
            "expected one of `acme.kv.search`, `acme.kv.http_server`, `acme.kv.sub.done`",
        ),
        // The data of a unit variant.
        (
            format!(r#"{{"kind":"{done}","data":{{}}}}"#),
            "expected `null`",
        ),
        (
            format!(r#"{{"kind":"{done}","data":[]}}"#),
            "expected `null`",
        ),
        (
            format!(r#"{{"data":false,"kind":"{done}"}}"#),
            "expected `null`",
        ),
        // The data of a struct variant.
        (
            format!(r#"{{"kind":"{search}","data":["q",1]}}"#),
            "expected the data of `acme.kv.search`, an object",
        ),
        (
            format!(r#"{{"data":["q",1],"kind":"{search}"}}"#),
            "expected the data of `acme.kv.search`, an object",
        ),
        (format!(r#"{{"kind":"{search}","data":null}}"#), "an object"),
        (
            format!(r#"{{"kind":"{search}","data":{{}}}}"#),
            "missing field `query`",
        ),
        (
            format!(r#"{{"kind":"{search}","data":{{"query":"q","size":1}}}}"#),
            "unknown field `size`, expected `query` or `limit`",
        ),
        (
            format!(r#"{{"kind":"{search}","data":{{"query":"q","query":"q"}}}}"#),
            "duplicate field `query`",
        ),
        (
            format!(r#"{{"data":{{"query":"q","query":"q"}},"kind":"{search}"}}"#),
            "duplicate",
        ),
        (
            format!(r#"{{"kind":"{search}","data":{{"query":1}}}}"#),
            "invalid type: integer `1`",
        ),
    ];
    for (text, expected) in cases {
        let error = serde_json::from_str::<Acme>(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
        block(&text).unwrap_err();
    }
}

#[test]
fn attributes_of_fields_mean_what_serde_says() {
    let text = r#"{"kind":"all","data":{"name":"x","count":2,"yes":"yes","no":"no"}}"#;
    assert_eq!(serde_json::to_string(&all()).unwrap(), text);
    assert_eq!(serde_json::from_str::<Fields>(text).unwrap(), all());

    for key in ["label", "title"] {
        let text = text.replace("name", key).replace(r#""count":2,"#, "");
        let read: Fields = serde_json::from_str(&text).unwrap();
        let Fields::All {
            called,
            count,
            seven,
            ..
        } = read
        else {
            panic!("{read:?}");
        };
        assert_eq!((called.as_str(), count, seven), ("x", 0, 7));
    }

    let nested = Fields::All {
        called: "y".to_owned(),
        count: 0,
        seven: 8,
        cached: Some(vec![1]),
        tags: BTreeMap::from([("t".to_owned(), vec![all()])]),
        yes: false,
        no: true,
    };
    let written = serde_json::to_value(&nested).unwrap();
    assert_eq!(
        written["data"],
        json!({
            "name": "y", "count": 0, "seven": 8, "yes": "no", "no": "yes",
            "tags": {"t": [serde_json::from_str::<Value>(text).unwrap()]},
        })
    );
    let read: Fields = serde_json::from_value(written).unwrap();
    assert!(matches!(
        read,
        Fields::All {
            cached: None,
            seven: 8,
            ..
        }
    ));
}

#[test]
fn a_skipped_field_is_neither_written_nor_read() {
    let text = r#"{"kind":"hidden","data":{}}"#;
    let hidden = Fields::Hidden { mark: "" };
    assert_eq!(serde_json::to_string(&hidden).unwrap(), text);
    assert_eq!(serde_json::from_str::<Fields>(text).unwrap(), hidden);
    let text = r#"{"kind":"hidden","data":{"mark":""}}"#;
    let error = serde_json::from_str::<Fields>(text).unwrap_err();
    assert!(
        error.to_string().contains("unknown field `mark`"),
        "{error}"
    );
}

#[test]
fn both_spellings_of_one_member_are_one_too_many() {
    let text = r#"{"kind":"all","data":{"name":"x","label":"x","yes":"yes","no":"no"}}"#;
    let error = serde_json::from_str::<Fields>(text).unwrap_err();
    assert!(
        error.to_string().contains("duplicate field `name`"),
        "{error}"
    );
}

#[test]
fn a_block_of_it_round_trips_and_crosses_the_open_seam() {
    let payload = Acme::Search {
        query: "sheaf".to_owned(),
        limit: Some(2),
    };
    let sent = Block::new(Attribution::new("acme:kv:get", "acme"), payload);
    let text = serde_json::to_string(&sent).unwrap();
    let received: Block<Acme> = serde_json::from_str(&text).unwrap();
    assert_eq!(received, sent);
    assert_eq!(received.schema_id(), "lonis.block/acme.kv.search/v1");

    // A host that does not know the vertical carries it as it is.
    let hosted: SeedBlock = serde_json::from_str(&text).unwrap();
    assert!(
        matches!(hosted.payload(), BlockKind::Extension { kind, .. } if kind == "acme.kv.search")
    );
    assert_eq!(serde_json::to_string(&hosted).unwrap(), text);

    // A vertical is closed: it takes no block of another.
    let foreign = text.replace("acme.kv.search", "message");
    serde_json::from_str::<Block<Acme>>(&foreign).unwrap_err();
}

#[test]
fn a_number_that_json_cannot_hold_is_an_error_and_not_null() {
    #[derive(Debug, BlockPayload)]
    #[lonis_payload(namespace = "acme")]
    enum Measured {
        Ratio { ratio: f64 },
    }
    for ratio in [f64::NAN, f64::INFINITY] {
        let block = Block::new(
            Attribution::new("acme:kv", "acme"),
            Measured::Ratio { ratio },
        );
        serde_json::to_string(&block).unwrap_err();
        block.content_hash().unwrap_err();
    }
}

#[test]
fn an_enum_may_be_local_and_may_come_from_a_macro() {
    macro_rules! payload {
        ($name:ident, $namespace:literal, $variant:ident { $field:ident: $type:ty }) => {
            #[derive(Debug, PartialEq, BlockPayload)]
            #[lonis_payload(namespace = $namespace)]
            enum $name {
                $variant { $field: $type },
            }
        };
    }
    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Place(u64);
    payload!(Local, "acme", Found { r#in: Vec<Option<Place>> });

    let found = Local::Found {
        r#in: vec![Some(Place(7)), None],
    };
    let text = r#"{"kind":"acme.found","data":{"in":[7,null]}}"#;
    assert_eq!(serde_json::to_string(&found).unwrap(), text);
    assert_eq!(serde_json::from_str::<Local>(text).unwrap(), found);
}

#[test]
fn a_value_keeps_its_text_wherever_it_stands() {
    #[derive(Debug, BlockPayload)]
    #[lonis_payload(namespace = "acme")]
    enum Kept {
        Value { value: lonis::Json },
    }
    let data = r#"{"value":{"b":1.50,"a":123456789012345678901234567890}}"#;
    for text in [
        format!(r#"{{"kind":"acme.value","data":{data}}}"#),
        format!(r#"{{"data":{data},"kind":"acme.value"}}"#),
    ] {
        let kept: Kept = serde_json::from_str(&text).unwrap();
        let written = serde_json::to_string(&kept).unwrap();
        assert_eq!(written, format!(r#"{{"kind":"acme.value","data":{data}}}"#));
    }
}

fn block(payload: &str) -> Result<Block<Acme>, serde_json::Error> {
    let text = format!(
        concat!(
            r#"{{"schema_version":"lonis.block/v1","attribution":{{"identity":"a:b","provenance":"#,
            r#"{{"when":"2026-03-01T12:00:00Z","producer":"a"}}}},"payload":{}}}"#
        ),
        payload
    );
    serde_json::from_str(&text)
}
