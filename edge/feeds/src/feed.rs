//! The settings of a feed: its name, where its document is, and how often it is read.

use buttonwood_engine::{FeedPrices, index::NAME_MAX};
use http::Uri;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Seconds between two reads, unless the settings say otherwise.
const EVERY: u64 = 5;
/// The most of them: a price that did not change is read and sent again before it goes stale.
const EVERY_MAX: u64 = 20;
/// The most feeds of an exchange.
const FEEDS_MAX: usize = 16;

/// A feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feed {
    /// Its name, under which its prices are journaled.
    pub name: String,
    /// Where its document is.
    pub place: Place,
    /// Time between two reads.
    pub every: Duration,
}

/// Where a feed's document is. Its printed URL has neither user and password nor query, which may hold a key.
#[derive(Clone, PartialEq, Eq)]
pub enum Place {
    /// In a file.
    File(PathBuf),
    /// At a URL.
    Url(Uri),
}

impl Feed {
    /// Reads the settings of a feed: `NAME=FILE` or `NAME=URL`, the seconds after the name and a slash if they are not 5.
    ///
    /// # Errors
    /// The mistake.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, place) = text.split_once('=').ok_or_else(|| {
            "NAME=FILE or NAME=URL is wanted, or NAME/SECONDS=… for another interval than 5 seconds"
                .to_owned()
        })?;
        let (name, seconds) = match name.split_once('/') {
            Some((name, seconds)) => (name, Some(seconds)),
            None => (name, None),
        };
        if !FeedPrices::is_name(name) {
            return Err(format!("a name of 1 to {NAME_MAX} letters, digits and - _ . is wanted: '{name}'"));
        }
        let every = match seconds {
            None => EVERY,
            Some(text) => {
                let seconds = text.parse().ok().filter(|seconds| (1..=EVERY_MAX).contains(seconds));
                seconds.ok_or_else(|| {
                    format!("{name}: a whole number of seconds from 1 to {EVERY_MAX} is wanted: '{text}'")
                })?
            }
        };
        let place = Place::parse(place).map_err(|why| format!("{name}: {why}"))?;
        Ok(Self { name: name.to_owned(), place, every: Duration::from_secs(every) })
    }
}

impl Place {
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("a file or a URL is wanted".to_owned());
        }
        if !text.contains("://") {
            return Ok(Self::File(text.into()));
        }
        let wanted = || format!("a URL such as http://127.0.0.1:9000/prices is wanted: '{}'", bare(text));
        let uri: Uri = text.parse().map_err(|_| wanted())?;
        let has_port =
            uri.authority().is_some_and(|all| all.as_str() == all.host() || all.port_u16().is_some());
        let has_user = uri.authority().is_some_and(|all| all.as_str().contains('@'));
        let is_good = uri.scheme_str() == Some("http") && uri.host().is_some_and(|host| !host.is_empty());
        if is_good && has_port && !has_user { Ok(Self::Url(uri)) } else { Err(wanted()) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Url(url) => f.write_str(&bare(&url.to_string())),
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text with its URL cut to scheme, host, port and path, for the log and for messages: user, password and query may be secrets.
pub fn bare(text: &str) -> String {
    let Some((before, rest)) = text.split_once("://") else { return text.to_owned() };
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let shown = match rest.rfind('@') {
        None => rest.get(..end),
        Some(at) if at < end => rest.get(at + 1..end),
        // The query, or a password with a question mark: it cannot be known which.
        Some(_) => None,
    };
    format!("{before}://{}", shown.unwrap_or("…"))
}

/// Checks what no feed shows alone: their number, and that each has a name of its own.
///
/// # Errors
/// The mistake.
pub fn check(feeds: &[Feed]) -> Result<(), String> {
    if feeds.len() > FEEDS_MAX {
        return Err(format!("at most {FEEDS_MAX} feeds are read, not {}", feeds.len()));
    }
    let is_repeated = |at: usize, name: &str| feeds.iter().take(at).any(|other| other.name == name);
    match feeds.iter().enumerate().find(|(at, feed)| is_repeated(*at, &feed.name)) {
        Some((_, feed)) => Err(format!("two feeds have the name '{}'", feed.name)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read() {
        let file = Feed::parse("lab=prices/a=b.json").unwrap();
        assert_eq!((file.name.as_str(), file.every), ("lab", Duration::from_secs(5)));
        assert_eq!(file.place, Place::File("prices/a=b.json".into()));
        let url = Feed::parse("lab.2/20=http://[::1]:9000/prices?of=all").unwrap();
        assert_eq!((url.name.as_str(), url.every), ("lab.2", Duration::from_secs(20)));
        assert!(matches!(&url.place, Place::Url(url) if *url == "http://[::1]:9000/prices?of=all"));
        assert_eq!(
            format!("{} {:?}", url.place, url.place),
            "http://[::1]:9000/prices http://[::1]:9000/prices"
        );
        assert!(matches!(Feed::parse("a=http://example.com").unwrap().place, Place::Url(_)));
    }

    #[test]
    fn wrong_settings_are_refused() {
        for (text, part) in [
            ("", "NAME=FILE or NAME=URL"),
            ("prices.json", "NAME=FILE or NAME=URL"),
            ("=prices.json", "a name of 1 to 50"),
            ("a b=prices.json", "'a b'"),
            ("lab=", "lab: a file or a URL"),
            ("lab/0=prices.json", "from 1 to 20 is wanted: '0'"),
            ("lab/21=prices.json", "from 1 to 20"),
            ("lab/x=prices.json", "from 1 to 20"),
            ("lab=https://example.com/", "a URL such as http://"),
            ("lab=http://", "a URL such as"),
            ("lab=http://user:word@example.com/", "is wanted: 'http://example.com/'"),
            ("lab=https://example.com/?key=word", "is wanted: 'https://example.com/'"),
            ("lab=http://example.com:99999/", "a URL such as"),
            ("lab=http://exa mple.com/", "a URL such as"),
            ("lab=ftp://example.com/", "a URL such as"),
        ] {
            let refused = Feed::parse(text).expect_err(text);
            assert!(refused.contains(part) && !refused.contains("word"), "{text}: {refused}");
        }
    }

    #[test]
    fn secrets_of_urls_are_hidden() {
        for (text, shown) in [
            ("prices.json", "prices.json"),
            ("a=http://h:1/p", "a=http://h:1/p"),
            ("a=http://h/p?apikey=secret", "a=http://h/p"),
            ("http://h?secret", "http://h"),
            ("http://h/p#secret", "http://h/p"),
            ("http://us:secret@h/p?key=secret", "http://h/p"),
            ("http://us:sec/secret@h/p", "http://h/p"),
            ("http://us:sec@secret@h/p", "http://h/p"),
            ("http://us:secret?sec@h/p", "http://…"),
            ("http://h/p?of=a@b&key=secret", "http://…"),
        ] {
            assert_eq!(bare(text), shown, "{text}");
        }
    }

    #[test]
    fn names_are_unique_and_feeds_are_few() {
        let feed = |number: usize| Feed::parse(&format!("feed-{number}=prices.json")).unwrap();
        let mut feeds: Vec<Feed> = (0..FEEDS_MAX).map(feed).collect();
        assert_eq!(check(&feeds), Ok(()));
        feeds.push(feed(FEEDS_MAX));
        assert!(check(&feeds).unwrap_err().contains("at most 16 feeds"));
        let refused = check(&[feed(1), feed(2), feed(1)]).unwrap_err();
        assert!(refused.contains("'feed-1'"), "{refused}");
    }
}
