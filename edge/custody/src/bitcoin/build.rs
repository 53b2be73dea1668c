//! Builds transactions: which coins they spend, what they pay the network, where the rest goes.

use super::coins::Coin;
use super::encode::{FEE_MAX, Plan, Spent};
use super::{BitcoinChain, encode, read};
use crate::{Answer, BuildError, Draft, Outpoint, Pay, Signed, Spends, Unsigned};
use serde_json::{Value, json};

/// Blocks within which the node's estimate of fees wants a transaction to confirm.
const TARGET: u32 = 6;

/// Coins that one transaction spends at most; it stays below the size that nodes relay.
const INPUTS_MAX: usize = 400;

/// Blocks after which the money of a new block can be spent.
const MATURITY: u64 = 100;

/// Waiting transactions in a row on which a payment may be built. Nodes refuse 26.
const ANCESTORS_MAX: u64 = 20;

/// Virtual bytes of an input, with its share of the witness.
const INPUT: u64 = 68;

/// Fees that the change should still have room for, so that they can be raised.
const HEADROOM: u64 = 4;

/// The fee rates of the network, in satoshis for 1000 virtual bytes.
struct Rates {
    /// To be confirmed soon.
    fee: u64,
    /// More than what is replaced.
    increment: u64,
}

impl BitcoinChain {
    pub(super) fn build_draft(&mut self, draft: &Draft<'_>) -> Result<Unsigned, BuildError> {
        self.follow(draft.from)?;
        let target = draft.pay.as_ref().map(|pay| self.target(pay)).transpose()?;
        let rates = self.rates()?;
        let inputs = match (draft.spends, &target) {
            (Some(Spends::Inputs(points)), _) => self.given(points)?,
            (Some(Spends::Nonce { .. } | Spends::Unknown), _) => {
                return Err(impossible("a transaction of this network spends outputs"));
            }
            (None, Some(target)) => self.choose(draft, target, &rates)?,
            (None, None) => return Err(impossible("a void must say what it spends")),
        };
        let home =
            draft.from.first().cloned().or_else(|| inputs.first().map(|(_, coin)| coin.address.clone()));
        let home = home
            .and_then(|home| self.spelling.script(&home))
            .ok_or_else(|| impossible("no address for the change"))?;
        let mut plan = Plan { inputs: Vec::new(), outputs: target.into_iter().collect() };
        for (point, coin) in &inputs {
            plan.inputs.push(self.spent(point, coin)?);
        }
        let least = self.least_fee(draft, &plan, &home, &rates)?;
        self.balance_out(&mut plan, home, least)?;
        unsigned(&plan, &inputs)
    }

    /// The script and the satoshis of a payment.
    fn target(&self, pay: &Pay<'_>) -> Result<(u64, Vec<u8>), BuildError> {
        if pay.currency != self.spelling.currency {
            return Err(impossible("the network does not have this currency"));
        }
        let script = self.spelling.script(pay.address).ok_or_else(|| impossible("a malformed address"))?;
        let satoshis = read::in_satoshis(pay.amount);
        let satoshis =
            satoshis.ok_or_else(|| impossible("the amount has more decimals than the currency"))?;
        if satoshis < self.dust(&script) {
            return Err(impossible("the amount is less than the network relays (dust)"));
        }
        Ok((satoshis, script))
    }

    /// The least amount that nodes relay to a script: what spending it would cost at the network's rate for dust.
    fn dust(&self, script: &[u8]) -> u64 {
        let is_witness = script.len() >= 4
            && script.first().is_some_and(|first| *first == 0 || (0x51..=0x60).contains(first));
        let output = u64::try_from(9 + script.len()).unwrap_or(u64::MAX);
        let spending = if is_witness { 67 } else { 148 };
        (output + spending) * self.network.dust_rate() / 1000
    }

    fn rates(&mut self) -> Result<Rates, BuildError> {
        let rate = |value: &Value, name: &str| value.get(name).and_then(read::satoshis);
        let estimate = self.call("estimatesmartfee", &json!([TARGET]))?;
        let pool = self.call("getmempoolinfo", &json!([]))?;
        let network = self.call("getnetworkinfo", &json!([]))?;
        let asked = [rate(&estimate, "feerate"), rate(&pool, "mempoolminfee"), rate(&network, "relayfee")];
        let fee = asked.into_iter().flatten().max().unwrap_or(0);
        let fee = fee.clamp(self.network.fee_rate_min(), self.network.fee_rate_max());
        let increment = rate(&network, "incrementalfee").unwrap_or(0).max(1000);
        Ok(Rates { fee, increment })
    }

    /// The coins that an earlier transaction has spent, in their order.
    fn given(&self, points: &[Outpoint]) -> Result<Vec<(Outpoint, Coin)>, BuildError> {
        let find = |point: &Outpoint| {
            let coin =
                self.coins.find(point).ok_or_else(|| impossible("an input does not exist any more"))?;
            Ok((point.clone(), coin.clone()))
        };
        points.iter().map(find).collect()
    }

