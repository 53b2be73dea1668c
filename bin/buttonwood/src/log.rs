//! The log: lines on standard error, as text or as JSON.
//!
//! A line has the time, the level, a message and fields. A line that is written while a request is answered has the id of the
//! request too, the one that the reply carries. Control characters are escaped, so that no client can write lines of its own.

use crate::cli::{LogFormat, LogLevel};
use buttonwood_http::with_request_id;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::fmt::{self, Debug, Write};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Its errors quote what was sent, at any length. The refusal says what they mean.
const LIBRARY_OF_PASSKEYS: &str = "webauthn_rs_core";

/// Begins to log. A panic is logged from now on as well.
pub(crate) fn start(format: LogFormat, level: LogLevel) {
    let level = match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    // A failure of the log is not reported on standard error, since the log itself goes there.
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(level)
        .log_internal_errors(false)
        .event_format(Lines(format))
        .finish()
        .with(Targets::new().with_default(level).with_target(LIBRARY_OF_PASSKEYS, LevelFilter::OFF))
        .init();
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let thread = std::thread::current().name().unwrap_or_default().to_owned();
        let why = panic.payload_as_str().unwrap_or_default();
        let trace = std::backtrace::Backtrace::capture();
        if trace.status() == std::backtrace::BacktraceStatus::Captured {
            tracing::error!(thread, place, %trace, "panicked: {why}");
        } else {
            tracing::error!(thread, place, "panicked: {why}");
        }
    }));
}

/// Writes each event as a line.
struct Lines(LogFormat);

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = Fields::default();
        event.record(&mut fields);
        with_request_id(|id| fields.push("request_id", id.into()));
        let (time, level) = (format!("{:.6}", Timestamp::now()), event.metadata().level().as_str());
        match self.0 {
            LogFormat::Text => writeln!(writer, "{}", fields.as_text(&time, level)),
            LogFormat::Json => writeln!(writer, "{}", fields.into_json(time, level)),
        }
    }
}

/// The message and the fields of an event.
#[derive(Debug, Default)]
struct Fields {
    message: String,
    rest: Vec<(&'static str, Value)>,
}

impl Fields {
    fn push(&mut self, name: &'static str, value: Value) {
        self.rest.push((name, value));
    }

    fn as_text(&self, time: &str, level: &str) -> String {
        let mut line = format!("{time} {level:>5} ");
        push_escaped(&mut line, &self.message);
        for (name, value) in &self.rest {
            let _ = write!(line, " {name}=");
            if let Value::String(text) = value {
                push_escaped(&mut line, text);
            } else {
                let _ = write!(line, "{value}");
            }
        }
        line
    }

    fn into_json(self, time: String, level: &str) -> Value {
        let mut line = Map::new();
        line.insert("time".to_owned(), time.into());
        line.insert("level".to_owned(), level.into());
        line.insert("message".to_owned(), self.message.into());
        for (name, value) in self.rest {
            line.insert(name.to_owned(), value);
        }
        Value::Object(line)
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => value.clone_into(&mut self.message),
            name => self.push(name, value.into()),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.push(field.name(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.push(field.name(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.push(field.name(), value.into());
    }
}

fn push_escaped(line: &mut String, text: &str) {
    for character in text.chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line stays one line, whatever a client sent, and JSON keeps numbers.
    #[test]
    fn a_line_is_one_line() {
        let fields = || Fields {
            message: "refused\nfaked".to_owned(),
            rest: vec![("seq", 7.into()), ("why", "a\u{1b}[2J\"b\"".into())],
        };
        assert_eq!(fields().as_text("T", "INFO"), "T  INFO refused\\nfaked seq=7 why=a\\u{1b}[2J\"b\"");
        let json = fields().into_json("T".to_owned(), "INFO").to_string();
        assert!(!json.contains(['\n', '\u{1b}']), "{json}");
        let read: Value = serde_json::from_str(&json).unwrap();
        assert_eq!((&read["message"], &read["seq"]), (&Value::from("refused\nfaked"), &Value::from(7)));
    }
}
