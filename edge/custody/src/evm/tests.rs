//! Against anvil, a node for tests: deposits, tokens, payments, a higher fee, a void, a revert, reorganisations.
//!
//! `BUTTONWOOD_ANVIL` names its program (npm `@foundry-rs/anvil`); without it these tests say that they are skipped.

use super::*;
use crate::rig::units;
use crate::{
    Attempt, Observation, Outcome, Outpoint, Pay, Payer, Payment, Purpose, Report, Reserved, Settled,
    Signature, Step, Watcher,
};
use buttonwood_testing::skipped;
use k256::ecdsa::SigningKey;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

const REQUIRED: u32 = 2;
const TOKEN: &str = "0x00000000000000000000000000000000000070c3";

/// A contract that keeps each balance in the slot of its owner's address: `balanceOf` and `transfer`, which reverts
/// without enough and logs `Transfer`.
const TOKEN_CODE: &str = "0x60003560e01c806370a0823114601d5763a9059cbb14602a57600080fd5b6004355460005260206000f35b\
    6024353354818110607c57819003335580600435540160043555600052600435337fddf252ad1be2c89b69c2b068\
    fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a3600160005260206000f35b600080fd";

/// Keys by their addresses.
struct TestKeys(Vec<(String, SigningKey)>);

impl TestKeys {
    fn new(count: u8) -> Self {
        let key = |number: u8| {
            let key = SigningKey::from_slice(&[number; 32]).unwrap();
            let point = key.verifying_key().to_sec1_point(false);
            let hash = keccak(&point.as_bytes()[1..]);
            (const_hex::encode_prefixed(&hash[12..]), key)
        };
        Self((1..=count).map(key).collect())
    }

    fn address(&self, index: usize) -> String {
        self.0[index].0.clone()
    }
}

impl Keys for TestKeys {
    fn sign(&self, address: &str, digest: &[u8; 32]) -> Result<Signature, KeyError> {
        let (_, key) = self.0.iter().find(|(own, _)| own == address).unwrap();
        let (signature, recovery) = key.sign_prehash_recoverable(digest);
        let public_key = key.verifying_key().to_sec1_point(true).as_bytes().try_into().unwrap();
        let rs = signature.to_bytes().as_slice().try_into().unwrap();
        Ok(Signature { rs, recovery: recovery.to_byte(), public_key })
    }
}

/// A running anvil with a watcher and a payer. Key 0 is the hot wallet, key 1 a customer's address, key 2 a payee's.
struct Stage {
    anvil: Child,
    keys: TestKeys,
    chain: EvmChain,
    watcher: Watcher,
    payer: Payer,
    observations: Vec<Observation>,
    steps: Vec<Step>,
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = self.anvil.kill();
        let _ = self.anvil.wait();
    }
}

