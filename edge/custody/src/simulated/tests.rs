//! A simulated chain as its own callers see it.

use super::*;
use crate::rig::{Dice, Folder, Memory, TestKeys, output, units};
use crate::{NETWORKS, Pay, Reserved};

/// Signs a payment from an address.
fn signed(
    chain: &mut SimulatedChain,
    from: &str,
    to: &str,
    amount: i128,
    spends: Option<&Spends>,
    bid: u32,
) -> Signed {
    let currency = chain.network().currency;
    let pay = Pay { address: to, memo: None, currency, amount: units(amount) };
    let from = [from.to_owned()];
    let reserved = Reserved::default();
    let draft = Draft {
        from: &from,
        pay: (amount > 0).then_some(pay),
        spends,
        bid,
        outbids: None,
        reserved: &reserved,
    };
    let unsigned = chain.build(&draft).unwrap();
    chain.sign(&unsigned, &TestKeys).unwrap()
}

fn pay(chain: &mut SimulatedChain, to: &str, amount: i128) -> (Signed, Broadcast) {
    let signed = signed(chain, "hot", to, amount, None, 0);
    let answer = chain.broadcast(&signed.bytes);
    (signed, answer)
}

fn balance(chain: &mut SimulatedChain, address: &str) -> Money {
    let currency = chain.network().currency;
    chain.balance(&[address.to_owned()], currency).unwrap()
}

/// A chain with 100 units in the hot wallet.
fn funded(folder: &Folder, name: &str) -> SimulatedChain {
    let mut chain = folder.open(name);
    chain.mint(output("hot", chain.network().currency, 100)).unwrap();
    chain
}

/// On every network: a payment waits, is mined, moves the money, and survives that the exchange opens the chain again.
#[test]
fn a_payment_moves_money_on_every_network() {
    let folder = Folder::new();
    for network in NETWORKS {
        let mut chain = funded(&folder, network.name);
        let (first, answer) = pay(&mut chain, "customer", 30);
        assert_eq!(answer, Broadcast::Accepted, "{}", network.name);
        assert_eq!(balance(&mut chain, "hot"), units(100));
        assert_eq!(chain.lookup(&first.tx, &first.spends), Ok(Lookup::Waiting));
        assert_eq!(chain.mine(2), Ok(2));
        let mut chain = folder.open(network.name);
        assert_eq!((balance(&mut chain, "hot"), balance(&mut chain, "customer")), (units(70), units(30)));
        let found = chain.lookup(&first.tx, &first.spends).unwrap();
        assert!(matches!(found, Lookup::Mined { block: BlockRef { height: 1, .. }, failed: false, .. }));
        assert_eq!(chain.broadcast(&first.bytes), Broadcast::AlreadyKnown);
        assert_eq!(chain.received("customer").unwrap()[0].height, Some(1));
    }
}

/// The rest of an input goes to the preferred address, so that no change is a deposit of the address that it came from.
#[test]
fn change_goes_to_the_preferred_address() {
    let folder = Folder::new();
    let mut chain = folder.open("bitcoin");
    chain.send(output("deposit", "BTC", 100)).unwrap();
    chain.mine(1).unwrap();
    let from = ["hot".to_owned(), "deposit".to_owned()];
    let pay = Pay { address: "customer", memo: None, currency: "BTC", amount: units(30) };
    let reserved = Reserved::default();
    let draft =
        Draft { from: &from, pay: Some(pay), spends: None, outbids: None, bid: 0, reserved: &reserved };
    let unsigned = chain.build(&draft).unwrap();
    assert_eq!(unsigned.digests[0].0, "deposit");
    let signed = chain.sign(&unsigned, &TestKeys).unwrap();
    assert_eq!(chain.broadcast(&signed.bytes), Broadcast::Accepted);
    chain.mine(1).unwrap();
    let held = ["hot", "deposit", "customer"].map(|address| balance(&mut chain, address));
    assert_eq!(held, [units(70), units(0), units(30)]);
}

/// Minted money can be burned, as far as nothing spends it, and no more; the chain knows what is left of it.
#[test]
fn minted_money_burns() {
    let folder = Folder::new();
    for name in ["bitcoin", "ethereum"] {
        let mut chain = funded(&folder, name);
        let coin = chain.network().currency;
        let burn = |chain: &mut SimulatedChain, amount| chain.burn(output("hot", coin, amount));
        burn(&mut chain, 20).unwrap();
        assert_eq!((balance(&mut chain, "hot"), chain.minted(coin)), (units(80), units(80)));
        burn(&mut chain, 81).unwrap_err();
        pay(&mut chain, "customer", 30);
        let free = if name == "bitcoin" { 0 } else { 50 };
        assert_eq!(chain.burnable("hot", coin), units(free), "{name}");
        chain.mint(output("hot", coin, 7)).unwrap();
        burn(&mut chain, 5).unwrap();
        chain.mine(1).unwrap();
        let mut chain = folder.open(name);
        assert_eq!((balance(&mut chain, "hot"), chain.minted(coin)), (units(52), units(82)));
        pay(&mut chain, "customer", 52);
        chain.mine(1).unwrap();
        assert_eq!((balance(&mut chain, "hot"), chain.burnable("hot", coin)), (units(0), units(0)));
    }
}

