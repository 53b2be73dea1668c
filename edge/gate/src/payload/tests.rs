//! Typed access to a payload's fields.

use super::*;

fn payload(text: &str) -> Payload {
    Payload::read(text.as_bytes().to_vec()).unwrap()
}

/// A payload with one field `v`, its value given as JSON.
fn holding(value: &str) -> Payload {
    payload(&format!("{{\"v\":{value}}}"))
}

fn refused<T: std::fmt::Debug>(result: Result<T, Refusal>, reason: Reason, value: &str) {
    let refusal = result.expect_err(value);
    assert_eq!((refusal.status, refusal.reason), (400, reason), "{value}");
    assert!(refusal.message.contains("'v'"), "names the field: {}", refusal.message);
    let shown = value.trim_matches('"');
    assert!(refusal.message.contains(shown), "names the value: {}", refusal.message);
}

/// Proves AUTH-006.
#[test]
fn refuses_what_is_no_json_object() {
    let wide = format!("{{\"a\":\"{}\"}}", "x".repeat(BYTES_MAX));
    let cases: &[(&[u8], &str)] = &[
        (b"", "no object at byte 0"),
        (b"[1]", "no object"),
        (b"{\"a\":1,\"a\":2}", "field 'a' is given twice at byte 10"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"\xff\xfe{\0}\0", "not UTF-8 at byte 0"),
        (b"{\"a\":\"\xed\xa0\x80\"}", "not UTF-8 at byte 6"),
        (b"{}{}", "something follows"),
        (wide.as_bytes(), "longer than 12288 bytes"),
    ];
    for (bytes, what) in cases {
        let refusal = Payload::read(bytes.to_vec()).expect_err(what);
        assert_eq!((refusal.status, refusal.reason), (400, Reason::InvalidJson));
        assert!(refusal.message.contains(what), "{what}: {}", refusal.message);
    }
}

