//! Pages of rows of transfers (D-14).

use buttonwood_engine::Transfer;
use buttonwood_views::history::Limit;

/// The most rows of a page of transfers.
const ROWS_MAX: usize = 50;

/// The first rows of those given, which come oldest first; they are returned newest first. The page ends before a millisecond that
/// it cannot hold whole, unless that one alone has more rows than a page; then it has all rows of it, up to `limit.most`.
pub(super) fn oldest<'a>(rows: impl Iterator<Item = &'a Transfer>, limit: Limit) -> Vec<&'a Transfer> {
    let size = limit.rows.min(ROWS_MAX);
    let mut page: Vec<&Transfer> = Vec::new();
    for row in rows {
        if page.len() >= size {
            let unfinished = row.time.millis();
            let whole = page.partition_point(|earlier| earlier.time.millis() < unfinished);
            if whole > 0 {
                page.truncate(whole);
                break;
            }
            if page.len() >= limit.most {
                break;
            }
        }
        page.push(row);
    }
    page.reverse();
    page
}

/// The newest rows of those given, which come newest first.
pub(super) fn newest<'a>(rows: impl Iterator<Item = &'a Transfer>, limit: Limit) -> Vec<&'a Transfer> {
    rows.take(limit.rows.min(ROWS_MAX)).collect()
}
