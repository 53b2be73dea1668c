//! Feeds in the configuration file: a list of tables, which become values of `--feeds`.

use buttonwood_engine::FeedPrices;
use buttonwood_feeds::bare;
use toml::{Table, Value};

/// The flag.
pub(crate) const FLAG: &str = "feeds";

/// The values of the flag; none for a setting of another kind.
///
/// # Errors
/// The mistake in a table.
pub(crate) fn values(setting: &Value) -> Result<Option<Vec<String>>, String> {
    let Value::Array(items) = setting else { return Ok(crate::config::values(setting)) };
    let mut all = Vec::new();
    for item in items {
        if let Value::Table(table) = item {
            all.push(value(table)?);
        } else if let Some(values) = crate::config::values(item) {
            all.extend(values);
        } else {
            return Ok(None);
        }
    }
    Ok(Some(all))
}

/// `name`, `file` or `url`, and `every`, as the flag has them.
fn value(table: &Table) -> Result<String, String> {
    if let Some(key) = table.keys().find(|key| !["name", "file", "url", "every"].contains(&key.as_str())) {
        return Err(format!("a feed has no '{key}', only name, file or url, and every"));
    }
    let name = text(table, "name")?.ok_or("a feed without a name")?;
    if !FeedPrices::is_name(name) {
        return Err(format!("'{name}' is no name of a feed: letters, digits and - _ . are"));
    }
    let place = match (text(table, "file")?, text(table, "url")?) {
        (Some(file), None) if !file.contains("://") => file,
        (None, Some(url)) if url.contains("://") => url,
        (Some(file), None) => return Err(format!("{name}: '{}' is no file; a URL is a 'url'", bare(file))),
        (None, Some(_)) => return Err(format!("{name}: 'url' is no URL, which begins with http://")),
        (Some(_), Some(_)) | (None, None) => return Err(format!("{name}: give either 'file' or 'url'")),
    };
    // Commas part the values of a flag.
    if place.contains(',') {
        return Err(format!("{name}: '{}' has a comma; in a URL it is written %2C", bare(place)));
    }
    match table.get("every") {
        None => Ok(format!("{name}={place}")),
        Some(Value::Integer(seconds)) => Ok(format!("{name}/{seconds}={place}")),
        Some(other) => {
            Err(format!("{name}: 'every' must be a whole number of seconds, not {}", other.type_str()))
        }
    }
}

fn text<'a>(table: &'a Table, key: &str) -> Result<Option<&'a str>, String> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("'{key}' of a feed must be a text, not {}", other.type_str())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Vec<String>>, String> {
        let table: Table = text.parse().unwrap();
        values(&table["feeds"])
    }

    #[test]
    fn tables_become_values() {
        let text = "[[feeds]]\nname = \"a\"\nfile = \"p=1.json\"\n[[feeds]]\nname = \"b\"\nurl = \"http://h/\"\nevery = 9\n";
        assert_eq!(read(text).unwrap().unwrap(), ["a=p=1.json", "b/9=http://h/"]);
        let text = "feeds = [{ name = \"a\", file = \"p\" }, \"b=q\"]";
        assert_eq!(read(text).unwrap().unwrap(), ["a=p", "b=q"]);
        assert_eq!(read("feeds = \"a=p\"").unwrap().unwrap(), ["a=p"]);
        assert_eq!(read("feeds = [1.5]"), Ok(None));
    }

    #[test]
    fn wrong_tables_are_refused() {
        for (table, part) in [
            ("{}", "without a name"),
            ("{ name = 5, file = \"p\" }", "'name' of a feed must be a text, not integer"),
            ("{ name = \"a=b\", file = \"p\" }", "'a=b' is no name"),
            ("{ name = \"a\" }", "a: give either 'file' or 'url'"),
            ("{ name = \"a\", file = \"p\", url = \"http://h/\" }", "a: give either"),
            ("{ name = \"a\", file = \"http://h/\" }", "is no file"),
            ("{ name = \"a\", url = \"p\" }", "a: 'url' is no URL"),
            ("{ name = \"a\", url = \"http://h/?a,b\" }", "a: 'http://h/' has a comma"),
            ("{ name = \"a\", file = \"p\", every = \"5\" }", "'every' must be a whole number"),
            ("{ name = \"a\", file = \"p\", often = 5 }", "no 'often'"),
        ] {
            let refused = read(&format!("feeds = [{table}]")).expect_err(table);
            assert!(refused.contains(part), "{table}: {refused}");
        }
    }
}
