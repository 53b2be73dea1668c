//! Programs: short lists of acts, and their text, one act a line. A line that begins with `#` says something to people.
//!
//! ```text
//! place a.rich btcusd sell 1.9 at 0.01
//! quote a.poor btcusd buy 0.019
//! cancel a.rich
//! execute a.poor
//! deal a.rich b.rich btcusd sell 1 at 50000
//! stake a.rich eth-now 10
//! bet a.rich rain buy no 100 at 0.4
//! resolve rain no
//! wait 3600
//! place b.rich btcusd buy 0.00001 at 25000
//! repeat 1 1000
//! ```

use super::thefts::{THEFTS, Theft};
use super::world::{COINS, CONTRACTS, MARKETS, ONE, PEOPLE, POOLS};
use buttonwood_model::{Claim, ExecutionOption, Side};
use buttonwood_num::{Decimal, Money};
use std::fmt;
use std::str::FromStr;

/// How much of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    /// In units of money.
    Exact(i128),
    /// So many hundredths of what the account can give.
    Share(u8),
}

/// One act of an adversary, or of the house at its wish. People, markets and currencies are places in the tables of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Places a limit order; with a stop price, one that waits for it.
    Place {
        who: usize,
        market: usize,
        side: Side,
        amount: Amount,
        price: i128,
        option: Option<ExecutionOption>,
        margin: bool,
        stop: Option<i128>,
    },
    /// Places a market order: a buy names what it spends.
    Market { who: usize, market: usize, side: Side, amount: Amount, margin: bool },
    /// Cancels all its orders.
    Cancel { who: usize },
    /// Gets a quote for an instant order: a buy names what it spends.
    Quote { who: usize, market: usize, side: Side, amount: Amount },
    /// Executes its newest quote.
    Execute { who: usize },
    /// Wraps dollars (a buy), or unwraps them.
    Wrap { who: usize, side: Side, amount: Amount },
    /// Moves money to another account of its group.
    Send { who: usize, to: usize, coin: usize, amount: Amount },
    /// Gets an ACH credit of dollars, an advance until it clears.
    Ach { who: usize, amount: Amount },
    /// The bank takes its oldest advance back.
    Return { who: usize },
    /// Pays dollars to its bank.
    Pay { who: usize, amount: Amount },
    /// Withdraws to the address that its group has approved.
    Withdraw { who: usize, coin: usize, amount: Amount },
    /// Enters a clearing order with another account, or with anyone who has its id; a broker may enter it for both.
    Deal {
        who: usize,
        to: Option<usize>,
        market: usize,
        side: Side,
        amount: Amount,
        price: i128,
        by: Option<usize>,
    },
    /// Confirms the newest clearing order that awaits it.
    Confirm { who: usize },
    /// Cancels the newest clearing order that awaits a confirmation and is its own.
    Retract { who: usize },
    /// Stakes coins of a pool.
    Stake { who: usize, pool: usize, amount: Amount },
    /// Redeems coins of a pool; a share is of what it has staked.
    Unstake { who: usize, pool: usize, amount: Amount },
    /// Places an order of a contract, in its own view. A share is of what its money pays for, or of the claims that it has.
    Bet {
        who: usize,
        contract: usize,
        side: Side,
        claim: Claim,
        amount: Amount,
        price: i128,
        option: Option<ExecutionOption>,
    },
    /// The house resolves the event of a contract, with this outcome of the contract.
    Resolve { contract: usize, claim: Claim },
    /// The house disputes the outcome of the event of a contract.
    Dispute { contract: usize },
    /// The house makes the event of a contract void: at a value, or by the costs.
    Void { contract: usize, value: Option<i128> },
    /// The house halts the event of a contract, or lets it go on.
    Halt { contract: usize },
    /// Tries what belongs to the other group's app, what its own may not, or what takes two operators.
    Steal { who: usize, way: Theft },
    /// So many seconds pass.
    Wait { seconds: u64 },
    /// The last `acts` acts before it come again so many times, waits apart.
    Repeat { acts: usize, times: u64 },
    /// The house schedules an auction two minutes from now.
    Auction { market: usize },
    /// The house breaks the newest trade of a market, if it may.
    Break { market: usize },
    /// The house promotes a market: its fees are zero.
    Promote { market: usize },
    /// The house gives tiers of fees: nothing is paid from a volume of 10,000 dollars on.
    Tiers,
}

