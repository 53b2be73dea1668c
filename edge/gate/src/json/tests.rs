//! Texts that are read, and texts that are refused.

use super::*;

fn flaw(text: &str) -> String {
    let flaw = object(text).expect_err(text);
    assert!(flaw.at <= text.len());
    flaw.what.into_owned()
}

fn nested(depth: usize, open: &str, close: &str) -> String {
    format!("{{\"a\":{}1{}}}", open.repeat(depth - 1), close.repeat(depth - 1))
}

fn wide(count: usize) -> String {
    let fields: Vec<String> = (0..count).map(|at| format!("\"f{at}\":{at}")).collect();
    format!("{{{}}}", fields.join(","))
}

#[test]
fn reads_every_kind_of_value() {
    let text = r#" { "a" : "x" , "b":-1.50e+3,"c":true,"d":false,"e":null,"f":[1,"]"],"g":{"a":{"a":[]}} } "#;
    let fields = object(text).unwrap();
    let values: Vec<Value<'_>> = fields.iter().map(|field| field.value(text)).collect();
    assert_eq!(
        values,
        [
            Value::Text("x".into()),
            Value::Number("-1.50e+3"),
            Value::Bool(true),
            Value::Bool(false),
            Value::Null,
            Value::Array(r#"[1,"]"]"#),
            Value::Object(r#"{"a":{"a":[]}}"#),
        ]
    );
    assert!(object("{}").unwrap().is_empty());
}

#[test]
fn resolves_escapes() {
    let text = r#"{"\u0061":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é"}"#;
    let fields = object(text).unwrap();
    assert!(fields[0].is_named(text, beginning("a"), "a"));
    assert_eq!(fields[0].value(text), Value::Text("\"\\/\u{8}\u{c}\n\r\té😀é".into()));
    // As many bytes as are compared at once, and more.
    for text in [r#"{"\u006eonce":1}"#, r#"{"\u006e\u006f\u006e\u0063\u0065":1}"#, r#"{"no\u006ece":1}"#] {
        assert!(object(text).unwrap()[0].is_named(text, beginning("nonce"), "nonce"), "{text}");
    }
}

/// Names that begin alike, up to the eighth letter and beyond it, are distinguished, and the empty string is a name.
#[test]
fn tells_names_apart() {
    let names = ["", "a", "seventh", "eighth_l", "eighth_le", "eighth_letter", "eighth_letters"];
    let fields: Vec<String> = names.iter().enumerate().map(|(at, name)| format!("\"{name}\":{at}")).collect();
    let text = format!("{{{}}}", fields.join(","));
    let fields = object(&text).unwrap();
    for (at, field) in fields.iter().enumerate() {
        let found = |name: &&&str| field.is_named(&text, beginning(name), name);
        assert_eq!(names.iter().filter(found).collect::<Vec<_>>(), [&names[at]]);
        let twice = format!("{{\"{0}\":1,\"{0}\":2}}", names[at]);
        assert_eq!(flaw(&twice), format!("field '{}' is given twice", names[at]));
    }
    assert!(!fields[1].is_named(&text, beginning("a\0"), "a\0"));
}

#[test]
fn refuses_what_is_no_object() {
    for text in ["", " ", "[]", "\"a\"", "null", "1", "'a'", "NaN"] {
        assert_eq!(flaw(text), "it is no object", "{text}");
    }
    assert_eq!(flaw("\u{feff}{}"), "it starts with a byte order mark");
    for text in ["{}x", "{} {}", "{}}", "{}\u{0}", "{}//"] {
        assert_eq!(flaw(text), "something follows the object", "{text}");
    }
}

#[test]
fn refuses_broken_grammar() {
    let bad = [
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":1,",
        "{\"a\":1,}",
        "{,}",
        "{\"a\" 1}",
        "{a:1}",
        "{'a':1}",
        "{1:1}",
        "{\"a\":'x'}",
        "{\"a\":NaN}",
        "{\"a\":Infinity}",
        "{\"a\":-}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{\"a\":5.}",
        "{\"a\":01}",
        "{\"a\":-01}",
        "{\"a\":1e}",
        "{\"a\":1e+}",
        "{\"a\":0x1}",
        "{\"a\":1_0}",
        "{\"a\":True}",
        "{\"a\":truth}",
        "{\"a\":[1,]}",
        "{\"a\":[1 2]}",
        "{\"a\":[}",
        "{\"a\":[1}",
        "{\"a\":/**/1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":\"x}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\u{0}\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":\"\\u+123\"}",
        "{\"a\":\"\\u00é\"}",
        "{\"a\":\"\\",
        "{\"a\":\"\\u",
        "{\"a\":\u{a0}1}",
    ];
    for text in bad {
        assert!(!flaw(text).is_empty());
    }
}

#[test]
fn refuses_lone_surrogates() {
    for text in [
        r#"{"a":"\ud800"}"#,
        r#"{"a":"\udc00"}"#,
        r#"{"a":"\ud800x"}"#,
        r#"{"a":"\ud800\n"}"#,
        r#"{"a":"\ud800\ud800"}"#,
        r#"{"a":"\ud800\u0061"}"#,
        r#"{"\udfff":1}"#,
    ] {
        assert_eq!(flaw(text), "a surrogate stands alone", "{text}");
    }
}

#[test]
fn refuses_a_field_given_twice() {
    for text in [
        r#"{"a":1,"a":1}"#,
        r#"{"a":1,"b":2,"\u0061":3}"#,
        r#"{"\u0061":1,"a":2}"#,
        r#"{"x":{"a":1,"a":2}}"#,
        r#"{"x":[{"a":{},"a":2}]}"#,
        r#"{"a":{"b":1},"a":2}"#,
    ] {
        assert_eq!(flaw(text), "field 'a' is given twice", "{text}");
    }
    assert!(object(r#"{"a":{"a":1},"b":{"a":2}}"#).is_ok(), "only within one object");
}

#[test]
fn bounds_depth() {
    assert!(object(&nested(16, "[", "]")).is_ok());
    assert!(object(&nested(16, "{\"a\":", "}")).is_ok());
    for depth in [17, 129, 2_000] {
        assert_eq!(flaw(&nested(depth, "[", "]")), "it is nested deeper than 16");
        assert_eq!(flaw(&nested(depth, "{\"a\":", "}")), "it is nested deeper than 16");
    }
}

/// Wide objects are read too, outer and inner ones. Proves TYPE-022.
#[test]
fn width_is_not_bounded() {
    for count in [16, 17, 64, 65, 1_000] {
        let text = wide(count);
        let fields = object(&text).unwrap();
        assert_eq!(fields.len(), count);
        let last = fields.last().unwrap();
        let name = format!("f{}", count - 1);
        assert!(last.is_named(&text, beginning(&name), &name));
        assert!(object(&format!("{{\"a\":[{text},{text}],\"f0\":1}}")).is_ok());
    }
}

/// Two fields of one name are found at any distance, with any escapes, and on both sides of the width from which names
/// are sorted. Of several pairs, the one that ends first is reported.
#[test]
fn refuses_a_field_given_twice_in_a_wide_object() {
    for count in [15, 16, 17, 18, 64, 200] {
        for name in ["f0", "f10", "\\u0066\\u0031\\u0030", &format!("f{}", count - 1)] {
            let inner = wide(count);
            let before = inner.trim_end_matches('}');
            let text = format!("{before},\"{name}\":1,\"last\":2}}");
            let plain = name.replace("\\u00", "").replace("66", "f").replace("3130", "10");
            let flaw = object(&text).unwrap_err();
            assert_eq!(flaw.what, format!("field '{plain}' is given twice"), "{count} {name}");
            assert_eq!(flaw.at, before.len() + name.len() + 3, "{count} {name}");
            let text = format!("{before},\"{name}\":1,\"f1\":2,\"f0\":3}}");
            assert_eq!(object(&text).unwrap_err(), flaw, "{count} {name}");
        }
    }
}

#[test]
fn arrays_give_their_items() {
    let all = |array| items(array).collect::<Vec<_>>();
    assert_eq!(all("[]"), []);
    assert_eq!(all("[ ]"), []);
    assert_eq!(
        all(r#"[ "a" , 1,[2],{"b":3},null]"#),
        [
            Value::Text("a".into()),
            Value::Number("1"),
            Value::Array("[2]"),
            Value::Object(r#"{"b":3}"#),
            Value::Null
        ]
    );
}

/// The ends of strings are found at every distance, and nothing else is taken for one.
#[test]
fn strings_end_where_they_end() {
    let all: String = (' '..='\u{2ff}').filter(|character| !"\"\\".contains(*character)).collect();
    for skipped in 0..20 {
        let inside: String = all.chars().skip(skipped).collect();
        for end in (0..inside.len()).filter(|end| inside.is_char_boundary(*end)) {
            let text = format!("{{\"a\":\"{}\"}}", &inside[..end]);
            let fields = object(&text).unwrap();
            assert_eq!(fields[0].value(&text), Value::Text(inside[..end].into()));
        }
    }
    for control in '\0'..' ' {
        for before in 0..20 {
            let text = format!("{{\"a\":\"{}{control}é\"}}", "x".repeat(before));
            assert_eq!(flaw(&text), "a control character stands in a string");
        }
    }
}
