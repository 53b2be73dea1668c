//! Catches of the site's scripts that hide a failure.

/// Catches of a script that make nothing of what they caught, so that a failure shows nowhere.
pub(super) fn silent(file: &str, text: &str) -> Vec<String> {
    const WORD: &str = "catch";
    let is_comment = |at: usize| {
        let line = text.get(..at).unwrap_or_default().rsplit('\n').next();
        line.is_some_and(|line| line.trim_start().starts_with("//"))
    };
    let mut wrong = Vec::new();
    for (at, _) in text.match_indices(WORD).filter(|(at, _)| !is_comment(*at)) {
        let (before, rest) =
            (text.get(..at).unwrap_or_default(), text.get(at + WORD.len()..).unwrap_or_default());
        let rest = rest.trim_start();
        let says = match enclosed(rest, '(', ')') {
            // A promise's: a function named elsewhere, or one written here.
            Some((handler, _)) if before.ends_with('.') => {
                handler.split_once("=>").is_none_or(|(name, body)| uses(name, body))
            }
            Some((name, after)) => {
                enclosed(after.trim_start(), '{', '}').is_some_and(|(body, _)| uses(name, body))
            }
            None => !rest.starts_with('{'),
        };
        if !says {
            let line = before.matches('\n').count() + 1;
            wrong.push(format!("{file}:{line}: a catch that says nothing of what it caught"));
        }
    }
    wrong
}

/// Whether the code of a body has one of the names that a catch gives what it caught. A comment does not count, and `void` does nothing.
fn uses(names: &str, body: &str) -> bool {
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    let lines = body.lines().filter(|line| !is_comment(line));
    let code: Vec<&str> = lines.map(|line| line.split(" // ").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    words(names).any(|name| {
        let mut before = "";
        words(&code).any(|word| std::mem::replace(&mut before, word) != "void" && word == name)
    })
}

/// The names and other words in a piece of code.
fn words(code: &str) -> impl Iterator<Item = &str> {
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    code.split(move |character| !is_part(character)).filter(|word| !word.is_empty())
}

/// The text between a text's first character, if it is this bracket, and the bracket that closes it; and the text after that.
fn enclosed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let inside = text.strip_prefix(open)?;
    let mut depth = 1;
    let end = inside.find(|character| {
        depth += i32::from(character == open) - i32::from(character == close);
        depth == 0
    })?;
    Some((inside.get(..end)?, inside.get(end + close.len_utf8()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catch_says_what_failed() {
        for text in [
            "catch {\n  say();\n}",
            "catch (why) { }",
            "catch (why) {\n// fine\n}",
            "p.catch(() => {})",
            "p.catch((why) => {})",
            "catch (e) {\n  return null;\n}",
            "catch (why) {\n  go(); // whatever why\n}",
            "catch (why) { void why; }",
            "p.catch((why) => void why)",
            "catch ({ message }) { return \"\"; }",
        ] {
            let text = format!("try {{ f(); }}\n{text}\n");
            let wanted = ["site.js:2: a catch that says nothing of what it caught"];
            assert_eq!(silent("site.js", &text), wanted, "{text}");
        }
        for text in [
            "catch (why) { if (x) { say(why); } }",
            "p.catch(report)",
            "p.catch((why) => say(why))",
            "// catch {",
            "catch (e) { return e.message; }",
            "catch ({ message, status }) { say(message); }",
            "catch (why) {\n  // Nothing is lost.\n  say(`failed: ${why.message}`);\n}",
            "catch (why) { say(\"https://a\", why); }",
        ] {
            assert!(silent("site.js", text).is_empty(), "{text}");
        }
    }
}
