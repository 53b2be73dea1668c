//! The meaning of flags: which values fit together, and the settings made of them.

use crate::cli::Common;
use crate::trouble::Trouble;
use buttonwood_engine::Mode;
use buttonwood_gate::{EARLIEST, HeaderNames, LATEST};
use buttonwood_journal::Options as JournalOptions;
use buttonwood_model::Time;
use buttonwood_sequencer::{Archive, Keep, Options};
use buttonwood_stream::Bounds;
use std::ops::Range;
use std::path::Path;

/// The options of the exchange.
pub(crate) fn options(common: &Common) -> Options {
    Options { snapshot_every: common.snapshot_every }
}

/// The sizes of the journal's files.
pub(crate) fn journal_options(common: &Common) -> JournalOptions {
    let (segment_bytes, ballast_bytes) = (common.segment_bytes, common.ballast_bytes);
    let first_segment_bytes = JournalOptions::default().first_segment_bytes.min(segment_bytes);
    JournalOptions { first_segment_bytes, segment_bytes, ballast_bytes }
}

/// The journal that a sandbox keeps by default.
const SANDBOX_JOURNAL: Keep = Keep::Bytes(2 * 1024 * 1024 * 1024);

/// The fate of old segments of the journal: an archive lies outside the data directory, and a venue deletes nothing.
pub(crate) fn archive(common: &Common, data: &Path, mode: Mode) -> Result<Option<Archive>, Trouble> {
    let default = if mode == Mode::Sandbox { SANDBOX_JOURNAL } else { Keep::All };
    let keep = common.keep_journal.unwrap_or(default);
    match &common.archive {
        None if keep == Keep::All => Ok(None),
        None if mode == Mode::Sandbox => Ok(Some(Archive { folder: None, keep })),
        None => Err(Trouble::Flag(format!(
            "--keep-journal {}: where older segments are moved to is missing: name a folder with --archive",
            shown(keep)
        ))),
        Some(folder) if is_inside(folder, data) => Err(Trouble::Flag(format!(
            "--archive {}: lies in the data directory: an archive belongs outside",
            folder.display()
        ))),
        Some(folder) if folder.exists() && !folder.is_dir() => {
            Err(Trouble::Flag(format!("--archive {}: is no folder", folder.display())))
        }
        Some(folder) => Ok(Some(Archive { folder: Some(folder.into()), keep })),
    }
}

/// A part of the journal, as a flag says it.
fn shown(keep: Keep) -> String {
    match keep {
        Keep::All => "all".to_owned(),
        Keep::Days(days) => days.to_string(),
        Keep::Bytes(bytes) => {
            let unit =
                |name: &str, unit: u64| bytes.is_multiple_of(unit).then(|| format!("{}{name}", bytes / unit));
            let large =
                unit("TiB", 1 << 40).or_else(|| unit("GiB", 1 << 30)).or_else(|| unit("MiB", 1 << 20));
            large.unwrap_or_else(|| format!("{}KiB", bytes / 1024))
        }
    }
}

/// Whether a path, which need not exist, is a folder or lies in it.
pub(crate) fn is_inside(path: &Path, folder: &Path) -> bool {
    let existing = path.ancestors().find(|part| part.exists()).unwrap_or(Path::new("."));
    let resolved = existing.canonicalize().ok().zip(folder.canonicalize().ok());
    resolved.is_some_and(|(existing, folder)| existing.starts_with(folder))
}

/// The smallest journal segment: it holds some batches, so that not every command has to begin a new one.
const SEGMENT_BYTES_MIN: u64 = 64 * 1024;
/// The largest segment, and the largest ballast: each is created in one piece and zeroed, which must not take minutes.
const SEGMENT_BYTES_MAX: u64 = 1024 * 1024 * 1024;