/// A list of acts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    pub(super) acts: Vec<Act>,
}

/// A line that is no act, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(pub String);

impl fmt::Display for Unreadable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Act {
    /// The word that its line begins with.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Place { .. } => "place",
            Self::Market { .. } => "market",
            Self::Cancel { .. } => "cancel",
            Self::Quote { .. } => "quote",
            Self::Execute { .. } => "execute",
            Self::Wrap { .. } => "wrap",
            Self::Send { .. } => "send",
            Self::Ach { .. } => "ach",
            Self::Return { .. } => "return",
            Self::Pay { .. } => "pay",
            Self::Withdraw { .. } => "withdraw",
            Self::Deal { .. } => "deal",
            Self::Confirm { .. } => "confirm",
            Self::Retract { .. } => "retract",
            Self::Stake { .. } => "stake",
            Self::Unstake { .. } => "unstake",
            Self::Bet { .. } => "bet",
            Self::Resolve { .. } => "resolve",
            Self::Dispute { .. } => "dispute",
            Self::Void { .. } => "void",
            Self::Halt { .. } => "halt",
            Self::Steal { .. } => "steal",
            Self::Wait { .. } => "wait",
            Self::Repeat { .. } => "repeat",
            Self::Auction { .. } => "auction",
            Self::Break { .. } => "break",
            Self::Promote { .. } => "promote",
            Self::Tiers => "tiers",
        }
    }
}

impl Program {
    /// The words of its acts, each once, sorted: what the program is about.
    pub fn words(&self) -> Vec<&'static str> {
        let mut words: Vec<_> = self.acts.iter().map(Act::word).collect();
        words.sort_unstable();
        words.dedup();
        words
    }
}

impl FromStr for Program {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let acts = lines.map(|line| Line { line, words: line.split_whitespace().collect() }.act());
        Ok(Self { acts: acts.collect::<Result<_, _>>()? })
    }
}

/// A line that is being read.
struct Line<'a> {
    line: &'a str,
    words: Vec<&'a str>,
}

