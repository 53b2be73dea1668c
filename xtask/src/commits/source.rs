//! The names that a file of Rust code defines, and those that it needs: read from its text alone.
//!
//! Too much counts as defined rather than too little, so that a commit that builds is never refused: every function and variant has
//! its name, and so has each word in a macro, but for those of the language, since macros define items under names that they are
//! given.

use std::collections::BTreeSet;

use super::tokens::{Token, tokens};

/// The keywords after which a name is defined.
const DEFINING: [&str; 9] = ["struct", "enum", "union", "trait", "type", "fn", "const", "static", "mod"];

/// Macros that define nothing.
const PLAIN: [&str; 18] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprintln",
    "format",
    "format_args",
    "json",
    "matches",
    "panic",
    "print",
    "println",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Nested braces have a limit, since code that is no Rust may have any number.
const DEPTH: usize = 32;

/// A name that a file imports: its path, and another name for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) path: Vec<String>,
    pub(super) alias: Option<String>,
}

/// The names of a file.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Modules in files of their own, each below the inline modules that hold it.
    pub(super) modules: Vec<Vec<String>>,
    pub(super) defined: BTreeSet<String>,
    /// The paths of its `use` lines.
    pub(super) imports: Vec<Import>,
    /// Paths from `crate` or from a crate of ours in other lines, with their first name alone: a type may have the next.
    pub(super) paths: Vec<Import>,
    /// Files that become part of the program.
    pub(super) included: Vec<String>,
}

/// The inline modules around a place.
#[derive(Default)]
struct Inline {
    /// Each with the number of braces around it.
    modules: Vec<(String, usize)>,
    depth: usize,
}

impl Inline {
    fn pass(&mut self, token: &Token) {
        if token.is('{') {
            self.depth += 1;
        } else if token.is('}') {
            self.depth = self.depth.saturating_sub(1);
            self.modules.retain(|(_, around)| *around < self.depth);
        }
    }

    /// The path of a module in a file of its own.
    fn path(&self, name: &str) -> Vec<String> {
        let around = self.modules.iter().map(|(module, _)| module.as_str());
        around.chain([name]).map(str::to_owned).collect()
    }
}

impl Facts {
    pub(super) fn of(text: &str) -> Self {
        let tokens = tokens(text);
        let mut facts = Self::default();
        let mut inline = Inline::default();
        let mut rest = tokens.as_slice();
        let mut is_inside = false;
        while let [token, after @ ..] = rest {
            inline.pass(token);
            rest = match token.word() {
                Some(word) => facts.word(word, after, &mut inline, is_inside),
                None => after,
            };
            // The word after it is inside of a path that began before, or in one of a macro.
            is_inside = token.is('$') || token.is(':');
        }
        facts
    }

    /// One word; the tokens to go on with.
    fn word<'a>(
        &mut self,
        word: &str,
        after: &'a [Token],
        inline: &mut Inline,
        is_inside: bool,
    ) -> &'a [Token] {
        if DEFINING.contains(&word) {
            self.defined.extend(after.first().and_then(Token::word).map(str::to_owned));
        }
        match (word, after) {
            ("mod", [Token::Word(name), Token::Mark('{'), ..]) => {
                inline.modules.push((name.clone(), inline.depth));
            }
            ("mod", [Token::Word(name), Token::Mark(';'), ..]) => self.modules.push(inline.path(name)),
            ("use", _) => return self.import(after),
            ("enum", _) => self.variants(after),
            ("macro_rules", [Token::Mark('!'), Token::Word(_), Token::Mark('{'), ..]) => {
                return self.rules(after);
            }
            ("include_str" | "include_bytes", [_, Token::Mark('('), Token::Text(file), ..]) => {
                self.included.push(file.clone());
            }
            (_, [Token::Mark('!'), Token::Mark('{' | '(' | '['), ..]) if !PLAIN.contains(&word) => {
                self.words(after);
            }
            _ if !is_inside => self.path(word, after),
            _ => {}
        }
        after
    }

    /// A `use` line, after its first word; the tokens after it.
    fn import<'a>(&mut self, tokens: &'a [Token]) -> &'a [Token] {
        // `use<'a>` of a type, or a path in a macro.
        if tokens.first().is_some_and(|token| token.is('<') || token.is('$')) {
            return tokens;
        }
        let end = tokens.iter().position(|token| token.is(';')).unwrap_or(tokens.len());
        let (line, after) = tokens.split_at(end);
        self.tree(line, &[], 0);
        after
    }

    /// One branch of a `use` line after another; the tokens after the last.
    fn tree<'a>(&mut self, mut line: &'a [Token], prefix: &[String], depth: usize) -> &'a [Token] {
        let mut path = prefix.to_vec();
        let mut alias = None;
        while let [token, after @ ..] = line {
            line = after;
            match token {
                Token::Word(word) if word == "as" => alias = after.first().and_then(Token::word),
                Token::Word(word) if alias != Some(word.as_str()) => path.push(word.clone()),
                // A glob names nothing.
                Token::Mark('*') => path.clear(),
                Token::Mark('{') if depth < DEPTH => {
                    line = self.tree(after, &path, depth + 1);
                    path.clear();
                }
                Token::Mark(',') => self.branch(&mut path, alias.take(), prefix),
                Token::Mark('}') => break,
                Token::Word(_) | Token::Text(_) | Token::Mark(_) => {}
            }
        }
        self.branch(&mut path, alias, prefix);
        line
    }

    fn branch(&mut self, path: &mut Vec<String>, alias: Option<&str>, prefix: &[String]) {
        if path.len() > prefix.len() {
            let alias = alias.map(str::to_owned);
            self.imports.push(Import { path: path.clone(), alias });
        }
        path.clear();
        path.extend_from_slice(prefix);
    }

    /// A path outside of `use` lines.
    fn path(&mut self, root: &str, after: &[Token]) {
        if (root == "crate" || root.starts_with("buttonwood_"))
            && let [Token::Mark(':'), Token::Mark(':'), Token::Word(name), ..] = after
        {
            self.paths.push(Import { path: vec![root.to_owned(), name.clone()], alias: None });
        }
    }

    /// The variants of an enum, after its first word.
    fn variants(&mut self, tokens: &[Token]) {
        let mut depth = 0_usize;
        let mut is_next = false;
        for token in tokens {
            match token {
                Token::Mark('{' | '(' | '[') => {
                    depth += 1;
                    is_next |= depth == 1;
                }
                Token::Mark('}' | ')' | ']') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return;
                    }
                }
                Token::Mark(',') if depth == 1 => is_next = true,
                Token::Mark(';') if depth == 0 => return,
                Token::Word(word) if depth == 1 && is_next => {
                    self.defined.insert(word.clone());
                    is_next = false;
                }
                Token::Word(_) | Token::Text(_) | Token::Mark(_) => {}
            }
        }
    }

    /// The rules of a macro: its name and all words in it are defined, and its paths are those of a caller. The tokens after it.
    fn rules<'a>(&mut self, tokens: &'a [Token]) -> &'a [Token] {
        self.defined.extend(tokens.get(1).and_then(Token::word).map(str::to_owned));
        self.words(tokens);
        tokens.get(block(tokens)..).unwrap_or_default()
    }

    /// The words of the block that comes next.
    fn words(&mut self, tokens: &[Token]) {
        let inside = tokens.get(..block(tokens)).unwrap_or_default();
        self.defined.extend(inside.iter().filter_map(Token::word).map(str::to_owned));
    }
}