fn check_sizes(common: &Common) -> Result<(), Trouble> {
    let (segment, ballast) = (common.segment_bytes, common.ballast_bytes);
    if !(SEGMENT_BYTES_MIN..=SEGMENT_BYTES_MAX).contains(&segment) {
        return Err(Trouble::Flag(format!(
            "--segment-bytes {segment}: from {SEGMENT_BYTES_MIN} (64 KiB) to {SEGMENT_BYTES_MAX} (1 GiB)"
        )));
    }
    if ballast > SEGMENT_BYTES_MAX {
        return Err(Trouble::Flag(format!(
            "--ballast-bytes {ballast}: at most {SEGMENT_BYTES_MAX} (1 GiB), or 0 for none"
        )));
    }
    Ok(())
}

/// The least that may wait for a client: a few frames.
const STREAM_BYTES_MIN: u64 = 4 * 1024;

/// The bounds of what may wait for the clients of sockets.
pub(crate) fn bounds(common: &Common) -> Bounds {
    let bytes = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    Bounds { socket_bytes: bytes(common.stream_buffer_bytes), total_bytes: bytes(common.stream_total_bytes) }
}

fn check_buffers(common: &Common) -> Result<(), Trouble> {
    let (socket, total) = (common.stream_buffer_bytes, common.stream_total_bytes);
    if socket < STREAM_BYTES_MIN {
        return Err(Trouble::Flag(format!("--stream-buffer-bytes {socket}: at least {STREAM_BYTES_MIN}")));
    }
    if total < socket {
        return Err(Trouble::Flag(format!(
            "--stream-total-bytes {total}: at least the {socket} of --stream-buffer-bytes"
        )));
    }
    Ok(())
}

/// Refuses values that no server understands; the refusal names the flag.
pub(crate) fn check_common(common: &Common, mode: Mode) -> Result<(), Trouble> {
    check_sizes(common)?;
    check_buffers(common)?;
    archive(common, &common.data, mode)?;
    connections_percent(common)?;
    buttonwood_feeds::check(&common.feeds).map_err(|why| Trouble::Flag(format!("--feeds: {why}")))?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if common.service_name.is_empty() || !common.service_name.bytes().all(plain) {
        return Err(Trouble::Flag(format!(
            "--service-name '{}' must be letters, digits and - _ .",
            common.service_name
        )));
    }
    check_prefix(&common.contract_prefix)
}

/// Refuses a prefix that cannot be the first part of a symbol.
fn check_prefix(prefix: &str) -> Result<(), Trouble> {
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    if (1..=8).contains(&prefix.len()) && prefix.bytes().all(plain) {
        return Ok(());
    }
    let message = format!("--contract-prefix '{prefix}' must be 1 to 8 of the letters A to Z and digits");
    Err(Trouble::Flag(message))
}

/// The share of the connections that one address may have.
pub(crate) fn connections_percent(common: &Common) -> Result<usize, Trouble> {
    let percent = common.connections_per_address;
    usize::try_from(percent).ok().filter(|percent| (1..=100).contains(percent)).ok_or_else(|| {
        Trouble::Flag(format!("--connections-per-address {percent}: from 1 to 100, a percentage"))
    })
}

/// Names of the authentication headers: those under `X-SVC` and the prefixes that the flags name.
pub(crate) fn header_names(common: &Common) -> Result<HeaderNames, Trouble> {
    HeaderNames::named(common.header_prefix.iter().map(String::as_str))
        .map_err(|error| Trouble::Flag(format!("--header-prefix: {error}")))
}

/// Where a manual clock starts; a date alone is its midnight.
pub(crate) fn start_time(text: &str) -> Result<Time, Trouble> {
    let time = moment(text).filter(|time| (EARLIEST..=LATEST).contains(time));
    time.ok_or_else(|| {
        Trouble::Flag(format!(
            "--start-time '{text}' must be an ISO 8601 time with its zone, or a date, such as 2026-01-01T00:00:00Z or \
             2026-01-01, from 1974-01-01T00:00:00Z to 5138-01-01T00:00:00Z"
        ))
    })
}

