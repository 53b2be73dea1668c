//! A venue's operators and sign-ups: who may approve a proposal, and what a group gets before operators approve it. The naive model knows
//! operators as people with names, and the credits of a group as a list.

use crate::{Dice, Exchange};
use buttonwood_engine::funds::bank::{Command as BankCommand, Receipt};
use buttonwood_engine::funds::{FeeTerms, Outlet};
use buttonwood_engine::identity::{
    Command as Own, Confirm, ConfirmProof, Mailing, NewUser, Peer, SignUp, UserChange, UserId,
};
use buttonwood_engine::{
    AccessCommand, Answer, Body, Eid, FundsCommand, GuardedCommand, Made, Note, Operation, Outcome,
    TransferMethod, TransferStatus,
};
use buttonwood_model::{AccountId, CurrencyId, GroupId, Role, Roles, Time};
use buttonwood_num::Money;
use std::sync::Arc;

/// Users who may be operators, and users of the machine.
const PEOPLE: usize = 3;
/// Groups of sign-ups at most.
const GROUPS: usize = 5;
/// The most open advances of a group, in dollars (D-181).
const LIMIT: i128 = 25_000;

/// How often each case occurred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HouseCounts {
    /// Proposals that another operator approved.
    pub approved: u64,
    /// Approvals that were refused since both names are one operator's, which are not the same text.
    pub two_names: u64,
    /// Proposals that were withdrawn with their operator.
    pub withdrawn: u64,
    /// Credits that waited for the approval of their group, and were advanced with it.
    pub advanced_later: u64,
}

impl HouseCounts {
    /// Adds those of another run.
    pub fn add(&mut self, other: &Self) {
        self.approved += other.approved;
        self.two_names += other.two_names;
        self.withdrawn += other.withdrawn;
        self.advanced_later += other.advanced_later;
    }
}

/// Who acts: a user of the machine, or one who signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Actor {
    Machine(usize),
    Page(usize),
}

/// A user.
#[derive(Clone, Copy, Debug, Default)]
struct Person {
    is_operator: bool,
    is_disabled: bool,
    machine: Option<usize>,
}

/// A proposal that waits.
#[derive(Debug)]
struct Waiting {
    id: u64,
    subject: u64,
    by: Actor,
    /// The user of the machine who the proposer was then.
    machine: Option<usize>,
}

/// A group of a sign-up.
#[derive(Debug)]
struct Customer {
    group: GroupId,
    account: AccountId,
    is_approved: bool,
    /// Its credits in dollars, and whether they are advanced.
    credits: Vec<(Eid, i128, bool)>,
}

impl Customer {
    fn fits(&self, dollars: i128) -> bool {
        let open = self.credits.iter().filter(|(.., is_advanced)| *is_advanced).map(|(_, sum, _)| *sum);
        self.is_approved && open.sum::<i128>() + dollars <= LIMIT
    }
}

struct House {
    exchange: Exchange,
    usd: CurrencyId,
    people: [Person; PEOPLE],
    waiting: Vec<Waiting>,
    proposals: u64,
    customers: Vec<Customer>,
    counts: HouseCounts,
}

/// Runs `steps` random acts in a venue.
///
/// # Errors
/// The first difference between the core and the naive model.
pub fn house(mut dice: Dice, steps: u32) -> Result<HouseCounts, String> {
    let mut house = House::open();
    for step in 0..steps {
        let done = match dice.below(12) {
            0..=2 => house.propose(&mut dice),
            3..=6 => house.approve(&mut dice),
            7 | 8 => house.change(&mut dice),
            9 => house.join(),
            10 => house.receive(&mut dice),
            _ => house.approve_group(&mut dice),
        };
        done.and_then(|()| house.agree()).map_err(|difference| format!("step {step}: {difference}"))?;
    }
    Ok(house.counts)
}

fn expect(answer: &Answer, refusal: Option<&str>) -> Result<(), String> {
    let is_as_expected = match (answer, refusal) {
        (Outcome::Rejected(reject), Some(why)) => format!("{reject:?}").contains(why),
        (Outcome::Rejected(_), None) => false,
        (_, refusal) => refusal.is_none(),
    };
    if is_as_expected { Ok(()) } else { Err(format!("{answer:?}, expected {refusal:?}")) }
}

fn dollars(whole: i128) -> Money {
    Money::from_units(whole * Money::ONE.units())
}

impl House {
    fn open() -> Self {
        let mut exchange = Exchange::venue(None);
        let usd = exchange.find_currency("USD");
        exchange.account("desk", "");
        for number in 0..PEOPLE {
            let new = NewUser {
                login: [u8::try_from(number).unwrap(); 32],
                name: format!("page {number}"),
                group: Some(GroupId(0)),
                roles: Roles::of(&[Role::Trader]),
                is_operator: false,
                is_disabled: false,
                credential: 1,
                factor: 1,
            };
            assert_eq!(exchange.own(Own::AddUser(Arc::new(new)).into()), Outcome::Done);
        }
        assert_eq!(exchange.own(Operation::SetApprovals(2).into()), Outcome::Done);
        Self {
            exchange,
            usd,
            people: [Person::default(); PEOPLE],
            waiting: Vec::new(),
            proposals: 0,
            customers: Vec::new(),
            counts: HouseCounts::default(),
        }
    }

