//! Pages of rows according to decision D-14, cut from a plain list.

use buttonwood_views::history::Limit;

/// The newest rows of a list that is ordered oldest first, or its oldest from a millisecond on, newest first. Such a
/// page ends with a whole millisecond, unless a single one overfills it.
pub(super) fn page<T: Copy>(
    rows: &[T],
    millis: impl Fn(&T) -> u64,
    from: Option<u64>,
    limit: Limit,
) -> Vec<T> {
    let Some(from) = from else { return rows.iter().rev().take(limit.rows).copied().collect() };
    let rest: Vec<T> = rows.iter().filter(|row| millis(row) >= from).copied().collect();
    let mut page = match rest.get(limit.rows).map(&millis) {
        None => rest,
        Some(cut) => match rest.iter().filter(|row| millis(row) < cut).count() {
            0 => rest.into_iter().take_while(|row| millis(row) == cut).take(limit.most).collect(),
            whole => rest.into_iter().take(whole).collect(),
        },
    };
    page.reverse();
    page
}
