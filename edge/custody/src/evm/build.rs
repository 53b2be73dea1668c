//! Builds transactions of type 2 (EIP-1559).

use super::{EvmChain, NATIVE_DECIMALS, TRANSFER_CALL, Token, hex, keccak, malformed, read, rlp};
use crate::node::RpcFault;
use crate::{BuildError, Draft, Pay, Reserved, Spends, Unsigned};
use buttonwood_num::Money;
use serde_json::json;

/// Gas of a plain payment.
const GAS_PLAIN: u128 = 21_000;

/// Where a transaction goes, and what it carries.
struct Call {
    to: String,
    wei: u128,
    data: Vec<u8>,
    /// Whether it pays something: a void does not.
    pays: bool,
}

/// The offer of a transaction for a unit of gas, in wei.
struct Price {
    /// At most.
    max: u128,
    /// Of that for the block's maker.
    tip: u128,
}

impl EvmChain {
    pub(super) fn build_draft(&mut self, draft: &Draft<'_>) -> Result<Unsigned, BuildError> {
        let price = self.price(draft.bid)?;
        let (address, nonce) = match draft.spends {
            Some(Spends::Nonce { address, nonce }) => (address.clone(), *nonce),
            Some(Spends::Inputs(_) | Spends::Unknown) => {
                return Err(impossible("an EVM transaction spends a nonce"));
            }
            None => {
                let pay = draft.pay.ok_or_else(|| impossible("a void must say what it spends"))?;
                let address = self.payer(draft, &pay, &price)?;
                let next = self.number("eth_getTransactionCount", &json!([address, "pending"]))?;
                let next = u64::try_from(next).map_err(|_| malformed("a nonce"))?;
                let nonce = next.max(draft.reserved.nonce_after(&address));
                (address, nonce)
            }
        };
        let call = match &draft.pay {
            Some(pay) => self.payment(pay)?,
            None => Call { to: address.clone(), wei: 0, data: Vec::new(), pays: false },
        };
        let gas = self.gas(&address, &call)?;
        let chain_id = self.id()?;
        let to = read::bytes::<20>(&call.to).ok_or_else(|| impossible("a malformed address"))?;
        let body = [
            rlp::number(chain_id.into()),
            rlp::number(nonce.into()),
            rlp::number(price.tip),
            rlp::number(price.max),
            rlp::number(gas),
            rlp::bytes(&to),
            rlp::number(call.wei),
            rlp::bytes(&call.data),
            rlp::list(&[]),
        ]
        .concat();
        let digest = keccak(&[&[2], rlp::list(&body).as_slice()].concat());
        let digests = vec![(address.clone(), digest)];
        Ok(Unsigned { body, digests, spends: Spends::Nonce { address, nonce } })
    }

    fn id(&mut self) -> Result<u64, BuildError> {
        if let Some(id) = self.chain_id {
            return Ok(id);
        }
        let id = self.number("eth_chainId", &json!([]))?;
        let id = u64::try_from(id).map_err(|_| malformed("a chain's id"))?;
        self.chain_id = Some(id);
        Ok(id)
    }

    /// Twice the base fee and the node's tip; a quarter more for each bid (nodes ask for a tenth). The first offers at most the limit;
    /// a further one that would offer more is not made.
    fn price(&mut self, bid: u32) -> Result<Price, BuildError> {
        let block = self.block_json("latest", false)?.ok_or_else(|| malformed("no newest block"))?;
        let base = block.get("baseFeePerGas").and_then(read::number);
        let base = base.ok_or_else(|| impossible("the network has no base fee (EIP-1559)"))?;
        let tip = self.number("eth_maxPriorityFeePerGas", &json!([]))?.max(1);
        let max = base.saturating_mul(2).saturating_add(tip);
        let limit = self.config.gas_price_max;
        let raised = |price: u128| {
            let raise = |price: u128, _| price.saturating_add(price / 4).saturating_add(1);
            (0..bid.min(100)).fold(price, raise)
        };
        if bid > 0 && raised(max) > limit {
            return Err(impossible("a higher fee would be above the limit"));
        }
        Ok(Price { max: raised(max).min(limit), tip: raised(tip).min(limit) })
    }