    fn act(&mut self, actor: Actor, body: Option<Body>, approves: u64) -> Answer {
        let (who, user) = match actor {
            Actor::Machine(number) => (format!("machine-{number}"), None),
            Actor::Page(number) => (format!("{number}@house.test"), Some(UserId::from_index(number))),
        };
        let note = Note { who, what: "an act".into(), why: String::new(), user };
        self.exchange.own(Body::approving_act(note, body, approves))
    }

    fn actor(dice: &mut Dice) -> Actor {
        let number = usize::try_from(dice.below(3)).unwrap();
        if dice.once_in(2) { Actor::Machine(number) } else { Actor::Page(number) }
    }

    /// The user of the machine who an actor is; the refusal where there is none.
    fn machine_of(&self, actor: Actor) -> Result<usize, &'static str> {
        match actor {
            Actor::Machine(number) => Ok(number),
            Actor::Page(number) => self.people[number].machine.ok_or("NoOsUser"),
        }
    }

    fn is_operator(&self, actor: Actor) -> bool {
        match actor {
            Actor::Machine(_) => true,
            Actor::Page(number) => self.people[number].is_operator && !self.people[number].is_disabled,
        }
    }

    fn propose(&mut self, dice: &mut Dice) -> Result<(), String> {
        let (by, subject) = (Self::actor(dice), dice.below(6));
        let (name, arguments) = ("app review".into(), format!("{{\"n\":{subject}}}"));
        let body = Operation::Propose(Arc::new(GuardedCommand { name, arguments })).into();
        let answer = self.act(by, Some(body), 0);
        if !self.is_operator(by) {
            return expect(&answer, Some("NoOperator"));
        }
        let machine = match self.machine_of(by) {
            Ok(machine) => machine,
            Err(why) => return expect(&answer, Some(why)),
        };
        expect(&answer, None)?;
        if self.waiting.iter().all(|waiting| waiting.subject != subject) {
            self.proposals += 1;
            self.waiting.push(Waiting { id: self.proposals, subject, by, machine: Some(machine) });
        }
        Ok(())
    }

    /// Whether both are one operator, by any name that the proposer had or has.
    fn is_same(&self, waiting: &Waiting, approver: Actor, machine: usize) -> bool {
        waiting.by == approver
            || waiting.machine == Some(machine)
            || self.machine_of(waiting.by) == Ok(machine)
    }

    fn approve(&mut self, dice: &mut Dice) -> Result<(), String> {
        let by = Self::actor(dice);
        let id = 1 + dice.below(self.proposals + 1);
        let answer = self.act(by, None, id);
        if !self.is_operator(by) {
            return expect(&answer, Some("NoOperator"));
        }
        let Some(place) = self.waiting.iter().position(|waiting| waiting.id == id) else {
            return expect(&answer, Some("Unknown"));
        };
        let machine = match self.machine_of(by) {
            Ok(machine) => machine,
            Err(why) => return expect(&answer, Some(why)),
        };
        if self.is_same(&self.waiting[place], by, machine) {
            self.counts.two_names += u64::from(self.waiting[place].by != by);
            return expect(&answer, Some("OwnProposal"));
        }
        self.waiting.remove(place);
        self.counts.approved += 1;
        expect(&answer, None)
    }

    /// A user becomes an operator, is tied to another user of the machine, is none any more, is disabled or enabled.
    fn change(&mut self, dice: &mut Dice) -> Result<(), String> {
        let number = usize::try_from(dice.below(3)).unwrap();
        let mut change = UserChange::default();
        match dice.below(8) {
            0..=3 => {
                let machine = dice.below(4);
                change.is_operator = Some(true);
                change.os_user = (machine < 3).then(|| format!("machine-{machine}"));
            }
            4 => change.is_operator = Some(false),
            5 => change.is_disabled = Some(true),
            _ => change.is_disabled = Some(false),
        }
        let person = &mut self.people[number];
        person.is_operator = change.is_operator.unwrap_or(person.is_operator);
        person.is_disabled = change.is_disabled.unwrap_or(person.is_disabled);
        if let Some(name) = &change.os_user {
            person.machine = name.trim_start_matches("machine-").parse().ok();
        }
        if !person.is_operator {
            person.machine = None;
        }
        if change.is_operator == Some(false) || change.is_disabled == Some(true) {
            let before = self.waiting.len();
            self.waiting.retain(|waiting| waiting.by != Actor::Page(number));
            self.counts.withdrawn += u64::try_from(before - self.waiting.len()).unwrap();
        }
        let command = Own::ChangeUser(UserId::from_index(number), Arc::new(change));
        let answer = self.exchange.own(command.into());
        expect(&answer, None)
    }

    /// Someone signs up and confirms the address.
    fn join(&mut self) -> Result<(), String> {
        if self.customers.len() >= GROUPS {
            return Ok(());
        }
        let name = [100 + u8::try_from(self.customers.len()).unwrap(); 32];
        let new = SignUp {
            login: name,
            name: "x".into(),
            credential: 7,
            token: name,
            browser: name,
            ends: Time(0),
        };
        let mailing = Mailing { login: name, peer: Peer([1; 16]), is_limited: false };
        expect(&self.exchange.own(Own::SignUp(mailing, Arc::new(new)).into()), None)?;
        let confirm = Confirm { token: name, proof: ConfirmProof::Browser(name), credit: Vec::new() };
        expect(&self.exchange.own(Own::Confirm(Arc::new(confirm)).into()), None)?;
        let access = self.exchange.state.access();
        self.customers.push(Customer {
            group: GroupId::from_index(access.groups().len() - 1),
            account: AccountId::from_index(access.accounts().len() - 1),
            is_approved: false,
            credits: Vec::new(),
        });
        Ok(())
    }

    fn customer(&mut self, dice: &mut Dice) -> Option<usize> {
        let count = u64::try_from(self.customers.len()).unwrap();
        (count > 0).then(|| usize::try_from(dice.below(count)).unwrap())
    }

    /// A bank sends money that may be taken back.
    fn receive(&mut self, dice: &mut Dice) -> Result<(), String> {
        let Some(place) = self.customer(dice) else { return Ok(()) };
        let whole = i128::from(1 + dice.below(12_000));
        let receipt = Receipt {
            account: self.customers[place].account,
            currency: self.usd,
            amount: dollars(whole),
            method: TransferMethod::Ach,
            number: "0123451111".into(),
            routing: "021000021".into(),
        };
        let command = FundsCommand::from(BankCommand::Receive(Arc::new(receipt)));
        let answer = self.exchange.own(command.into());
        let Outcome::Funds(Made::Transfer(eid)) = answer else { return Err(format!("{answer:?}")) };
        let customer = &mut self.customers[place];
        let is_advanced = customer.fits(whole);
        customer.credits.push((eid, whole, is_advanced));
        Ok(())
    }

    fn approve_group(&mut self, dice: &mut Dice) -> Result<(), String> {
        if !dice.once_in(4) {
            return Ok(());
        }
        let Some(place) = self.customer(dice) else { return Ok(()) };
        let customer = &mut self.customers[place];
        if !customer.is_approved {
            customer.is_approved = true;
            for at in 0..customer.credits.len() {
                let (_, whole, _) = customer.credits[at];
                customer.credits[at].2 = customer.fits(whole);
                self.counts.advanced_later += u64::from(customer.credits[at].2);
            }
        }
        let command = AccessCommand::ApproveGroup(customer.group);
        expect(&self.exchange.own(command.into()), None)
    }

    /// Compares all that the state shows.
    fn agree(&self) -> Result<(), String> {
        let state = &self.exchange.state;
        let now = self.exchange.stamp.time;
        let got: Vec<u64> = state.operations().proposals(now).map(|proposal| proposal.id).collect();
        let expected: Vec<u64> = self.waiting.iter().map(|waiting| waiting.id).collect();
        if got != expected {
            return Err(format!("the proposals {got:?} wait, expected {expected:?}"));
        }
        let outlet = Outlet { fee: Money::ONE, minimum: Money::ONE, decimals: 2, confirmations: 1 };
        for customer in &self.customers {
            let terms = FeeTerms::of(&state.of_funds(now), customer.account, self.usd, &outlet);
            let (fee, left) = if customer.is_approved { (Money::ZERO, 10) } else { (Money::ONE, 0) };
            if (terms.fee, terms.monthly_remaining) != (fee, left) {
                return Err(format!("{customer:?} has {terms:?}"));
            }
            for (eid, _, is_advanced) in &customer.credits {
                let status = state.funds().transfer(*eid).map(|transfer| transfer.row.status);
                let expected = if *is_advanced { TransferStatus::Advanced } else { TransferStatus::Pending };
                if status != Some(expected) {
                    return Err(format!("credit {eid:?} of {customer:?} is {status:?}"));
                }
            }
        }
        state.broken_law().map_or(Ok(()), |law| Err(format!("{law:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every case occurs.
    #[test]
    fn a_house_agrees_with_the_core() {
        let mut counts = HouseCounts::default();
        for seed in 0..40 {
            counts.add(&house(Dice::seeded(seed), 300).unwrap_or_else(|odd| panic!("seed {seed}: {odd}")));
        }
        let HouseCounts { approved, two_names, withdrawn, advanced_later } = counts;
        assert!(
            [approved, two_names, withdrawn, advanced_later].iter().all(|count| *count > 10),
            "{counts:?}"
        );
    }
}