/// The period from `--from` to `--to`; without them it has no bound. Digits are milliseconds.
pub(crate) fn period(from: Option<&str>, to: Option<&str>) -> Result<Range<Time>, Trouble> {
    let bound = |flag: &str, text: Option<&str>, default: Time| {
        match text {
        None => Ok(default),
        Some(text) => millis(text).or_else(|| moment(text)).ok_or_else(|| {
            Trouble::Flag(format!(
                "{flag} '{text}' must be an ISO 8601 time with its zone, a date, or milliseconds since 1970, such as \
                 2026-01-01T00:00:00Z, 2026-01-01 or 1767225600000"
            ))
        }),
    }
    };
    let period = bound("--from", from, Time(0))?..bound("--to", to, Time(u64::MAX))?;
    match (from, to) {
        (Some(from), Some(to)) if period.start > period.end => {
            Err(Trouble::Flag(format!("--from {from}: later than --to {to}")))
        }
        _ => Ok(period),
    }
}

fn millis(text: &str) -> Option<Time> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse::<u64>().ok()?.checked_mul(1_000).map(Time)
}

/// A time in ISO 8601 with its zone, or a date.
pub(crate) fn moment(text: &str) -> Option<Time> {
    let is_date = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let midnight = if is_date { "T00:00:00Z" } else { "" };
    let stamp: jiff::Timestamp = format!("{text}{midnight}").parse().ok()?;
    u64::try_from(stamp.as_microsecond()).ok().map(Time)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A moment needs its zone; a date is midnight in UTC.
    #[test]
    fn a_start_is_a_moment_or_a_date() {
        let midnight = Time(1_767_225_600_000_000);
        for text in ["2026-01-01T00:00:00Z", "2026-01-01", "20260101", "2026-01-01T01:00:00+01:00"] {
            assert_eq!(start_time(text).ok(), Some(midnight), "{text}");
        }
        for text in ["", "-", "2026", "2026-13-01", "2026-01-01T00:00:00", "yesterday", "1767225600"] {
            assert!(refused(text).contains("must be an ISO 8601 time with its zone, or a date"), "{text}");
        }
    }

    /// A start lies within the bounds; the refusal of any other names the bounds.
    #[test]
    fn a_start_lies_within_bounds() {
        for (text, time) in [("1974-01-01T00:00:00Z", EARLIEST), ("5138-01-01T00:00:00Z", LATEST)] {
            assert_eq!(start_time(text).ok(), Some(time));
        }
        for text in [
            "-000044-03-15",
            "1969-12-31",
            "1971-01-01T00:00:00Z",
            "1973-12-31T23:59:59.999999Z",
            "5138-01-01T00:00:00.000001Z",
            "9999-12-31T23:59:59Z",
        ] {
            assert!(refused(text).ends_with("from 1974-01-01T00:00:00Z to 5138-01-01T00:00:00Z"), "{text}");
        }
    }

    /// A period is bounded by moments, dates or milliseconds; the first of them is in, the second is not.
    #[test]
    fn a_period_has_bounds_or_none() {
        let day = 86_400_000_000;
        let midnight = 1_767_225_600_000_000;
        for (from, to) in [
            ("2026-01-01", "2026-01-02T00:00:00Z"),
            ("1767225600000", "1767312000000"),
            ("2026-01-01T01:00:00+01:00", "2026-01-02"),
        ] {
            let found = period(Some(from), Some(to)).ok();
            assert_eq!(found, Some(Time(midnight)..Time(midnight + day)), "{from} {to}");
        }
        assert_eq!(period(None, None).ok(), Some(Time(0)..Time(u64::MAX)));
        assert!(period(Some("5"), Some("5")).is_ok_and(|period| period.is_empty()));
        for (from, to, line) in [
            (Some("yesterday"), None, "--from 'yesterday' must be an ISO 8601 time"),
            (None, Some("-1"), "--to '-1' must be"),
            (None, Some("99999999999999999999"), "--to '99999999999999999999' must be"),
            (Some("2026-01-02"), Some("2026-01-01"), "--from 2026-01-02: later than --to 2026-01-01"),
        ] {
            let told = period(from, to).expect_err(line).to_string();
            assert!(told.starts_with(line), "{told}");
        }
    }

    fn refused(text: &str) -> String {
        let line = start_time(text).expect_err(text).to_string();
        assert!(line.starts_with(&format!("--start-time '{text}' ")), "{line}");
        line
    }
}