/// A payment from outside is listed while it waits and newest first; each has its own hash.
#[test]
fn payments_from_outside_are_listed() {
    let folder = Folder::new();
    let mut chain = folder.open("bitcoin");
    let first = chain.send(output("customer", "BTC", 1)).unwrap();
    chain.mine(1).unwrap();
    let second = chain.send(output("customer", "BTC", 1)).unwrap();
    let listed: Vec<_> =
        chain.received("customer").unwrap().into_iter().map(|one| (one.tx, one.height)).collect();
    assert_eq!(listed, [(second.tx.clone(), None), (first.tx, Some(1))]);
    assert_eq!(chain.mempool(&BTreeSet::new()).unwrap().hashes, BTreeSet::from([second.tx.clone()]));
    assert!(chain.mempool(&BTreeSet::from([second.tx])).unwrap().fresh.is_empty());
}

/// Wrong input is refused by its field, and changes nothing.
#[test]
fn wrong_input_changes_nothing() {
    let folder = Folder::new();
    let mut chain = folder.open("bitcoin");
    for amount in [0, -1, i128::MAX / 10_i128.pow(19)] {
        let refused = chain.send(output("customer", "BTC", amount));
        assert_eq!(refused, Err(Refusal::Amount { amount: units(amount) }));
    }
    for address in ["", "two words", &"x".repeat(200)] {
        assert!(matches!(chain.send(output(address, "BTC", 1)), Err(Refusal::Text { .. })));
    }
    let range = |field, value, most| Some(Refusal::Range { field, value, least: 1, most });
    assert_eq!(chain.mine(0).err(), range("blocks", 0, 10_000));
    assert_eq!(chain.mine(10_001).err(), range("blocks", 10_001, 10_000));
    assert_eq!(chain.reorg(1, false).err(), range("depth", 1, 0));
    assert_eq!(chain.node(Treatment::Revert, 1).err(), Some(Refusal::NoRevert));
    assert_eq!(chain.node(Treatment::Refuse, 0).err(), range("times", 0, 1_000_000));
    for bytes in [b"".as_slice(), b"garbage", &vec![0xff; 100_000]] {
        assert!(matches!(chain.broadcast(bytes), Broadcast::Refused { .. }));
    }
    assert_eq!(chain.height(), 0);
    assert!(chain.mempool(&BTreeSet::new()).unwrap().hashes.is_empty());
}

/// A reorganisation adds one block more than it removes. Transactions wait again; with `drop`, those from outside and
/// what was paid from them vanish.
#[test]
fn a_reorganisation_replaces_blocks() {
    for drop in [false, true] {
        let folder = Folder::new();
        let mut chain = funded(&folder, "bitcoin");
        let outside = chain.send(output("hot", "BTC", 50)).unwrap();
        chain.mine(1).unwrap();
        let (own, _) = pay(&mut chain, "customer", 100);
        let (child, _) = pay(&mut chain, "other", 50);
        chain.mine(1).unwrap();
        let old = chain.block_at(2).unwrap();
        let done = chain.reorg(2, drop).unwrap();
        assert_eq!(done.height, 3);
        assert_ne!(chain.block_at(2).unwrap(), old);
        assert_eq!(balance(&mut chain, "hot"), units(100));
        assert_eq!(chain.lookup(&own.tx, &own.spends), Ok(Lookup::Waiting));
        let vanished = if drop { vec![outside.tx.clone(), child.tx.clone()] } else { vec![] };
        assert_eq!(done.dropped, vanished);
        let mut chain = folder.open("bitcoin");
        chain.mine(1).unwrap();
        let (hot, customer, other) = if drop { (0, 100, 0) } else { (0, 100, 50) };
        let amounts = ["hot", "customer", "other"].map(|address| balance(&mut chain, address));
        assert_eq!(amounts, [units(hot), units(customer), units(other)]);
        let found = chain.lookup(&child.tx, &child.spends).unwrap();
        assert_eq!(found == Lookup::Dead { by: None }, drop);
    }
}