/// Proves TYPE-022.
#[test]
fn finds_fields_whatever_stands_beside_them() {
    let payload = payload(r#"{"extra":{"v":0},"v":"gr\u00fc\u00dfe","more":[]}"#);
    assert_eq!(payload.text("v").unwrap().as_deref(), Some("grüße"));
    assert_eq!(payload.text("absent"), Ok(None));
    assert_eq!(payload.field("V"), None);
}

/// A count that no word holds is as large as one can be (D-15).
#[test]
fn counts_are_whole_and_bounded() {
    for (value, count) in
        [("0", 0), ("7", 7), ("18446744073709551615", u64::MAX), ("99999999999999999999", u64::MAX)]
    {
        assert_eq!(holding(value).count("v"), Ok(Some(count)), "{value}");
    }
    assert_eq!(holding("7").count("absent"), Ok(None));
    for value in ["1.5", "-1", "1e3", "true", "[]"] {
        refused(holding(value).count("v"), Reason::InvalidParameterValue, value);
    }
}

/// Proves TYPE-008.
#[test]
fn flags_are_true_or_false() {
    assert_eq!(holding("true").flag("v", false), Ok(true));
    assert_eq!(holding("false").flag("v", true), Ok(false));
    assert_eq!(holding("1").flag("absent", true), Ok(true));
    for value in ["\"true\"", "1", "0", "[]", "{}"] {
        refused(holding(value).flag("v", false), Reason::InvalidParameterValue, value);
    }
}

/// Proves TYPE-006, TYPE-007.
#[test]
fn integers_are_whole() {
    for (value, number) in [
        ("0", 0),
        ("\"12\"", 12),
        ("9007199254740993", 9_007_199_254_740_993),
        ("18446744073709551615", u64::MAX),
    ] {
        assert_eq!(holding(value).integer("v"), Ok(Some(number)));
    }
    for value in [
        "1.0",
        "\"1.5\"",
        "-1",
        "\"+1\"",
        "1e3",
        "\"\"",
        "\"abc\"",
        "\" 1\"",
        "true",
        "[1]",
        "18446744073709551616",
    ] {
        refused(holding(value).integer("v"), Reason::InvalidParameterValue, value);
    }
    assert_eq!(holding("1").integer("absent"), Ok(None));
}

/// Proves TYPE-003.
#[test]
fn decimals_keep_their_digits() {
    for (value, text) in [
        ("\"0.1\"", "0.1"),
        ("0.100000000000000001", "0.100000000000000001"),
        ("1e3", "1e3"),
        ("true", "true"),
        ("[1]", "[1]"),
        ("{}", "{}"),
        ("\"\"", ""),
    ] {
        assert_eq!(holding(value).decimal_text("v").as_deref(), Some(text));
    }
    assert_eq!(holding("1").decimal_text("absent"), None);
}

/// Proves TYPE-005, TYPE-013.
#[test]
fn timestamps_are_numbers_or_strings() {
    for value in ["1700000000", "\"1700000000\"", "1700000000000", "\"1700000000000\""] {
        assert_eq!(holding(value).timestamp_ms("v"), Ok(Some(1_700_000_000_000)), "{value}");
    }
    assert_eq!(holding("1").timestamp_ms("absent"), Ok(None));
}

/// Proves TYPE-016, ERR-004.
#[test]
fn unreadable_timestamps_have_their_reason() {
    for value in ["\"abc\"", "\"\"", "-1", "1e30", "true", "{}", "[1700000000]", "\"1700000000 \""] {
        refused(holding(value).timestamp_ms("v"), Reason::InvalidTimestampInPayload, value);
    }
}

#[test]
fn arrays_hold_strings() {
    let texts = |value: &str| {
        holding(value)
            .texts("v")
            .map(|texts| texts.map(|texts| texts.into_iter().map(Cow::into_owned).collect::<Vec<String>>()))
    };
    assert_eq!(texts("[]"), Ok(Some(vec![])));
    assert_eq!(texts(r#"["a", "b\n"]"#), Ok(Some(vec!["a".to_owned(), "b\n".to_owned()])));
    assert_eq!(holding("[]").texts("absent"), Ok(None));
    for value in ["\"a\"", "{}"] {
        refused(texts(value), Reason::InvalidParameterValue, value);
    }
    refused(texts("[\"a\",7]"), Reason::InvalidParameterValue, "7");
}

/// Proves D-169.
#[test]
fn null_is_a_field_left_out() {
    let payload = holding("null");
    assert_eq!((payload.field("v"), payload.sent("v")), (None, Some(Value::Null)));
    assert_eq!((payload.is_null("v"), payload.is_null("absent")), (true, false));
    assert_eq!((payload.text("v"), payload.flag("v", true)), (Ok(None), Ok(true)));
    assert_eq!(
        (payload.integer("v"), payload.count("v"), payload.timestamp_ms("v")),
        (Ok(None), Ok(None), Ok(None))
    );
    assert_eq!((payload.texts("v"), payload.decimal_text("v")), (Ok(None), None));
    // A field that the call needs is read as it was sent.
    assert_eq!(payload.needed_text("v").as_deref(), Some("null"));
    assert_eq!(holding("\"null\"").text("v").unwrap().as_deref(), Some("null"));
    assert_eq!(payload.names().collect::<Vec<_>>(), ["v"]);
}

/// A text takes the place of a field; all other fields stay as they were sent.
#[test]
fn a_field_is_given_another_text() {
    let sent = payload(
        r#" { "a\u0062" : "x\n\"y\"" , "v":[1, {"b":null}],"w":{"v":-1.50e3} , "on":true,"no":null,"n":0.10 }"#,
    );
    let with = sent.with_text("v", "\"q\\\u{1}z").unwrap();
    assert_eq!(with.text("v").unwrap().as_deref(), Some("\"q\\\u{1}z"));
    assert_eq!(with.names().collect::<Vec<_>>(), ["v", "ab", "w", "on", "no", "n"]);
    for name in ["ab", "w", "on", "no", "n"] {
        assert_eq!(with.sent(name), sent.sent(name), "{name}");
    }
    assert_eq!(payload("{}").with_text("v", "").unwrap().as_str(), r#"{"v":""}"#);
}

/// An object within a payload is read as if it were the whole payload: names with escapes, values of every kind, wide and deep ones.
#[test]
fn an_object_within_a_payload_is_a_payload() {
    let deep = format!("{}1{}", "[".repeat(13), "]".repeat(13));
    let wide: Vec<String> = (0..40).map(|at| format!("\"f{at}\":{at}")).collect();
    for object in [
        "{}",
        "{ \t}",
        r#"{"a":1}"#,
        r#"{ "a" : -1.50e+3 , "\u0062\"}" : "x\\" ,"c":true,"d":false,"e":null }"#,
        r#"{"a":{"v":"}\""},"b":[1,"]",{"c":[]}],"":"\ud83d\ude00","seventh_":"{[","g\\":[ ] }"#,
        &format!(r#"{{"deep":{deep},"after":{{"a":{deep},"b":{{}}}},"last":"\n"}}"#),
        &format!("{{{}}}", wide.join(" , ")),
    ] {
        let inner = holding(object).object("v").unwrap();
        let whole = payload(object);
        assert_eq!(inner.as_str(), object);
        assert_eq!(inner.names().collect::<Vec<_>>(), whole.names().collect::<Vec<_>>(), "{object}");
        for name in whole.names() {
            assert_eq!(inner.sent(&name), whole.sent(&name), "{object} {name}");
        }
    }
    for value in ["null", "[{}]", "\"{}\"", "1", "true"] {
        assert!(holding(value).object("v").is_none(), "{value}");
    }
    assert!(payload("{}").object("v").is_none());
    assert_eq!((Payload::empty().names().count(), Payload::empty().as_str()), (0, "{}"));
}

/// The whole payload is checked, so that an object within it has no flaw that its own check would find.
#[test]
fn a_flaw_of_an_object_within_a_payload_is_one_of_the_payload() {
    for (object, what) in [
        (r#"{"a":1,"b":2,"\u0061":3}"#, "field 'a' is given twice"),
        (r#"{"x":{"a":1,"a":2}}"#, "field 'a' is given twice"),
        (r#"{"a":"\ud800"}"#, "a surrogate stands alone"),
        (r#"{"a":01}"#, "a number starts with 0"),
    ] {
        let own = Payload::read(object.as_bytes().to_vec()).unwrap_err();
        let whole = Payload::read(format!("{{\"v\":{object}}}").into_bytes()).unwrap_err();
        assert!(own.message.contains(what) && whole.message.contains(what), "{}", whole.message);
    }
}

/// What a payload is kept for stays as it was sent, with escapes, texts and nested values; all else is gone.
#[test]
fn some_fields_are_kept() {
    let sent = r#"{"more":"xxxx","v\u0061lue":"a\"b","other":[1,{"value":2}],"list":[1, 2],"none":null}"#;
    let kept = payload(sent).only(&["value", "list", "none", "absent"]);
    assert_eq!(kept.as_str(), r#"{"v\u0061lue":"a\"b","list":[1, 2],"none":null}"#);
    assert_eq!(kept.names().collect::<Vec<_>>(), ["value", "list", "none"]);
    assert_eq!(kept.text("value").unwrap().as_deref(), Some("a\"b"));
    assert!(kept.is_null("none") && kept.sent("other").is_none());
    assert_eq!(payload(sent).only(&[]).as_str(), "{}");
}