/// The number of tokens to the end of the block that comes next, in whatever brackets.
fn block(tokens: &[Token]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        if ['{', '(', '['].iter().any(|open| token.is(*open)) {
            depth += 1;
        } else if ['}', ')', ']'].iter().any(|close| token.is(*close)) {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + 1;
            }
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The imports as texts, such as `crate::a::B as C`.
    fn imports(text: &str) -> Vec<String> {
        let short = |import: &Import| match &import.alias {
            Some(alias) => format!("{} as {alias}", import.path.join("::")),
            None => import.path.join("::"),
        };
        Facts::of(text).imports.iter().map(short).collect()
    }

    fn defines(text: &str, names: &[&str]) {
        let defined = Facts::of(text).defined;
        let wanted: BTreeSet<String> = names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(defined, wanted, "{text}");
    }

    #[test]
    fn a_use_line_names_each_of_its_paths() {
        assert_eq!(imports("use crate::a::B;"), ["crate::a::B"]);
        assert_eq!(imports("pub(crate) use super::B as C;"), ["super::B as C"]);
        assert_eq!(
            imports("use crate::{a::{self, B as _, c::*}, D};\nuse std::fmt;"),
            ["crate::a::self", "crate::a::B as _", "crate::D", "std::fmt"]
        );
        assert_eq!(imports("fn f() -> impl Iterator + use<'_> { a::<B>() }"), [""; 0]);
        assert_eq!(imports("use $crate::a::B;"), [""; 0]);
        defines("fn a() -> impl Iterator + use<> { b }\nstruct C;", &["a", "C"]);
    }

    #[test]
    fn other_paths_have_their_first_name() {
        let facts = Facts::of("fn f() -> crate::A { buttonwood_num::b::c(self::d, $crate::e, std::f) }");
        let paths: Vec<String> = facts.paths.iter().map(|import| import.path.join("::")).collect();
        assert_eq!(paths, ["crate::A", "buttonwood_num::b"]);
    }

    #[test]
    fn modules_are_below_those_that_hold_them() {
        let facts = Facts::of("mod a;\n#[cfg(test)]\nmod tests {\n    fn f() {}\n    mod b;\n}\npub mod c;");
        assert_eq!(facts.modules, [vec!["a"], vec!["tests", "b"], vec!["c"]]);
    }

    #[test]
    fn items_and_variants_are_defined() {
        defines("pub struct A; pub(crate) const fn b() {} static C: u8 = 1;", &["A", "fn", "b", "C"]);
        defines(
            "enum A<T> { #[default(x)] B, C { d: T, e: T }, F(u8) = 3, }\nstruct G;",
            &["A", "B", "C", "F", "G"],
        );
        defines("// struct A;\nlet b = \"struct C\";", &[]);
    }

    #[test]
    fn words_in_macros_are_defined() {
        defines("ids!(A, B);\nmatches!(c, D);", &["A", "B"]);
        defines("request! { /// Names.\n New in Payload { a } }", &["New", "in", "Payload", "a"]);
        defines(
            "macro_rules! make { ($a:ident) => { use crate::B; } }\nstruct C;",
            &["make", "a", "ident", "use", "crate", "B", "C"],
        );
        assert_eq!(imports("macro_rules! make { ($a:ident) => { use crate::B; } }"), [""; 0]);
        defines("assert!(a == b);", &[]);
    }

    #[test]
    fn included_files_are_named() {
        let facts = Facts::of("const A: &str = include_str!(\"../a.md\"); include!(concat!(\"b\"));");
        assert_eq!(facts.included, ["../a.md"]);
    }
}