/// The node's treatments, each for as many payments as it was set for.
#[test]
fn the_node_treats_payments_as_it_is_set() {
    for name in ["ethereum", "bitcoin"] {
        let folder = Folder::new();
        let mut chain = funded(&folder, name);
        let once = |chain: &mut SimulatedChain, treatment| chain.node(treatment, 1).unwrap();

        once(&mut chain, Treatment::LoseReply);
        let (lost, answer) = pay(&mut chain, "a", 1);
        assert_eq!(answer, Broadcast::NoAnswer);
        assert_eq!(chain.lookup(&lost.tx, &lost.spends), Ok(Lookup::Waiting));

        once(&mut chain, Treatment::TimeOut);
        let (late, answer) = pay(&mut chain, "b", 1);
        assert_eq!(answer, Broadcast::NoAnswer);
        assert_eq!(chain.lookup(&late.tx, &late.spends), Ok(Lookup::Unknown));
        assert_eq!(chain.broadcast(&late.bytes), Broadcast::Accepted);

        once(&mut chain, Treatment::Refuse);
        let (refused, answer) = pay(&mut chain, "c", 1);
        assert!(matches!(answer, Broadcast::Refused { .. }));
        let mut chain = folder.open(name);
        assert!(matches!(chain.broadcast(&refused.bytes), Broadcast::Refused { .. }));
        let void = signed(&mut chain, "hot", "", 0, Some(&refused.spends), 1);
        assert_eq!(chain.broadcast(&void.bytes), Broadcast::Accepted);
        chain.mine(3).unwrap();
        assert_eq!(chain.lookup(&refused.tx, &refused.spends), Ok(Lookup::Dead { by: Some(void.tx) }));
        assert_eq!(balance(&mut chain, "hot"), units(98));
        assert!(chain.received("c").unwrap().is_empty());
    }
}

/// A reverted payment is mined and uses its nonce, but moves nothing and is not listed.
#[test]
fn a_revert_moves_nothing() {
    let folder = Folder::new();
    let mut chain = funded(&folder, "ethereum");
    chain.node(Treatment::Revert, 1).unwrap();
    let (reverted, answer) = pay(&mut chain, "customer", 100);
    assert_eq!(answer, Broadcast::Accepted);
    chain.mine(1).unwrap();
    assert!(matches!(chain.lookup(&reverted.tx, &reverted.spends), Ok(Lookup::Mined { failed: true, .. })));
    assert_eq!(balance(&mut chain, "hot"), units(100));
    assert!(chain.received("customer").unwrap().is_empty());
    let (next, _) = pay(&mut chain, "customer", 100);
    assert_eq!(next.spends, Spends::Nonce { address: "hot".to_owned(), nonce: 1 });
    chain.mine(1).unwrap();
    assert_eq!(balance(&mut chain, "customer"), units(100));
    chain.reorg(2, false).unwrap();
    assert_eq!(balance(&mut chain, "hot"), units(100));
    chain.mine(1).unwrap();
    assert_eq!((balance(&mut chain, "hot"), balance(&mut chain, "customer")), (units(0), units(100)));
}

/// A higher bid replaces a waiting transaction that spends the same; an equal one does not. A nonce beyond the next
/// waits for the one before it.
#[test]
fn only_one_of_two_that_spend_the_same_is_mined() {
    let folder = Folder::new();
    let mut chain = funded(&folder, "ethereum");
    let (first, _) = pay(&mut chain, "a", 10);
    let rival = signed(&mut chain, "hot", "b", 20, Some(&first.spends), 0);
    assert_eq!(chain.broadcast(&rival.bytes), Broadcast::Spent);
    let bump = signed(&mut chain, "hot", "c", 30, Some(&first.spends), 1);
    assert_eq!(chain.broadcast(&bump.bytes), Broadcast::Accepted);
    assert_eq!(chain.broadcast(&first.bytes), Broadcast::Spent);
    let gap = Spends::Nonce { address: "hot".to_owned(), nonce: 2 };
    let later = signed(&mut chain, "hot", "d", 5, Some(&gap), 0);
    assert_eq!(chain.broadcast(&later.bytes), Broadcast::Accepted);
    chain.mine(3).unwrap();
    assert_eq!(chain.lookup(&later.tx, &later.spends), Ok(Lookup::Waiting));
    assert_eq!(chain.lookup(&first.tx, &first.spends), Ok(Lookup::Dead { by: Some(bump.tx) }));
    let (between, _) = {
        let one = Spends::Nonce { address: "hot".to_owned(), nonce: 1 };
        let signed = signed(&mut chain, "hot", "e", 5, Some(&one), 0);
        let answer = chain.broadcast(&signed.bytes);
        (signed, answer)
    };
    chain.mine(1).unwrap();
    assert!(matches!(chain.lookup(&between.tx, &between.spends), Ok(Lookup::Mined { .. })));
    assert_eq!(["a", "b", "c", "d", "e"].map(|to| balance(&mut chain, to)), [0, 0, 30, 5, 5].map(units));
}

