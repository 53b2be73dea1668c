//! Tokens of apps (OAUTH-015, OAUTH-016; INV-AUTH-4, -6): of all refreshes with one token, concurrent ones too, at most one gives tokens, and
//! one does while the family lives; what was revoked acts no more after the answer, also after a crash, and nothing else ends. Judged
//! separately, since a token's calls touch no orders.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

use crate::operation::History;

/// Nanoseconds after a refresh within which another one with the same token is a race, which ends nothing.
const RACE: u64 = 10_000_000_000;

/// The request of an app, with a name for each token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenCall {
    /// A user's grant, with which a family begins.
    Begin,
    /// A refresh with this token.
    Refresh(String),
    /// A call of the interface with this access token.
    Use(String),
    /// The end of this access token.
    Revoke(String),
    /// The end of the family, by this refresh token.
    End(String),
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenReply {
    /// A new access token, and a new refresh token.
    Given(String, String),
    /// Done.
    Done,
    /// Refused as a dead token is.
    Refused,
}

/// One request of one app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUse {
    /// The family of the token.
    pub family: u64,
    /// The request.
    pub call: TokenCall,
    /// The time just before it was sent, on the clock of the history.
    pub invoked: u64,
    /// The time of the answer, and the answer. `None` if it is unknown whether it happened.
    pub answer: Option<(u64, TokenReply)>,
}

impl fmt::Display for TokenUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { family, call, invoked, answer } = self;
        write!(f, "[{invoked}..] family {family}: {call:?}")?;
        answer.as_ref().map_or(Ok(()), |(responded, reply)| write!(f, " => {reply:?} at {responded}"))
    }
}

impl TokenUse {
    fn responded(&self) -> u64 {
        self.answer.as_ref().map_or(u64::MAX, |(responded, _)| *responded)
    }

    fn reply(&self) -> Option<&TokenReply> {
        self.answer.as_ref().map(|(_, reply)| reply)
    }

    fn has_given(&self) -> bool {
        matches!(self.reply(), Some(TokenReply::Given(..)))
    }

    /// Whether it may have been done: it was not refused.
    fn may_have_counted(&self) -> bool {
        self.reply() != Some(&TokenReply::Refused)
    }

    fn is_refresh_of(&self, token: &str) -> bool {
        matches!(&self.call, TokenCall::Refresh(known) if known == token)
    }
}

/// Returns what is wrong with how the tokens of a history worked.
pub(crate) fn judge(history: &History) -> Result<(), String> {
    let mut families: BTreeMap<u64, Vec<&TokenUse>> = BTreeMap::new();
    for call in &history.tokens {
        families.entry(call.family).or_default().push(call);
    }
    families.values().try_for_each(|calls| Family(calls).judge())
}

