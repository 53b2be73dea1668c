//! The text of metrics, in Prometheus' exposition format 0.0.4.

use std::fmt::{Display, Write};

/// The kind of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only rises while the process runs.
    Counter,
    /// Rises and falls.
    Gauge,
    /// Counts observations by size.
    Histogram,
}

/// A page of metrics in the making.
#[derive(Debug, Default)]
pub struct Page {
    text: String,
}

impl Page {
    /// The media type of a page.
    pub const CONTENT_TYPE: &'static str = "text/plain; version=0.0.4; charset=utf-8";

    /// Begins a metric; its samples follow.
    pub fn family(&mut self, name: &str, kind: Kind, help: &str) {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// A sample of the metric that was begun last.
    pub fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.text.push_str(name);
        for (number, (label, text)) in labels.iter().enumerate() {
            let _ = write!(self.text, "{}{label}=\"", if number == 0 { '{' } else { ',' });
            self.push_escaped(text);
            self.text.push('"');
        }
        let _ = writeln!(self.text, "{} {value}", if labels.is_empty() { "" } else { "}" });
    }

    /// A metric of one sample without labels.
    pub fn single(&mut self, name: &str, kind: Kind, help: &str, value: impl Display) {
        self.family(name, kind, help);
        self.sample(name, &[], value);
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }

    fn push_escaped(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '\\' => self.text.push_str("\\\\"),
                '"' => self.text.push_str("\\\""),
                '\n' => self.text.push_str("\\n"),
                plain => self.text.push(plain),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_form_of_the_format() {
        let mut page = Page::default();
        page.single("up", Kind::Gauge, "Whether it runs.", 1);
        page.family("calls_total", Kind::Counter, "Calls.");
        page.sample("calls_total", &[("route", "/a"), ("why", "a \"b\" \\ \n")], 7);
        let expected = "# HELP up Whether it runs.\n# TYPE up gauge\nup 1\n# HELP calls_total Calls.\n\
                        # TYPE calls_total counter\ncalls_total{route=\"/a\",why=\"a \\\"b\\\" \\\\ \\n\"} 7\n";
        assert_eq!(page.finish(), expected);
    }
}
