//! Figures of the site that a script groups by itself: `figures.js` writes them, so that all pages write them alike.

use super::scripts::SITE;

/// The modules that may group digits: the one that writes figures, and the one that it is made of.
const MODULES: [&str; 2] = ["figures.js", "decimal.js"];
/// The functions that they alone use.
const BY_HAND: [&str; 3] = ["grouped(", ".toLocaleString(", "Intl.NumberFormat("];

/// The figures that a script writes by itself.
pub(super) fn by_hand(file: &str, text: &str) -> Vec<String> {
    if file.strip_prefix(SITE).is_some_and(|name| MODULES.contains(&name)) {
        return Vec::new();
    }
    let lines = (1..).zip(text.lines());
    lines
        .filter(|(_, line)| BY_HAND.iter().any(|call| line.contains(call)))
        .map(|(number, _)| format!("{file}:{number}: a figure is written by a function of {}", MODULES[0]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_written_in_one_place() {
        for text in ["html`${grouped(row.last)}`", "count.toLocaleString()", "new Intl.NumberFormat(\"en\")"]
        {
            let wanted = ["site.js:1: a figure is written by a function of figures.js"];
            assert_eq!(by_hand("site.js", text), wanted, "{text}");
            assert!(by_hand("edge/site/assets/figures.js", text).is_empty(), "{text}");
            assert_eq!(by_hand("edge/site/assets/trade/figures.js", text).len(), 1, "{text}");
        }
        assert!(by_hand("site.js", "import { steps } from \"./grouped.js\";").is_empty());
    }
}