/// An account cannot pay more than it has, what waits included.
#[test]
fn an_account_cannot_be_overdrawn() {
    let folder = Folder::new();
    let mut chain = funded(&folder, "ethereum");
    let (first, _) = pay(&mut chain, "a", 60);
    let (second, answer) = pay(&mut chain, "b", 60);
    assert!(matches!(answer, Broadcast::Refused { .. }), "{second:?}");
    chain.mine(1).unwrap();
    assert!(matches!(chain.lookup(&first.tx, &first.spends), Ok(Lookup::Mined { .. })));
    assert_eq!(balance(&mut chain, "hot"), units(40));
}

/// A payment cannot be built on reserved money, and the reply says how much is free.
#[test]
fn a_wallet_that_is_short_says_so() {
    for name in ["ethereum", "bitcoin"] {
        let folder = Folder::new();
        let mut chain = funded(&folder, name);
        let from = ["hot".to_owned()];
        let currency = chain.network().currency;
        let (none, mut reserved) = (Reserved::default(), Reserved::default());
        let draft = |amount, reserved| Draft {
            from: &from,
            pay: Some(Pay { address: "a", memo: None, currency, amount: units(amount) }),
            spends: None,
            bid: 0,
            outbids: None,
            reserved,
        };
        assert_eq!(chain.build(&draft(101, &none)), Err(BuildError::Short { available: units(100) }));
        let spends = chain.build(&draft(60, &none)).unwrap().spends;
        reserved.add(&spends);
        reserved.flow(&spends, currency, units(60));
        let free = if name == "bitcoin" { 0 } else { 40 };
        assert_eq!(chain.build(&draft(60, &reserved)), Err(BuildError::Short { available: units(free) }));
    }
}

/// The chain's height, and the payments to each address.
fn shown(chain: &mut SimulatedChain) -> Option<(u64, Vec<Vec<Incoming>>)> {
    let height = chain.tip().ok()?.height;
    Some((height, ["a", "b"].map(|address| chain.received(address).unwrap()).to_vec()))
}

/// Random lives on a disk that fails and loses what was not synced: after a power cut the chain is what it showed last,
/// or what had happened since.
#[test]
fn nothing_that_was_shown_is_lost() {
    let mut lost = 0;
    for seed in 0..300 {
        let dice = &mut Dice(seed);
        let disk = Memory::default();
        let folder = Path::new("/data/chains");
        let network = crate::network(["bitcoin", "ethereum"][dice.index(2)]).unwrap();
        let mut chain = SimulatedChain::open(&disk, folder, network, 3).unwrap();
        chain.mint(output("hot", network.currency, 1000)).unwrap();
        let mut durable = shown(&mut chain).unwrap();
        for _ in 0..10 {
            // All states since the last one that was shown.
            let mut possible = vec![durable.clone()];
            if dice.once_in(4) {
                disk.fail_after(u32::try_from(dice.roll(8)).unwrap());
            }
            for _ in 0..dice.roll(6) {
                match dice.roll(6) {
                    0 => drop(chain.mine(1)),
                    1 => drop(chain.send(output("a", network.currency, 1))),
                    2 => drop(chain.reorg(1, dice.once_in(2))),
                    _ => {
                        let from = ["hot".to_owned()];
                        let reserved = Reserved::default();
                        let pay =
                            Pay { address: "b", memo: None, currency: network.currency, amount: units(1) };
                        let draft = Draft {
                            from: &from,
                            pay: Some(pay),
                            spends: None,
                            bid: 0,
                            outbids: None,
                            reserved: &reserved,
                        };
                        if let Ok(unsigned) = chain.build(&draft) {
                            let signed = chain.sign(&unsigned, &TestKeys).unwrap();
                            chain.broadcast(&signed.bytes);
                        }
                    }
                }
                // A record whose sync has failed may be there all the same.
                let paid = ["a", "b"].map(|address| chain.model.received(address)).to_vec();
                possible.push((chain.model.height(), paid));
            }
            let seen = if dice.once_in(2) { shown(&mut chain) } else { None };
            disk.cut_power(dice);
            chain = SimulatedChain::open(&disk, folder, network, 3).expect("a torn tail is no damage");
            durable = shown(&mut chain).unwrap();
            match seen {
                Some(seen) => assert_eq!(durable, seen, "seed {seed}"),
                None => assert!(possible.contains(&durable), "seed {seed}"),
            }
            lost += u32::from(possible.last() != Some(&durable));
        }
    }
    assert!(lost > 100, "{lost}");
}
