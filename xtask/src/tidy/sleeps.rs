//! Tests that sleep: a fixed time is too short on a busy machine and too long on every other.
//!
//! A test waits for what it needs (`wait_until` and `comes_within` of `proof/testing`, or a loop over `yield_now`). A test about real time
//! itself says so (`let_pass`).

/// The call, in halves so that this file does not contain it.
const CALL: (&str, &str) = ("sleep", "(");

/// The crate that waits for all others.
const ALLOWED: &str = "proof/testing/";

/// Crates that are tests as a whole.
const OF_TESTS: [&str; 1] = ["proof/accept/"];

/// The calls in a file's tests.
pub(super) fn fixed(file: &str, text: &str) -> Vec<String> {
    if file.starts_with(ALLOWED) {
        return Vec::new();
    }
    let is_test = file.split('/').any(|part| matches!(part, "tests" | "tests.rs"))
        || OF_TESTS.iter().any(|folder| file.starts_with(folder));
    let call = [CALL.0, CALL.1].concat();
    let logic = if is_test { 0 } else { text.lines().take_while(|line| *line != "mod tests {").count() };
    let tests = (1..).zip(text.lines()).skip(logic);
    let calls = tests.filter(|(_, line)| line.contains(&call) && !line.trim_start().starts_with("//"));
    let say = |number: usize| {
        format!(
            "{file}:{number}: a test sleeps: wait for a condition, or say `let_pass` of proof/testing and why"
        )
    };
    calls.map(|(number, _)| say(number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_tests_are_found() {
        let text = "//! Head.\nfn wait() {\n    std::thread::sleep\u{28}time);\n}\n";
        for file in ["proof/accept/tests/accept/a.rs", "proof/accept/src/a.rs", "edge/http/src/tests.rs"] {
            let wrong = fixed(file, text);
            assert!(
                wrong.len() == 1 && wrong[0].starts_with(&format!("{file}:3: a test sleeps")),
                "{wrong:?}"
            );
        }
        for file in ["proof/testing/src/wait.rs", "edge/http/src/server.rs"] {
            assert!(fixed(file, text).is_empty(), "{file}");
        }
        let inside = format!("{text}mod tests {{\n    // sleep\u{28}\n    sleep\u{28}time).await;\n}}\n");
        assert_eq!(fixed("edge/http/src/server.rs", &inside).len(), 1);
    }
}