impl Stage {
    /// `None` if there is no anvil on this machine.
    fn new() -> Option<Self> {
        let Ok(program) = std::env::var("BUTTONWOOD_ANVIL") else {
            skipped("a test against anvil", "BUTTONWOOD_ANVIL does not name anvil");
            return None;
        };
        let mut anvil = Command::new(program)
            .args(["--no-mining", "--port", "0", "--host", "127.0.0.1"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("anvil starts");
        let mut lines = BufReader::new(anvil.stdout.take().unwrap()).lines();
        let listening = lines.find_map(|line| line.unwrap().strip_prefix("Listening on ").map(str::to_owned));
        // Its pipe must not fill up.
        std::thread::spawn(move || lines.for_each(drop));
        let token = Token { currency: "GUSD".to_owned(), contract: TOKEN.to_owned(), decimals: 2 };
        let config = EvmConfig {
            url: NodeUrl::parse(&format!("http://{}", listening.unwrap())).unwrap(),
            currency: "ETH".to_owned(),
            tokens: vec![token],
            confirmations: REQUIRED,
            gas_price_max: 10_u128.pow(12),
        };
        let keys = TestKeys::new(3);
        let mut stage = Self {
            anvil,
            keys,
            chain: EvmChain::new(config),
            watcher: Watcher::new(REQUIRED),
            payer: Payer::new(REQUIRED),
            observations: Vec::new(),
            steps: Vec::new(),
        };
        stage.rpc("anvil_setBalance", &json!([stage.keys.address(0), hex(10_u128.pow(20))]));
        stage.rpc("anvil_setCode", &json!([TOKEN, TOKEN_CODE]));
        stage.set_tokens(0, 100_000);
        stage.rpc("anvil_mine", &json!(["0x3"]));
        stage.settle_down();
        Some(stage)
    }

    fn rpc(&mut self, method: &str, params: &Value) -> Value {
        self.chain.rpc.call(method, params).unwrap_or_else(|fault| panic!("{method}: {fault:?}"))
    }

    fn set_tokens(&mut self, key: usize, cents: u64) {
        let slot = format!("0x{:0>64}", self.keys.address(key).strip_prefix("0x").unwrap());
        self.rpc("anvil_setStorageAt", &json!([TOKEN, slot, format!("0x{cents:064x}")]));
    }

    fn look(&mut self) -> Report {
        let customer = self.keys.address(1);
        let report = self.watcher.look(&mut self.chain, &|address| address == customer);
        assert_eq!(report.fault, None);
        self.observations.extend(report.observations.iter().cloned());
        report
    }

    fn poll(&mut self) -> usize {
        let steps = self.payer.poll(&mut self.chain, self.watcher.branch(), &self.keys);
        for step in &steps {
            if let Step::Signed { payment, attempt } = step {
                assert!(self.payer.recorded(*payment, &attempt.signed.tx));
            }
        }
        self.steps.extend(steps.iter().cloned());
        steps.len()
    }

    fn settle_down(&mut self) {
        // A branch of the same length is followed at the third look.
        for _ in 0..4 {
            while !self.look().is_empty() || self.poll() > 0 {}
        }
    }

    fn mine(&mut self, blocks: u64) {
        self.rpc("anvil_mine", &json!([hex(blocks.into())]));
        self.settle_down();
    }

    fn pay(&mut self, id: u64, currency: &str, amount: Money) -> Payment {
        let payment = Payment {
            id,
            from: vec![self.keys.address(0)],
            address: self.keys.address(2),
            memo: None,
            currency: currency.to_owned(),
            amount,
        };
        self.payer.accept(payment.clone());
        payment
    }

    fn held(&mut self, key: usize, currency: &str) -> Money {
        let address = self.keys.address(key);
        self.chain.balance(&[address], currency).unwrap()
    }

    fn outcome(&self, id: u64) -> Option<Outcome> {
        let ends = |step: &&Step| matches!(step, Step::Settled { payment, .. } | Step::Unsettled { payment, .. } if *payment == id);
        self.steps.iter().rev().find(ends).and_then(settled).map(|settled| settled.outcome)
    }

    fn attempts(&self, id: u64) -> Vec<Attempt> {
        let attempt = |step: &Step| {
            let Step::Signed { payment, attempt } = step else { return None };
            (*payment == id).then(|| attempt.clone())
        };
        self.steps.iter().filter_map(attempt).collect()
    }

    /// A payment from one of anvil's own accounts.
    fn send_from_outside(&mut self, to: &str, wei: u128, data: &str) -> Outpoint {
        let accounts = self.rpc("eth_accounts", &json!([]));
        let transaction = json!([{"from": accounts[0], "to": to, "value": hex(wei), "data": data}]);
        let tx = self.rpc("eth_sendTransaction", &transaction);
        Outpoint { tx: TxHash::new(tx.as_str().unwrap()), index: 0 }
    }
}

fn settled(step: &Step) -> Option<&Settled> {
    let Step::Settled { settled, .. } = step else { return None };
    Some(settled)
}

/// A deposit of the network's own currency and one of a token: seen while they wait, confirmed, removed by a
/// reorganisation.
#[test]
fn deposits_are_seen_and_confirmed() {
    let Some(mut stage) = Stage::new() else { return };
    let customer = stage.keys.address(1);
    let own = stage.send_from_outside(&customer, 15 * 10_u128.pow(17), "0x");
    let accounts = stage.rpc("eth_accounts", &json!([]));
    let slot = format!("0x{:0>64}", accounts[0].as_str().unwrap().strip_prefix("0x").unwrap().to_lowercase());
    stage.rpc("anvil_setStorageAt", &json!([TOKEN, slot, format!("0x{:064x}", 500)]));
    let data = format!("{TRANSFER_CALL}{:0>64}{:064x}", customer.strip_prefix("0x").unwrap(), 123);
    let token = stage.send_from_outside(TOKEN, 0, &data);
    stage.settle_down();
    let seen = |stage: &Stage| -> Vec<(Outpoint, String, Money)> {
        let of = |observation: &Observation| {
            let Observation::Seen { key, output, .. } = observation else { return None };
            Some((key.clone(), output.currency.clone(), output.amount))
        };
        stage.observations.iter().filter_map(of).collect()
    };
    let expected = [
        (own.clone(), "ETH".to_owned(), Money::from_units(15 * 10_i128.pow(18))),
        (token.clone(), "GUSD".to_owned(), Money::from_units(123 * 10_i128.pow(17))),
    ];
    assert_eq!(seen(&stage), expected);
    for confirmations in 1..=REQUIRED {
        stage.observations.clear();
        stage.mine(1);
        for key in [&own, &token] {
            let is_it = |observation: &Observation| {
                matches!(observation,
                Observation::Confirmed { key: found, confirmations: count, .. } if found == key && *count == confirmations)
            };
            assert_eq!(stage.observations.iter().filter(|one| is_it(one)).count(), 1);
        }
    }
    stage.observations.clear();
    stage.rpc("anvil_reorg", &json!([2, []]));
    stage.settle_down();
    let removed = stage.observations.iter().filter(|one| matches!(one, Observation::Removed { .. })).count();
    assert_eq!(removed, 2, "{:?}", stage.observations);
    assert!(seen(&stage).is_empty());
}

/// Payments of the network's own currency and of a token go out together, and are settled; the network's cost is known.
#[test]
fn payments_are_made_once() {
    let Some(mut stage) = Stage::new() else { return };
    stage.pay(1, "ETH", units(3));
    stage.pay(2, "GUSD", units(20));
    stage.pay(3, "GUSD", Money::from_units(1));
    stage.settle_down();
    assert!(
        stage.steps.iter().any(|step| matches!(step, Step::Blocked { payment: 3, .. })),
        "a cent has no parts"
    );
    stage.mine(1);
    assert_eq!((stage.outcome(1), stage.outcome(2)), (None, None));
    stage.mine(1);
    assert_eq!((stage.outcome(1), stage.outcome(2)), (Some(Outcome::Completed), Some(Outcome::Completed)));
    assert_eq!((stage.held(2, "ETH"), stage.held(2, "GUSD")), (units(3), units(20)));
    let costs: Money = stage.steps.iter().filter_map(settled).map(|settled| settled.cost).sum();
    assert_eq!(stage.held(0, "ETH") + units(3) + costs, units(100));
    for attempt in stage.attempts(1) {
        assert_eq!(stage.chain.broadcast(&attempt.signed.bytes), Broadcast::Spent);
    }
}

/// A higher fee replaces the payment, which waits while no block comes; one of the two is paid.
#[test]
fn a_higher_fee_replaces_the_payment() {
    let Some(mut stage) = Stage::new() else { return };
    stage.pay(1, "ETH", units(3));
    stage.settle_down();
    assert!(stage.payer.bump(1));
    stage.settle_down();
    let attempts = stage.attempts(1);
    assert_eq!(attempts.iter().map(|one| one.purpose).collect::<Vec<_>>(), [Purpose::Pay, Purpose::Bump]);
    assert_eq!(attempts[0].signed.spends, attempts[1].signed.spends);
    stage.mine(2);
    assert_eq!((stage.outcome(1), stage.held(2, "ETH")), (Some(Outcome::Completed), units(3)));
    let found = stage.chain.lookup(&attempts[0].signed.tx, &attempts[0].signed.spends);
    assert_eq!(found, Ok(Lookup::Dead { by: None }));
}

/// A void uses up the nonce of the payment that it replaces.
#[test]
fn a_void_uses_up_the_nonce() {
    let Some(mut stage) = Stage::new() else { return };
    stage.pay(1, "ETH", units(3));
    stage.settle_down();
    let first = stage.attempts(1)[0].signed.clone();
    let reserved = Reserved::default();
    let draft = Draft {
        from: &[],
        pay: None,
        spends: Some(&first.spends),
        bid: 1,
        outbids: Some(&first),
        reserved: &reserved,
    };
    let unsigned = stage.chain.build(&draft).unwrap();
    let void = stage.chain.sign(&unsigned, &stage.keys).unwrap();
    assert_eq!(stage.chain.broadcast(&void.bytes), Broadcast::Accepted);
    assert_eq!(stage.chain.broadcast(&void.bytes), Broadcast::AlreadyKnown);
    stage.rpc("anvil_mine", &json!(["0x2"]));
    assert!(matches!(stage.chain.lookup(&void.tx, &void.spends), Ok(Lookup::Mined { failed: false, .. })));
    assert_eq!(stage.chain.lookup(&first.tx, &first.spends), Ok(Lookup::Dead { by: None }));
    assert_eq!(stage.held(2, "ETH"), Money::ZERO);
}

/// A payment whose contract fails in the block is reported as failed, and moved nothing.
#[test]
fn a_revert_is_a_failure() {
    let Some(mut stage) = Stage::new() else { return };
    stage.pay(1, "GUSD", units(20));
    stage.settle_down();
    stage.set_tokens(0, 0);
    stage.mine(2);
    assert_eq!((stage.outcome(1), stage.held(2, "GUSD")), (Some(Outcome::Failed), Money::ZERO));
}

/// A settled payment that a reorganisation removes is sent again, byte for byte.
#[test]
fn a_removed_payment_is_sent_again() {
    let Some(mut stage) = Stage::new() else { return };
    let payment = stage.pay(1, "ETH", units(3));
    stage.settle_down();
    stage.mine(2);
    assert_eq!(stage.outcome(1), Some(Outcome::Completed));
    let settled = stage.steps.iter().find_map(settled).cloned();
    let attempts = stage.attempts(1);
    stage.rpc("anvil_reorg", &json!([2, []]));
    // The exchange starts again in between.
    stage.payer = Payer::new(REQUIRED);
    stage.payer.restore(payment, attempts, settled);
    stage.settle_down();
    assert!(stage.steps.iter().any(|step| matches!(step, Step::Unsettled { payment: 1, .. })));
    stage.mine(2);
    assert_eq!((stage.outcome(1), stage.held(2, "ETH")), (Some(Outcome::Completed), units(3)));
    assert_eq!(stage.attempts(1).len(), 1);
}

/// A node that is gone answers nothing, and nothing changes.
#[test]
fn a_node_that_is_gone_changes_nothing() {
    let Some(mut stage) = Stage::new() else { return };
    stage.pay(1, "ETH", units(3));
    stage.settle_down();
    stage.anvil.kill().unwrap();
    stage.anvil.wait().unwrap();
    let steps = stage.steps.len();
    let report = stage.look();
    assert!(report.is_empty() && !report.caught_up);
    assert_eq!((stage.poll(), stage.steps.len()), (0, steps));
    let address = stage.keys.address(0);
    let pay = Pay { address: &address, memo: None, currency: "ETH", amount: units(1) };
    let from = [address.clone()];
    let reserved = Reserved::default();
    let draft =
        Draft { from: &from, pay: Some(pay), spends: None, bid: 0, outbids: None, reserved: &reserved };
    assert!(matches!(stage.chain.build(&draft), Err(BuildError::Unanswered(_))));
}

/// The chain and a token's contract say what they are; an address without code is no token.
#[test]
fn a_node_says_what_it_serves() {
    let Some(mut stage) = Stage::new() else { return };
    let identity = stage.chain.identity().unwrap();
    assert_eq!((identity.chain_id, identity.main_of()), (31_337, None));
    assert_eq!(Some(&identity.genesis), stage.chain.block_at(0).unwrap().map(|block| block.hash).as_ref());
    let mut token = stage.chain.config.tokens[0].clone();
    assert_eq!(stage.chain.check_token(&token), Ok(Ok(())), "it does not say its decimals");
    // Answers 2 to every call.
    stage.rpc("anvil_setCode", &json!([TOKEN, "0x600260005260206000f3"]));
    assert_eq!(stage.chain.check_token(&token), Ok(Ok(())));
    token.decimals = 6;
    assert_eq!(stage.chain.check_token(&token), Ok(Err(TokenFault::Decimals(2))));
    token.contract = stage.keys.address(1);
    assert_eq!(stage.chain.check_token(&token), Ok(Err(TokenFault::NoContract)));
}

/// The ids of main chains name their networks.
#[test]
fn main_chains_are_known() {
    let of = |chain_id| EvmIdentity { chain_id, genesis: TxHash::new("0x00") }.main_of();
    assert_eq!((of(1), of(8_453), of(11_155_111)), (Some("ethereum"), Some("base"), None));
}

/// Gas of payments on their way is not spent twice: the wallet waits to be filled up, and nothing is voided.
#[test]
fn a_wallet_that_is_too_small_for_the_gas_waits() {
    let Some(mut stage) = Stage::new() else { return };
    let half = Money::from_units(units(1).units() / 2);
    stage.rpc("anvil_setBalance", &json!([stage.keys.address(0), hex(10_u128.pow(18) + 10_u128.pow(14))]));
    stage.pay(1, "ETH", half);
    stage.pay(2, "ETH", half);
    stage.settle_down();
    assert_eq!((stage.attempts(1).len(), stage.attempts(2).len()), (1, 0));
    assert!(stage.steps.iter().any(|step| matches!(step, Step::Short { payment: 2, .. })));
    stage.rpc("anvil_setBalance", &json!([stage.keys.address(0), hex(10_u128.pow(19))]));
    stage.settle_down();
    stage.mine(2);
    assert_eq!((stage.outcome(1), stage.outcome(2)), (Some(Outcome::Completed), Some(Outcome::Completed)));
    assert_eq!(stage.payer.waiting().count(), 0);
}

/// A payment that offers too little for the node is not void: it is replaced by one that offers more, once that is asked for.
#[test]
fn a_payment_that_offers_too_little_is_replaced() {
    let Some(mut stage) = Stage::new() else { return };
    stage.pay(1, "ETH", units(3));
    stage.settle_down();
    // Anvil drops what offers less than a block's base fee, and does not take it again.
    stage.rpc("anvil_setNextBlockBaseFeePerGas", &json!([hex(10_u128.pow(11))]));
    stage.mine(1);
    stage.mine(1);
    assert_eq!((stage.outcome(1), stage.attempts(1).len()), (None, 1));
    assert_eq!(stage.payer.waiting().count(), 1);
    assert!(stage.payer.bump(1));
    stage.settle_down();
    stage.mine(2);
    let purposes: Vec<Purpose> = stage.attempts(1).iter().map(|one| one.purpose).collect();
    assert_eq!(purposes, [Purpose::Pay, Purpose::Bump]);
    assert_eq!((stage.outcome(1), stage.held(2, "ETH")), (Some(Outcome::Completed), units(3)));
}

/// A higher fee is not offered above the limit.
#[test]
fn a_fee_has_a_limit() {
    let Some(mut stage) = Stage::new() else { return };
    stage.pay(1, "ETH", units(3));
    stage.settle_down();
    stage.chain.config.gas_price_max = 1_000;
    assert!(stage.payer.bump(1));
    stage.settle_down();
    assert_eq!(stage.attempts(1).len(), 1);
    assert!(stage.steps.iter().any(|step| matches!(step, Step::Blocked { payment: 1, .. })));
    stage.mine(2);
    assert_eq!(stage.outcome(1), Some(Outcome::Completed));
}

/// Messages of nodes, by what they mean for a payment.
#[test]
fn messages_are_judged() {
    let judge = |message: &str| judged(message.to_owned());
    assert_eq!(judge("already known"), Broadcast::AlreadyKnown);
    assert_eq!(judge("nonce too low: next nonce 5, tx nonce 4"), Broadcast::Spent);
    for later in [
        "insufficient funds for gas * price + value",
        "replacement transaction underpriced",
        "max fee per gas less than block base fee",
        "the pool is full",
    ] {
        assert_eq!(judge(later), Broadcast::NoAnswer, "{later}");
    }
    for good in ["intrinsic gas too low", "invalid sender", "execution reverted"] {
        assert!(matches!(judge(good), Broadcast::Refused { .. }), "{good}");
    }
}
