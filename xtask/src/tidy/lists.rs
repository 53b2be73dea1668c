//! Lists of the site that are cut in silence: a list is cut by `lists.js`, which says so on the page. Texts are cut by `substring`, so that
//! a `slice` is known to be of a list.

use super::scripts::SITE;

/// The one module that cuts lists.
const MODULE: &str = "lists.js";
/// Cuts of lists: the first entries, and the last ones.
const CUTS: [&str; 2] = [".slice(0,", ".slice(-"];

/// The cuts of lists of a script.
pub(super) fn cuts(file: &str, text: &str) -> Vec<String> {
    if file.strip_prefix(SITE) == Some(MODULE) {
        return Vec::new();
    }
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim_start().starts_with("//"));
    lines
        .filter(|(_, line)| CUTS.iter().any(|cut| line.contains(cut)))
        .map(|(number, _)| {
            format!("{file}:{number}: a list is cut by `part` of {MODULE}, a text by `substring`")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_cut_in_one_place() {
        for text in ["const shown = rows.slice(0, 20);", "x = all.slice(-MOST)"] {
            let wanted = ["site.js:1: a list is cut by `part` of lists.js, a text by `substring`"];
            assert_eq!(cuts("site.js", text), wanted, "{text}");
            assert!(cuts("edge/site/assets/lists.js", text).is_empty(), "{text}");
            assert_eq!(cuts("edge/site/assets/trade/lists.js", text).len(), 1, "{text}");
        }
        for text in ["text.substring(0, 4)", "items.slice(from, from + count)", "// rows.slice(0, 20)"] {
            assert!(cuts("site.js", text).is_empty(), "{text}");
        }
    }
}
