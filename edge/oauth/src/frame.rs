//! The frame of the pages of `/auth`: that of the site, without a script. The look of a user is set by the server.

use buttonwood_call::App;
use buttonwood_engine::identity::UserId;
use buttonwood_http::Reply;
use buttonwood_wire::html::{LINKS, escaped};
use http::{HeaderValue, StatusCode};
use serde::Deserialize;
use std::fmt::Write as _;

/// The look of a page, of the preferences that the pages keep for a user. The words are those of `look.js`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub(crate) struct Look {
    theme: String,
    palette: String,
    density: String,
}

impl Default for Look {
    fn default() -> Self {
        let [theme, palette, density] = ["system", "standard", "normal"].map(str::to_owned);
        Self { theme, palette, density }
    }
}

impl Look {
    /// The look that a user chose. Preferences are an object of the user's own making: what is no look counts as none.
    pub(crate) fn of(app: &App, user: UserId) -> Self {
        let views = app.exchange.views();
        let kept = views.state().identity().preferences(user).unwrap_or("{}");
        serde_json::from_str(kept).unwrap_or_default()
    }
}

/// A page whose forms may be sent to these places. `title` and `main` are HTML.
pub(crate) fn page((status, look): (StatusCode, &Look), title: &str, main: &str, forms: &str) -> Reply {
    let Look { theme, palette, density } = look;
    let [theme, palette, density] = [theme, palette, density].map(|word| escaped(word));
    let html = format!(
        "<!doctype html>\n\
         <html lang=\"en\" translate=\"no\" data-theme=\"{theme}\" data-palette=\"{palette}\" data-density=\"{density}\">\n\
         <head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"google\" content=\"notranslate\">\n<title>{title} – Buttonwood</title>\n\
         <link rel=\"icon\" href=\"/site/leaf.svg\">\n<link rel=\"stylesheet\" href=\"/site/base.css\">\n\
         <link rel=\"stylesheet\" href=\"/site/person.css\">\n<link rel=\"stylesheet\" href=\"/site/auth.css\">\n</head>\n\
         <body class=\"narrow person auth\">\n<a class=\"skip\" href=\"#main\">Skip to the page</a>\n<header class=\"top\">\n\
         <a class=\"brand\" href=\"/\"><img src=\"/site/leaf.svg\" alt=\"\" width=\"20\" height=\"20\"> Buttonwood</a>\n\
         <nav class=\"main-nav\" aria-label=\"Pages\"><ul>{links}</ul></nav>\n</header>\n\
         <main id=\"main\" tabindex=\"-1\">\n{main}</main>\n</body>\n</html>\n",
        links = links()
    );
    let policy = format!(
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action {forms}; frame-ancestors 'none'"
    );
    let policy = HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static(
        "default-src 'none'; form-action 'none'; frame-ancestors 'none'",
    ));
    let reply = Reply::page("text/html; charset=utf-8", html.into_bytes()).with_status(status);
    reply.with_policy(policy).uncached()
}

fn links() -> String {
    LINKS.iter().fold(String::new(), |mut out, (path, words)| {
        // A string takes any text.
        let _ = write!(out, "<li><a href=\"{path}\">{words}</a></li>");
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Choices that a user's preferences lack, or have in another form, are those of a new visitor.
    #[test]
    fn a_look_is_read() {
        let theme = |text: &str| serde_json::from_str::<Look>(text).unwrap_or_default().theme;
        for (kept, expected) in [
            (r#"{"theme":"dark","zone":"utc"}"#, "dark"),
            ("{}", "system"),
            (r#"{"theme":7}"#, "system"),
            (r#"{"palette":"blind"}"#, "system"),
        ] {
            assert_eq!(theme(kept), expected, "{kept}");
        }
    }
}