/// The calls of a family.
struct Family<'h>(&'h [&'h TokenUse]);

impl Family<'_> {
    fn judge(&self) -> Result<(), String> {
        self.0.iter().try_for_each(|call| match &call.call {
            TokenCall::Begin | TokenCall::Revoke(_) | TokenCall::End(_) => Ok(()),
            TokenCall::Refresh(token) => self.judge_refresh(call, token),
            TokenCall::Use(token) => self.judge_use(call, token),
        })
    }

    fn judge_refresh(&self, call: &TokenUse, token: &str) -> Result<(), String> {
        let others =
            || self.0.iter().filter(|other| other.is_refresh_of(token) && !std::ptr::eq(**other, call));
        match call.reply() {
            Some(TokenReply::Given(..)) => {
                if let Some(twice) = others().find(|other| other.has_given()) {
                    return Err(format!("a refresh token worked twice:\n  {twice}\n  {call}\n"));
                }
                self.check_alive(call, None)
            }
            Some(TokenReply::Refused) => {
                let may_have_used = |other: &TokenUse| {
                    // A refresh whose new tokens end before its answer is refused, and has used the token all the same.
                    let may_hide_a_use = self.may_have_ended(other, None);
                    other.invoked < call.responded() && (other.may_have_counted() || may_hide_a_use)
                };
                if others().any(|other| may_have_used(other)) || self.may_have_ended(call, None) {
                    return Ok(());
                }
                Err(format!("a refresh token was refused that nothing had used or ended:\n  {call}\n"))
            }
            Some(TokenReply::Done) | None => Ok(()),
        }
    }

    fn judge_use(&self, call: &TokenUse, token: &str) -> Result<(), String> {
        match call.reply() {
            Some(TokenReply::Done) => self.check_alive(call, Some(token)),
            Some(TokenReply::Refused) if !self.may_have_ended(call, Some(token)) => {
                Err(format!("an access token was refused that nothing had ended:\n  {call}\n"))
            }
            Some(TokenReply::Given(..) | TokenReply::Refused) | None => Ok(()),
        }
    }

    /// The calls that end an access token, or the whole family.
    fn ends(&self, access: Option<&str>) -> impl Iterator<Item = &TokenUse> {
        self.0.iter().copied().filter(move |other| match &other.call {
            TokenCall::End(_) => true,
            TokenCall::Revoke(known) => Some(known.as_str()) == access,
            TokenCall::Begin | TokenCall::Refresh(_) | TokenCall::Use(_) => false,
        })
    }

    /// Checks that no end had been acknowledged before a call that succeeded. A consumed refresh token may be no token any more, so that its
    /// revocation ends nothing.
    fn check_alive(&self, call: &TokenUse, access: Option<&str>) -> Result<(), String> {
        let is_certain = |end: &&TokenUse| match &end.call {
            TokenCall::End(token) => !self
                .0
                .iter()
                .any(|it| it.is_refresh_of(token) && it.may_have_counted() && it.invoked < end.responded()),
            TokenCall::Begin | TokenCall::Refresh(_) | TokenCall::Use(_) | TokenCall::Revoke(_) => true,
        };
        match self.ends(access).filter(is_certain).find(|end| end.responded() < call.invoked) {
            Some(end) => Err(format!("a token acted after its end:\n  {end}\n  {call}\n")),
            None => Ok(()),
        }
    }

    /// Whether an end may have come before the answer of a call: one that was sent, or a consumed token that came late.
    fn may_have_ended(&self, call: &TokenUse, access: Option<&str>) -> bool {
        let is_late = |other: &&TokenUse| {
            let TokenCall::Refresh(token) = &other.call else { return false };
            let mut uses = self.0.iter().filter(|it| it.is_refresh_of(token) && it.may_have_counted());
            other.invoked < call.responded()
                && uses.any(|used| !std::ptr::eq(*used, *other) && other.responded() > used.invoked + RACE)
        };
        let may_end = |end: &TokenUse| end.may_have_counted() && end.invoked < call.responded();
        self.ends(access).any(may_end)
            || self.0.iter().copied().any(|other| !other.has_given() && is_late(&other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    type Row = (&'static str, &'static str, u64, Option<(u64, &'static str)>);

    /// Judges the calls of one family: what, of which token, sent, answered.
    fn judged(rows: &[Row]) -> Result<(), String> {
        let call = |what: &str, token: &str| match what {
            "refresh" => TokenCall::Refresh(token.to_owned()),
            "use" => TokenCall::Use(token.to_owned()),
            "revoke" => TokenCall::Revoke(token.to_owned()),
            _ => TokenCall::End(token.to_owned()),
        };
        let reply = |text: &str| match text {
            "refused" => TokenReply::Refused,
            "done" => TokenReply::Done,
            new => TokenReply::Given(format!("{new}-access"), new.to_owned()),
        };
        let tokens = rows.iter().map(|(what, token, invoked, answer)| TokenUse {
            family: 1,
            call: call(what, token),
            invoked: *invoked,
            answer: answer.map(|(at, text)| (at, reply(text))),
        });
        match (History { tokens: tokens.collect(), ..History::default() }).judge() {
            Verdict::Legal(_) => Ok(()),
            Verdict::Illegal(why) | Verdict::Undecided(why) => Err(why),
        }
    }

    #[track_caller]
    fn illegal(rows: &[Row], words: &str) {
        let why = judged(rows).expect_err("it is illegal");
        assert!(why.contains(words), "{why}");
    }

    /// One of two concurrent refreshes wins; two winners are found, and two losers.
    #[test]
    fn one_refresh_wins() {
        let loser = ("refresh", "a", 1, Some((4, "refused")));
        assert_eq!(judged(&[("refresh", "a", 2, Some((3, "b"))), loser]), Ok(()));
        assert_eq!(judged(&[("refresh", "a", 2, None), loser]), Ok(()));
        illegal(&[("refresh", "a", 2, Some((3, "b"))), ("refresh", "a", 1, Some((4, "c")))], "worked twice");
        illegal(&[("refresh", "a", 2, Some((3, "refused"))), loser], "nothing had used");
        illegal(&[loser, ("refresh", "a", 5, Some((6, "b")))], "nothing had used");
    }

    /// A refresh whose new tokens end before its answer is refused, and so is one that was sent before that end: the token is used.
    #[test]
    fn a_refusal_may_hide_a_use() {
        let [hidden, loser] =
            [("refresh", "a", 1, Some((8, "refused"))), ("refresh", "a", 2, Some((3, "refused")))];
        assert_eq!(judged(&[hidden, loser, ("end", "a", 4, Some((5, "done")))]), Ok(()));
        illegal(&[hidden, loser, ("end", "a", 9, Some((10, "done")))], "nothing had used");
        illegal(&[hidden, loser], "nothing had used");
    }

    /// A revoked token acts no more, and a revocation without an answer leaves both.
    #[test]
    fn an_end_holds() {
        for end in [("revoke", "x", 1, Some((2, "done"))), ("end", "a", 1, Some((2, "done")))] {
            assert_eq!(judged(&[end, ("use", "x", 3, Some((4, "refused")))]), Ok(()));
            illegal(&[end, ("use", "x", 3, Some((4, "done")))], "acted after its end");
        }
        illegal(
            &[("end", "a", 1, Some((2, "done"))), ("refresh", "a", 3, Some((4, "b")))],
            "acted after its end",
        );
        let [used, end] = [("refresh", "a", 0, None), ("end", "a", 1, Some((2, "done")))];
        assert_eq!(judged(&[used, end, ("use", "x", 3, Some((4, "done")))]), Ok(()));
        for seen in ["done", "refused"] {
            assert_eq!(judged(&[("revoke", "x", 1, None), ("use", "x", 3, Some((4, seen)))]), Ok(()));
        }
    }

    /// Nothing ends by itself: not by the end of another access token, nor by a race; a late reuse ends the family.
    #[test]
    fn nothing_else_ends() {
        illegal(&[("use", "x", 3, Some((4, "refused")))], "nothing had ended");
        illegal(
            &[("revoke", "y", 1, Some((2, "done"))), ("use", "x", 3, Some((4, "refused")))],
            "nothing had ended",
        );
        let race = [("refresh", "a", 1, Some((2, "b"))), ("refresh", "a", 3, Some((4, "refused")))];
        illegal(&[race[0], race[1], ("use", "x", 5, Some((6, "refused")))], "nothing had ended");
        let late = ("refresh", "a", RACE, Some((RACE + 3, "refused")));
        assert_eq!(judged(&[race[0], late, ("use", "x", RACE + 5, Some((RACE + 6, "refused")))]), Ok(()));
        illegal(&[race[0], late, ("use", "x", 5, Some((6, "refused")))], "nothing had ended");
    }
}