impl Line<'_> {
    fn act(&self) -> Result<Act, Unreadable> {
        let who = || self.find(1, PEOPLE.iter().map(|person| person.name));
        let market = |at| self.find(at, MARKETS.iter().map(|market| market.name));
        let coin = |at| self.find(at, COINS.iter().map(|coin| coin.code));
        Ok(match self.word(0)? {
            "place" => return self.place(who()?, market(2)?),
            "market" => Act::Market {
                who: who()?,
                market: market(2)?,
                side: self.side(3)?,
                amount: self.amount(4)?,
                margin: self.words.contains(&"margin"),
            },
            "cancel" => Act::Cancel { who: who()? },
            "steal" => Act::Steal { who: who()?, way: self.theft()? },
            "quote" => {
                Act::Quote { who: who()?, market: market(2)?, side: self.side(3)?, amount: self.amount(4)? }
            }
            "execute" => Act::Execute { who: who()? },
            "wrap" => Act::Wrap { who: who()?, side: self.side(2)?, amount: self.amount(3)? },
            "send" => Act::Send {
                who: who()?,
                to: self.find(2, PEOPLE.iter().map(|person| person.name))?,
                coin: coin(3)?,
                amount: self.amount(4)?,
            },
            "ach" => Act::Ach { who: who()?, amount: self.amount(2)? },
            "return" => Act::Return { who: who()? },
            "pay" => Act::Pay { who: who()?, amount: self.amount(2)? },
            "withdraw" => Act::Withdraw { who: who()?, coin: coin(2)?, amount: self.amount(3)? },
            "deal" => return self.deal(who()?, market(3)?),
            "confirm" => Act::Confirm { who: who()? },
            "retract" => Act::Retract { who: who()? },
            "stake" => Act::Stake { who: who()?, pool: self.pool()?, amount: self.amount(3)? },
            "unstake" => Act::Unstake { who: who()?, pool: self.pool()?, amount: self.amount(3)? },
            "bet" => return self.bet(who()?),
            "resolve" => Act::Resolve { contract: self.contract(1)?, claim: self.claim(2)? },
            "dispute" => Act::Dispute { contract: self.contract(1)? },
            "void" => {
                let value = self.words.get(2).map(|_| self.exact(2)).transpose()?;
                Act::Void { contract: self.contract(1)?, value }
            }
            "halt" => Act::Halt { contract: self.contract(1)? },
            "wait" => Act::Wait { seconds: self.number(1)? },
            "repeat" => Act::Repeat { acts: self.number(1)?, times: self.number(2)? },
            "auction" => Act::Auction { market: market(1)? },
            "break" => Act::Break { market: market(1)? },
            "promote" => Act::Promote { market: market(1)? },
            "tiers" => Act::Tiers,
            _ => return Err(self.wrong("an act")),
        })
    }

    fn place(&self, who: usize, market: usize) -> Result<Act, Unreadable> {
        let option = self.words.iter().skip(6).find_map(|word| option_of(word));
        let stop = self.words.iter().position(|word| *word == "stop").map(|at| self.exact(at + 1));
        Ok(Act::Place {
            who,
            market,
            side: self.side(3)?,
            amount: self.amount(4)?,
            price: self.exact(6)?,
            option,
            margin: self.words.contains(&"margin"),
            stop: stop.transpose()?,
        })
    }

    fn deal(&self, who: usize, market: usize) -> Result<Act, Unreadable> {
        let people = || PEOPLE.iter().map(|person| person.name);
        let to = if self.word(2)? == ANYONE { None } else { Some(self.find(2, people())?) };
        let by = self.words.iter().position(|word| *word == "by").map(|at| self.find(at + 1, people()));
        let (side, amount, price) = (self.side(4)?, self.amount(5)?, self.exact(7)?);
        Ok(Act::Deal { who, to, market, side, amount, price, by: by.transpose()? })
    }

    fn bet(&self, who: usize) -> Result<Act, Unreadable> {
        Ok(Act::Bet {
            who,
            contract: self.contract(2)?,
            side: self.side(3)?,
            claim: self.claim(4)?,
            amount: self.amount(5)?,
            price: self.exact(7)?,
            option: self.words.iter().skip(7).find_map(|word| option_of(word)),
        })
    }

    fn contract(&self, at: usize) -> Result<usize, Unreadable> {
        self.find(at, CONTRACTS.into_iter())
    }

    fn claim(&self, at: usize) -> Result<Claim, Unreadable> {
        match self.word(at)? {
            "yes" => Ok(Claim::Yes),
            "no" => Ok(Claim::No),
            _ => Err(self.wrong("yes or no")),
        }
    }

    fn pool(&self) -> Result<usize, Unreadable> {
        self.find(2, POOLS.iter().map(|pool| pool.name))
    }

    fn theft(&self) -> Result<Theft, Unreadable> {
        let word = self.word(2)?;
        let way = THEFTS.iter().find(|(name, _)| *name == word).map(|(_, way)| *way);
        way.ok_or_else(|| self.wrong("a way to steal"))
    }

    fn number<T: FromStr>(&self, at: usize) -> Result<T, Unreadable> {
        self.word(at)?.parse().map_err(|_| self.wrong("a whole number"))
    }

    fn wrong(&self, wanted: &str) -> Unreadable {
        Unreadable(format!("`{}` lacks {wanted}", self.line))
    }

    fn word(&self, at: usize) -> Result<&str, Unreadable> {
        self.words.get(at).copied().ok_or_else(|| self.wrong("a word"))
    }

    fn find(&self, at: usize, mut names: impl Iterator<Item = &'static str>) -> Result<usize, Unreadable> {
        let word = self.word(at)?;
        names.position(|name| name.eq_ignore_ascii_case(word)).ok_or_else(|| self.wrong("a known name"))
    }

    fn side(&self, at: usize) -> Result<Side, Unreadable> {
        match self.word(at)? {
            "buy" => Ok(Side::Buy),
            "sell" => Ok(Side::Sell),
            _ => Err(self.wrong("buy or sell")),
        }
    }

    fn amount(&self, at: usize) -> Result<Amount, Unreadable> {
        match self.word(at)?.strip_suffix('%') {
            Some(share) => share.parse().map(Amount::Share).map_err(|_| self.wrong("a share")),
            None => self.exact(at).map(Amount::Exact),
        }
    }

    fn exact(&self, at: usize) -> Result<i128, Unreadable> {
        let decimal = Decimal::parse(self.word(at)?.as_bytes()).ok();
        let money = decimal.and_then(Money::from_decimal);
        money.map(Money::units).ok_or_else(|| self.wrong("a decimal"))
    }
}