    /// The first account that can pay the amount, and the gas of it.
    fn payer(&mut self, draft: &Draft<'_>, pay: &Pay<'_>, price: &Price) -> Result<String, BuildError> {
        let own = self.config.currency.clone();
        let gas = if pay.currency == own { GAS_PLAIN } else { 4 * GAS_PLAIN };
        let cost = gas.checked_mul(price.max).and_then(|wei| read::money(wei, NATIVE_DECIMALS));
        let cost = cost.ok_or_else(|| impossible("the gas price is too large to count"))?;
        let mut most = Money::ZERO;
        for address in draft.from {
            let gas_money = self.held(address, &own)? - draft.reserved.outflow(address, &own);
            let gas_money = gas_money - self.gas_on_its_way(address, price, draft.reserved)?;
            let free = if pay.currency == own {
                gas_money - cost
            } else if gas_money >= cost {
                self.held(address, pay.currency)? - draft.reserved.outflow(address, pay.currency)
            } else {
                Money::ZERO
            };
            if free >= pay.amount {
                return Ok(address.clone());
            }
            most = most.max(free);
        }
        Err(BuildError::Short { available: most })
    }

    /// The highest cost of an account's payments that are in no block yet, each taken for a token's.
    fn gas_on_its_way(
        &mut self,
        address: &str,
        price: &Price,
        reserved: &Reserved,
    ) -> Result<Money, BuildError> {
        let mined = self.number("eth_getTransactionCount", &json!([address, "latest"]))?;
        let mined = u64::try_from(mined).map_err(|_| malformed("a nonce"))?;
        let waiting = u128::try_from(reserved.nonces_from(address, mined)).unwrap_or(u128::MAX);
        let wei = (4 * GAS_PLAIN).checked_mul(price.max).and_then(|one| one.checked_mul(waiting));
        let cost = wei.and_then(|wei| read::money(wei, NATIVE_DECIMALS));
        cost.ok_or_else(|| impossible("the gas price is too large to count"))
    }

    fn payment(&self, pay: &Pay<'_>) -> Result<Call, BuildError> {
        let too_fine = || impossible("the amount has more decimals than the currency");
        if pay.currency == self.config.currency {
            let wei = read::units(pay.amount, NATIVE_DECIMALS).ok_or_else(too_fine)?;
            return Ok(Call { to: pay.address.to_owned(), wei, data: Vec::new(), pays: true });
        }
        let token = self.config.tokens.iter().find(|token| token.currency == pay.currency);
        let Some(Token { contract, decimals, .. }) = token else {
            return Err(impossible("the network does not have this currency"));
        };
        let units = read::units(pay.amount, *decimals).ok_or_else(too_fine)?;
        let to = read::bytes::<20>(pay.address).ok_or_else(|| impossible("a malformed address"))?;
        let selector = read::bytes::<4>(TRANSFER_CALL).unwrap_or_default();
        let data = [selector.as_slice(), &[0; 12], &to, &[0; 16], &units.to_be_bytes()].concat();
        Ok(Call { to: contract.clone(), wei: 0, data, pays: true })
    }

    /// The node's estimate; for a token a quarter more, since its storage may change until then.
    fn gas(&mut self, from: &str, call: &Call) -> Result<u128, BuildError> {
        if !call.pays {
            return Ok(GAS_PLAIN);
        }
        let data = const_hex::encode_prefixed(&call.data);
        let params = json!([{"from": from, "to": call.to, "value": hex(call.wei), "data": data}]);
        match self.rpc.call("eth_estimateGas", &params) {
            Ok(value) => {
                let gas = read::number(&value).filter(|gas| (GAS_PLAIN..=30_000_000).contains(gas));
                let gas = gas.ok_or_else(|| malformed("an estimate of gas"))?;
                Ok(if gas == GAS_PLAIN { gas } else { gas + gas / 4 })
            }
            Err(RpcFault::Silent(silent)) => Err(BuildError::Unanswered(silent)),
            Err(RpcFault::Error { message, .. }) => Err(impossible(&message)),
        }
    }
}

fn impossible(reason: &str) -> BuildError {
    BuildError::Impossible { reason: reason.to_owned() }
}
