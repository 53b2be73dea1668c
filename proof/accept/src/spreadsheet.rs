//! Reads spreadsheets back: with the parts of the file that a sheet needs, and with openpyxl where it is installed.

use std::io::{Cursor, Read};
use std::process::Command;

use buttonwood_testing::skipped;
use serde_json::Value;
use zip::ZipArchive;

/// The variable that names a Python interpreter with openpyxl (`cargo xtask test` sets it).
const VARIABLE: &str = "BUTTONWOOD_OPENPYXL";

/// The rows of a spreadsheet's only sheet: texts as strings, numbers as numbers, empty cells as empty strings. If there is an
/// interpreter with openpyxl, it must read the same rows.
#[track_caller]
pub fn rows(bytes: &[u8]) -> Vec<Vec<Value>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("a spreadsheet is a zip archive");
    let mut part = |name: &str| {
        let mut text = String::new();
        let mut file = archive.by_name(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        file.read_to_string(&mut text).expect("a part is text");
        text
    };
    let (sheet, strings) = (part("xl/worksheets/sheet1.xml"), part("xl/sharedStrings.xml"));
    let strings: Vec<&str> = inner(&strings, "<si>", "</si>").map(|item| text_of(item, "t")).collect();
    let cell = |cell: &str| match (cell.contains(" t=\"s\""), text_of(cell, "v")) {
        (true, place) => {
            Value::from(strings[place.parse::<usize>().expect("a shared string is named by its place")])
        }
        (false, "") => Value::from(""),
        (false, number) => serde_json::from_str(number).expect("a cell without a type is a number"),
    };
    let row = |row| inner(row, "<c ", "</c>").map(cell).collect();
    let rows: Vec<Vec<Value>> = inner(&sheet, "<row ", "</row>").map(row).collect();
    if let Some(read) = with_openpyxl(bytes) {
        assert_eq!(read, rows, "openpyxl reads other rows");
    }
    rows
}

/// The cells as openpyxl reads them.
fn with_openpyxl(bytes: &[u8]) -> Option<Vec<Vec<Value>>> {
    let Ok(python) = std::env::var(VARIABLE) else {
        skipped("a spreadsheet in openpyxl", &format!("{VARIABLE} does not name a Python interpreter"));
        return None;
    };
    let folder = tempfile::tempdir().expect("a temporary directory");
    let file = folder.path().join("report.xlsx");
    std::fs::write(&file, bytes).expect("the temporary directory takes files");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/openpyxl/rows.py");
    let output = Command::new(python).arg(script).arg(&file).output().expect("the interpreter starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).expect("the script prints JSON"))
}

/// The texts between each opening and the closing after it.
fn inner<'a>(text: &'a str, open: &'a str, close: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(open).skip(1).map(move |rest| rest.split(close).next().unwrap_or(rest))
}

/// The text of an element within; empty without one. The exchange writes texts that need no escapes.
fn text_of<'a>(xml: &'a str, element: &str) -> &'a str {
    let Some((_, rest)) = xml.split_once(&format!("<{element}")) else { return "" };
    let (_, rest) = rest.split_once('>').unwrap_or_default();
    rest.split('<').next().unwrap_or_default()
}
