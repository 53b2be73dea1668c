//! The identity of the chain that a node serves, and of a token's contract: checked once, before anything is watched or paid.

use super::{EvmChain, Token, hex, malformed};
use crate::node::RpcFault;
use crate::{Answer, TxHash, Unanswered};
use serde_json::{Value, json};

/// The ids of the main chains (EIP-155).
const MAIN: [(&str, u64); 7] = [
    ("arbitrum", 42_161),
    ("avalanche", 43_114),
    ("base", 8_453),
    ("ethereum", 1),
    ("linea", 59_144),
    ("monad", 143),
    ("optimism", 10),
];

/// The selector of `decimals()`.
const DECIMALS_CALL: &str = "0x313ce567";

/// The chain that a node serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvmIdentity {
    /// Its id (EIP-155).
    pub chain_id: u64,
    /// The hash of its first block.
    pub genesis: TxHash,
}

impl EvmIdentity {
    /// The network whose main chain this is; `None` for a test chain.
    pub fn main_of(&self) -> Option<&'static str> {
        MAIN.iter().find(|(_, id)| *id == self.chain_id).map(|(name, _)| *name)
    }
}

/// Why a token cannot be used on a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenFault {
    /// There is no code at the address.
    #[error("no contract lies at this address")]
    NoContract,
    /// The contract counts otherwise than the table of assets.
    #[error("the contract has {0} decimals")]
    Decimals(u128),
}

impl EvmChain {
    /// The chain that the node serves.
    ///
    /// # Errors
    /// [`Unanswered`]: there is no node, or it is none of an EVM network.
    pub fn identity(&mut self) -> Answer<EvmIdentity> {
        let id = self.number("eth_chainId", &json!([]))?;
        let chain_id = u64::try_from(id).map_err(|_| malformed("a chain's id"))?;
        let first = self.block_ref(&hex(0))?.ok_or_else(|| malformed("no first block"))?;
        Ok(EvmIdentity { chain_id, genesis: first.hash })
    }

    /// Checks a token's contract. One that does not say its decimals (ERC-20 leaves it open) is taken by the table's.
    ///
    /// # Errors
    /// [`Unanswered`].
    pub fn check_token(&mut self, token: &Token) -> Answer<Result<(), TokenFault>> {
        let code = self.call("eth_getCode", &json!([token.contract, "latest"]))?;
        if code.as_str().ok_or_else(|| malformed("a contract's code"))?.len() <= 2 {
            return Ok(Err(TokenFault::NoContract));
        }
        let asked = json!([{"to": token.contract, "data": DECIMALS_CALL}, "latest"]);
        let decimals = match self.rpc.call("eth_call", &asked) {
            Ok(Value::String(word)) if word.len() == 66 => super::read::number(&Value::String(word)),
            Ok(_) | Err(RpcFault::Error { .. }) => None,
            Err(RpcFault::Silent(silent)) => return Err::<_, Unanswered>(silent),
        };
        Ok(match decimals {
            Some(decimals) if decimals != u128::from(token.decimals) => Err(TokenFault::Decimals(decimals)),
            Some(_) | None => Ok(()),
        })
    }
}
