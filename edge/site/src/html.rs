//! HTML as text: templates.

/// Fills the `{{name}}` marks of a template in one pass, so that a value is never read as a template. A value is HTML.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(2 * template.len());
    let mut rest = template;
    while let Some((before, mark)) = rest.split_once("{{") {
        out.push_str(before);
        let (name, after) = mark.split_once("}}").unwrap_or((mark, ""));
        out.extend(values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value));
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_filled_once() {
        let values = [("a", "{{b}}"), ("b", "<i>")];
        assert_eq!(fill("{{a}} and {{b}}, {{c}}.", &values), "{{b}} and <i>, .");
        assert_eq!(fill("none", &values), "none");
    }
}