    /// Free coins, in the order of the addresses, until they cover the payment and leave room for a higher fee.
    fn choose(
        &mut self,
        draft: &Draft<'_>,
        target: &(u64, Vec<u8>),
        rates: &Rates,
    ) -> Result<Vec<(Outpoint, Coin)>, BuildError> {
        let mut chosen: Vec<(Outpoint, Coin)> = Vec::new();
        let (mut sum, mut fee) = (0, 0);
        let candidates: Vec<(Outpoint, Coin)> = draft
            .from
            .iter()
            .filter(|own| self.owner(own).is_some())
            .flat_map(|own| self.coins.of(own))
            .collect();
        for (point, coin) in candidates {
            let worth = coin.satoshis > cost(INPUT, rates.fee);
            let room = chosen.len() < INPUTS_MAX;
            if !worth || !room || draft.reserved.has_input(&point) || !self.is_spendable(&point, &coin)? {
                continue;
            }
            sum += coin.satoshis;
            chosen.push((point, coin));
            // The target, the change, and what is common to all transactions.
            let inputs = u64::try_from(chosen.len()).unwrap_or(u64::MAX);
            fee = cost(90 + 43 + inputs * (INPUT + 1), rates.fee);
            if sum >= target.0 + fee * HEADROOM {
                return Ok(chosen);
            }
        }
        if sum >= target.0 + fee && !chosen.is_empty() {
            return Ok(chosen);
        }
        Err(BuildError::Short { available: read::money(sum.saturating_sub(fee)) })
    }

    /// Whether the node lets a coin be spent: nothing in the mempool spends it, it is mature, and not too many
    /// transactions wait below it.
    fn is_spendable(&mut self, point: &Outpoint, coin: &Coin) -> Answer<bool> {
        let Some(output) = self.output(point, true)? else { return Ok(false) };
        let confirmations = output.get("confirmations").and_then(Value::as_u64).unwrap_or(0);
        let immature = output.get("coinbase") == Some(&json!(true)) && confirmations < MATURITY;
        let same = output.get("value").and_then(read::satoshis) == Some(coin.satoshis);
        if immature || !same {
            return Ok(false);
        }
        if confirmations > 0 {
            return Ok(true);
        }
        let ancestors = self.waiting(&point.tx)?;
        let ancestors = ancestors.and_then(|entry| entry.get("ancestorcount").and_then(Value::as_u64));
        Ok(ancestors.is_some_and(|count| count < ANCESTORS_MAX))
    }

    /// The hash of the key that an address pays to; none unless it is P2WPKH, which alone is spent: the older form of litecoin's
    /// deposits waits.
    fn owner(&self, address: &str) -> Option<[u8; 20]> {
        let script = self.spelling.script(address)?;
        script.strip_prefix(&[0, 20]).and_then(|hash| <[u8; 20]>::try_from(hash).ok())
    }

    /// The coin as an input.
    fn spent(&self, point: &Outpoint, coin: &Coin) -> Result<Spent, BuildError> {
        let owner = self.owner(&coin.address);
        let owner = owner.ok_or_else(|| impossible("an own address is not P2WPKH"))?;
        let tx = encode::bytes(&point.tx).ok_or_else(|| impossible("a malformed input"))?;
        Ok(Spent { tx, index: point.index, owner, satoshis: coin.satoshis })
    }

    /// The least that the network must be paid, with change.
    fn least_fee(
        &mut self,
        draft: &Draft<'_>,
        plan: &Plan,
        home: &[u8],
        rates: &Rates,
    ) -> Result<u64, BuildError> {
        let mut whole = plan.clone();
        whole.outputs.push((0, home.to_vec()));
        let increment = cost(whole.size(), rates.increment);
        let mut fee = cost(whole.size(), rates.fee) + increment.saturating_mul(draft.bid.into());
        if let Some(last) = draft.outbids {
            let paid = self.paid(last)?;
            fee = fee.max(paid + increment.max(paid / 4));
        }
        let most = cost(whole.size(), self.network.fee_rate_max()).min(FEE_MAX);
        if fee > most {
            return Err(impossible("the network would take more than the limit on fees"));
        }
        Ok(fee)
    }

    /// The fee that a transaction pays the network, with all that is built on it in the mempool: this is to be outbid (BIP 125).
    fn paid(&mut self, last: &Signed) -> Result<u64, BuildError> {
        let own =
            encode::fee_of(&last.bytes).ok_or_else(|| impossible("an unreadable earlier transaction"))?;
        let entry = self.waiting(&last.tx)?;
        let fees = entry.and_then(|entry| entry.get("fees")?.get("descendant").and_then(read::satoshis));
        Ok(own.max(fees.unwrap_or(0)))
    }

    /// Sends home what is left. If that is dust, the network has it.
    fn balance_out(&self, plan: &mut Plan, home: Vec<u8>, least: u64) -> Result<(), BuildError> {
        let short = || impossible("its inputs do not cover the payment and the network's fee");
        let left = plan.fee().ok_or_else(short)?;
        let change = left.checked_sub(least).ok_or_else(short)?;
        if change >= self.dust(&home) {
            plan.outputs.push((change, home));
        }
        if plan.outputs.is_empty() {
            return Err(impossible("its inputs are worth less than the network relays (dust)"));
        }
        Ok(())
    }
}

fn unsigned(plan: &Plan, inputs: &[(Outpoint, Coin)]) -> Result<Unsigned, BuildError> {
    let mut digests = Vec::new();
    for (index, (_, coin)) in inputs.iter().enumerate() {
        let digest = plan.digest(index).ok_or_else(|| impossible("it has no inputs"))?;
        digests.push((coin.address.clone(), digest));
    }
    let body = postcard::to_allocvec(plan).map_err(|_| impossible("it cannot be encoded"))?;
    let spends = Spends::Inputs(inputs.iter().map(|(point, _)| point.clone()).collect());
    Ok(Unsigned { body, digests, spends })
}

/// The cost of virtual bytes at a rate, rounded up.
fn cost(size: u64, rate: u64) -> u64 {
    size.saturating_mul(rate).div_ceil(1000)
}

fn impossible(reason: &str) -> BuildError {
    BuildError::Impossible { reason: reason.to_owned() }
}
