//! Spreadsheets: one sheet, a head row, and rows of texts and times.

use buttonwood_gate::Refusal;
use buttonwood_wire::field::failed;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, XlsxError};

/// A cell.
#[derive(Clone, Debug)]
pub(super) enum Cell {
    /// A text; amounts are texts, so that no program rounds them.
    Text(String),
    /// A time in milliseconds, as a whole number.
    Millis(u64),
}

/// The bytes of a spreadsheet. The same rows give the same bytes.
pub(super) fn spreadsheet<const N: usize>(
    head: [&str; N],
    rows: impl Iterator<Item = [Cell; N]>,
) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    let made = ExcelDateTime::from_ymd(1970, 1, 1)?;
    book.set_properties(&DocProperties::new().set_creation_datetime(&made));
    let whole = Format::new().set_num_format("0");
    let sheet = book.add_worksheet();
    for (column, name) in (0_u16..).zip(head) {
        sheet.write_string(0, column, name)?;
    }
    for (row, cells) in (1_u32..).zip(rows) {
        for (column, cell) in (0_u16..).zip(cells) {
            match cell {
                Cell::Text(text) => sheet.write_string(row, column, text)?,
                Cell::Millis(millis) => sheet.write_number_with_format(row, column, exact(millis), &whole)?,
            };
        }
    }
    book.save_to_buffer()
}

/// The refusal when a file of the history's rows cannot be made.
pub(super) fn unmade(fault: &XlsxError) -> Refusal {
    tracing::error!(%fault, "a spreadsheet cannot be made");
    failed()
}

/// A whole number below 2^53 as the float that the format stores.
fn exact(millis: u64) -> f64 {
    millis.to_string().parse().expect("digits are a number")
}