/// The execution options by their words.
pub(super) const OPTIONS: [(&str, ExecutionOption); 4] = [
    ("maker", ExecutionOption::MakerOrCancel),
    ("ioc", ExecutionOption::ImmediateOrCancel),
    ("fok", ExecutionOption::FillOrKill),
    ("auction-only", ExecutionOption::AuctionOnly),
];

/// The word for a counterparty that is not named.
const ANYONE: &str = "anyone";

fn option_of(word: &str) -> Option<ExecutionOption> {
    OPTIONS.iter().find(|(name, _)| *name == word).map(|(_, option)| *option)
}

/// Units of money as a decimal.
pub(super) struct Plain(pub(super) i128);

impl fmt::Display for Plain {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) =
            (self.0.unsigned_abs() / ONE.unsigned_abs(), self.0.unsigned_abs() % ONE.unsigned_abs());
        let sign = if self.0 < 0 { "-" } else { "" };
        if rest == 0 {
            return write!(out, "{sign}{whole}");
        }
        let fraction = format!("{rest:019}");
        write!(out, "{sign}{whole}.{}", fraction.trim_end_matches('0'))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(units) => Plain(*units).fmt(out),
            Self::Share(share) => write!(out, "{share}%"),
        }
    }
}

/// The name at a place of a table.
fn person(place: usize) -> &'static str {
    PEOPLE.get(place).map_or("?", |person| person.name)
}

fn market_name(place: usize) -> &'static str {
    MARKETS.get(place).map_or("?", |market| market.name)
}

fn pool_name(place: usize) -> &'static str {
    POOLS.get(place).map_or("?", |pool| pool.name)
}

fn coin_name(place: usize) -> String {
    COINS.get(place).map_or("?", |coin| coin.code).to_lowercase()
}

fn contract_name(place: usize) -> &'static str {
    CONTRACTS.get(place).copied().unwrap_or("?")
}

const fn claim_name(claim: Claim) -> &'static str {
    match claim {
        Claim::Yes => "yes",
        Claim::No => "no",
    }
}

const fn side_name(side: Side) -> &'static str {
    match side {
        Side::Buy => "buy",
        Side::Sell => "sell",
    }
}

