//! The path to which a sign-in leads.

/// Characters of a path at most.
const LENGTH_MAX: usize = 8_000;

/// A path of this site, with its query; none for anything else, such as an address of another site.
///
/// A browser reads `//host` and `/\host` as another site, drops tabs and line breaks within an address, and takes `\` for `/`. All
/// of these are refused wherever they stand, and so is what no address may hold unescaped.
pub(crate) fn of_this_site(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('/')?;
    let is_plain =
        text.len() <= LENGTH_MAX && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    (is_plain && !rest.starts_with('/')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only a path of this site leads on.
    #[test]
    fn other_sites_are_refused() {
        for good in
            ["/", "/settings/apps", "/auth?client_id=a&redirect_uri=https%3A%2F%2Fapp.example%2F&b=//c"]
        {
            assert_eq!(of_this_site(good), Some(good));
        }
        let long = format!("/{}", "x".repeat(LENGTH_MAX));
        for bad in [
            "",
            "settings",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "/a\\b",
            "/\t/evil.example",
            "/\n/evil.example",
            " /settings",
            "/a b",
            "https://evil.example/",
            "https:evil.example",
            "javascript:alert(1)",
            "/é",
            "/\0",
            "/\u{7f}",
            &long,
        ] {
            assert_eq!(of_this_site(bad), None, "{bad:?}");
        }
    }
}
