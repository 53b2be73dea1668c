//! The consent page as a browser sees it: its form, and the redirect that answers it.

use crate::answer::Answer;

/// Pairs as a form or a query.
pub fn encoded(pairs: &[(&str, &str)]) -> String {
    let escape = |text: &str| {
        text.bytes().fold(String::new(), |out, byte| {
            if byte.is_ascii_alphanumeric() {
                out + &char::from(byte).to_string()
            } else {
                format!("{out}%{byte:02X}")
            }
        })
    };
    let pairs: Vec<_> =
        pairs.iter().map(|(name, value)| format!("{}={}", escape(name), escape(value))).collect();
    pairs.join("&")
}

/// The hidden fields of a consent page's form, as a browser reads them.
pub fn hidden(page: &str) -> Vec<(String, String)> {
    let plain = |text: &str| {
        text.replace("&quot;", "\"")
            .replace("&#39;", "'")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&")
    };
    let value = |tag: &str, name: &str| {
        tag.split(&format!("{name}=\"")).nth(1).and_then(|rest| rest.split('"').next()).map(plain)
    };
    let tags = page.split("<input ").skip(1).filter(|tag| tag.contains("type=\"hidden\""));
    tags.filter_map(|tag| Some((value(tag, "name")?, value(tag, "value")?))).collect()
}

/// A parameter of the address to which an answer redirects.
pub fn redirected(answer: &Answer, name: &str) -> Option<String> {
    let location = answer.reply.header("location")?.to_string();
    let (_, query) = location.split_once(['?', '#'])?;
    let value = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")))?;
    Some(value.to_owned())
}