impl fmt::Display for Act {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())?;
        match *self {
            Self::Place { who, market, side, amount, price, option, margin, stop } => {
                let (who, market, side) = (person(who), market_name(market), side_name(side));
                write!(out, " {who} {market} {side} {amount} at {}", Plain(price))?;
                if let Some((name, _)) = OPTIONS.iter().find(|(_, known)| Some(*known) == option) {
                    write!(out, " {name}")?;
                }
                if margin {
                    out.write_str(" margin")?;
                }
                stop.map_or(Ok(()), |stop| write!(out, " stop {}", Plain(stop)))
            }
            Self::Market { who, market, side, amount, margin } => {
                let (who, market, side) = (person(who), market_name(market), side_name(side));
                write!(out, " {who} {market} {side} {amount}{}", if margin { " margin" } else { "" })
            }
            Self::Quote { who, market, side, amount } => {
                write!(out, " {} {} {} {amount}", person(who), market_name(market), side_name(side))
            }
            Self::Wrap { who, side, amount } => write!(out, " {} {} {amount}", person(who), side_name(side)),
            Self::Send { who, to, coin, amount } => {
                write!(out, " {} {} {} {amount}", person(who), person(to), coin_name(coin))
            }
            Self::Withdraw { who, coin, amount } => {
                write!(out, " {} {} {amount}", person(who), coin_name(coin))
            }
            Self::Ach { who, amount } | Self::Pay { who, amount } => write!(out, " {} {amount}", person(who)),
            Self::Cancel { who }
            | Self::Execute { who }
            | Self::Return { who }
            | Self::Confirm { who }
            | Self::Retract { who } => write!(out, " {}", person(who)),
            Self::Deal { who, to, market, side, amount, price, by } => {
                let (who, to) = (person(who), to.map_or(ANYONE, person));
                let (market, side, price) = (market_name(market), side_name(side), Plain(price));
                write!(out, " {who} {to} {market} {side} {amount} at {price}")?;
                by.map_or(Ok(()), |by| write!(out, " by {}", person(by)))
            }
            Self::Stake { who, pool, amount } | Self::Unstake { who, pool, amount } => {
                write!(out, " {} {} {amount}", person(who), pool_name(pool))
            }
            Self::Bet { who, contract, side, claim, amount, price, option } => {
                let (who, contract, claim) = (person(who), contract_name(contract), claim_name(claim));
                write!(out, " {who} {contract} {} {claim} {amount} at {}", side_name(side), Plain(price))?;
                let option = OPTIONS.iter().find(|(_, known)| Some(*known) == option);
                option.map_or(Ok(()), |(name, _)| write!(out, " {name}"))
            }
            Self::Steal { who, way } => {
                let way = THEFTS.iter().find(|(_, known)| *known == way).map_or("", |(name, _)| *name);
                write!(out, " {} {way}", person(who))
            }
            Self::Resolve { contract, claim } => {
                write!(out, " {} {}", contract_name(contract), claim_name(claim))
            }
            Self::Void { contract, value } => {
                write!(out, " {}", contract_name(contract))?;
                value.map_or(Ok(()), |value| write!(out, " {}", Plain(value)))
            }
            Self::Dispute { contract } | Self::Halt { contract } => {
                write!(out, " {}", contract_name(contract))
            }
            Self::Wait { seconds } => write!(out, " {seconds}"),
            Self::Repeat { acts, times } => write!(out, " {acts} {times}"),
            Self::Auction { market } | Self::Break { market } | Self::Promote { market } => {
                write!(out, " {}", market_name(market))
            }
            Self::Tiers => Ok(()),
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.acts.iter().try_for_each(|act| writeln!(out, "{act}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A printed program reads back as the same acts.
    #[test]
    fn a_program_is_its_text() {
        let text = "place a.rich btcusd sell 1.9 at 0.01\n\
                    place b.long btcgusdperp buy 50% at 75000 maker\n\
                    place a.margin btcusd buy 0.4 at 50000 ioc margin\n\
                    place a.rich linkusd sell 100 at 9 stop 9.5\n\
                    market a.poor linkusd buy 9900.0000000000000000001\n\
                    cancel a.rich\nsteal b.rich guess\nquote a.poor btcusd buy 0.019\nexecute a.poor\nwrap a.rich sell 100%\n\
                    send a.rich a.poor usd 5\nach b.margin 10000\nreturn b.margin\npay a.rich 1\n\
                    deal a.rich b.rich btcusd sell 1 at 50000 by a.poor\ndeal a.rich anyone ethusd buy 10% at 2000\n\
                    confirm b.rich\nretract a.rich\nstake a.rich eth-now 10\nunstake a.rich eth-now 50%\n\
                    bet a.rich rain buy no 100 at 0.4\nbet a.poor both sell yes 50% at 0.99 ioc\n\
                    resolve ann yes\ndispute ann\nvoid bob\nvoid rain 0.25\nhalt rain\n\
                    withdraw a.rich gusd 9800\nwait 3600\nrepeat 2 1000\nauction linkusd\nbreak btcusd\npromote ethusd\ntiers\n";
        let program: Program = text.parse().unwrap();
        assert_eq!(program.to_string(), text);
        assert_eq!(program.words().len(), 28);
    }

    /// A line that is no act is named.
    #[test]
    fn a_wrong_line_is_named() {
        for line in [
            "steal a.rich",
            "place a.rich btcusd hold 1 at 2",
            "cancel x",
            "ach a.rich -1",
            "wait long",
            "repeat 1",
        ] {
            let refusal = line.parse::<Program>().unwrap_err();
            assert!(refusal.0.contains(line), "{refusal}");
        }
        assert_eq!("# nothing\n\n".parse::<Program>(), Ok(Program::default()));
    }
}
