//! The hours and rows of a report (PERP-024, PERP-026).

use buttonwood_gate::{Reason, Refusal};
use buttonwood_model::{Day, Time};
use buttonwood_tables::Hours;
use buttonwood_wire::field::bad_query;
use buttonwood_wire::time::iso_date;

/// Rows of a report unless the caller says otherwise: the hours of a year.
pub(super) const ROWS: usize = 8_760;

/// The media type of spreadsheets.
pub(super) const SPREADSHEET: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// The hours of two days and those between, or all up to now.
pub(super) fn hours(dates: [Option<Day>; 2], rows: usize, now: Time) -> Result<Hours, Refusal> {
    match dates {
        [None, None] => Ok(Hours { from: 0, to: now.millis(), rows }),
        [Some(from), Some(to)] if from > to => {
            let expected = format!("'fromDate' ({}) or later", iso_date(from));
            Err(bad_query("toDate", &expected, &iso_date(to)))
        }
        [Some(from), Some(to)] => {
            let end = to.plus(1).start().millis();
            Ok(Hours { from: from.start().millis(), to: end.saturating_sub(1), rows })
        }
        [Some(_), None] => Err(alone("fromDate", "toDate")),
        [None, Some(_)] => Err(alone("toDate", "fromDate")),
    }
}

fn alone(given: &str, missing: &str) -> Refusal {
    Refusal::new(Reason::MissingPayloadKey, format!("'{given}' must come with '{missing}', which is missing"))
}
