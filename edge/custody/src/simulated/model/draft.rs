//! Builds own transactions of a simulated chain.

use super::Model;
use super::pay::owner;
use crate::simulated::command::Body;
use crate::{BuildError, Draft, Outpoint, Output, Pay, Spends};
use buttonwood_num::Money;
use std::collections::{BTreeMap, BTreeSet};

impl Model {
    /// The content of a transaction, and the addresses that must sign it.
    pub(in crate::simulated) fn draft(&self, draft: &Draft<'_>) -> Result<(Body, Vec<String>), BuildError> {
        let output = draft.pay.map(output);
        match (draft.spends, self.network.evm) {
            (Some(Spends::Nonce { address, nonce }), true) => {
                Ok(nonce_body(address.clone(), *nonce, output, draft.bid))
            }
            (Some(Spends::Inputs(inputs)), false) => self.inputs_body(draft, inputs.clone(), output),
            (Some(_), _) => Err(impossible("this network's transactions do not spend that")),
            (None, evm) => {
                let Some(output) = output else {
                    return Err(impossible("a void must say what it spends"));
                };
                if evm {
                    let address = self.payer(draft, &output)?;
                    let nonce = self.free_nonce(&address).max(draft.reserved.nonce_after(&address));
                    Ok(nonce_body(address, nonce, Some(output), draft.bid))
                } else {
                    self.inputs_body(draft, self.choose(draft, &output)?, Some(output))
                }
            }
        }
    }

    /// The first account that can pay all.
    fn payer(&self, draft: &Draft<'_>, output: &Output) -> Result<String, BuildError> {
        let mut most = Money::ZERO;
        for address in draft.from {
            let free =
                self.balance(address, &output.currency) - draft.reserved.outflow(address, &output.currency);
            if free >= output.amount {
                return Ok(address.clone());
            }
            most = most.max(free);
        }
        Err(BuildError::Short { available: most })
    }

    /// Enough free outputs of the addresses, in their order.
    fn choose(&self, draft: &Draft<'_>, output: &Output) -> Result<Vec<Outpoint>, BuildError> {
        let (mut chosen, mut sum) = (Vec::new(), Money::ZERO);
        for address in draft.from {
            for (input, amount) in self.coins(address, &output.currency, draft.reserved) {
                chosen.push(input);
                sum += amount;
                if sum >= output.amount {
                    return Ok(chosen);
                }
            }
        }
        Err(BuildError::Short { available: sum })
    }

    /// Pays the output from the inputs; what is left goes to the preferred own address, never back to an address of deposits, whose
    /// customer would be credited with it.
    fn inputs_body(
        &self,
        draft: &Draft<'_>,
        inputs: Vec<Outpoint>,
        output: Option<Output>,
    ) -> Result<(Body, Vec<String>), BuildError> {
        let mut left: BTreeMap<String, Money> = BTreeMap::new();
        let mut signers = BTreeSet::new();
        let home = draft.from.first().ok_or_else(|| impossible("no own address may pay"))?;
        for input in &inputs {
            let coin = self.coin(input).ok_or_else(|| impossible("an input does not exist any more"))?;
            let (address, currency) = owner(coin);
            *left.entry(currency).or_default() += coin.amount;
            signers.insert(address);
        }
        if inputs.is_empty() {
            return Err(impossible("it has no inputs"));
        }
        if let Some(output) = &output {
            *left.entry(output.currency.clone()).or_default() -= output.amount;
        }
        if left.values().any(|sum| sum.is_negative()) {
            return Err(impossible("its inputs do not cover the payment"));
        }
        let change = left
            .into_iter()
            .filter(|(_, sum)| *sum > Money::ZERO)
            .map(|(currency, amount)| Output { address: home.clone(), memo: None, currency, amount });
        let outputs = output.into_iter().chain(change).collect();
        let body = Body { spends: Spends::Inputs(inputs), outputs, bid: draft.bid };
        Ok((body, signers.into_iter().collect()))
    }
}

fn nonce_body(address: String, nonce: u64, output: Option<Output>, bid: u32) -> (Body, Vec<String>) {
    let spends = Spends::Nonce { address: address.clone(), nonce };
    (Body { spends, outputs: output.into_iter().collect(), bid }, vec![address])
}

fn output(pay: Pay<'_>) -> Output {
    Output {
        address: pay.address.to_owned(),
        memo: pay.memo.map(ToOwned::to_owned),
        currency: pay.currency.to_owned(),
        amount: pay.amount,
    }
}

fn impossible(reason: &str) -> BuildError {
    BuildError::Impossible { reason: reason.to_owned() }
}
