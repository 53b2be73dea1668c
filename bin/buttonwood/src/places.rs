//! The networks and assets that an exchange begins with, from two tables in `data/` (FX-011, facts F§12).
//!
//! The table of assets has a token's contract only where it is certain; without one a token moves on simulated chains alone.

use crate::trouble::Trouble;
use buttonwood_engine::funds::network::Command;
use buttonwood_engine::funds::{Asset, Form, Network, NetworkKind};
use buttonwood_engine::{Body, FundsCommand, State};
use buttonwood_model::{Currency, CurrencyId};
use buttonwood_num::{Decimal, Money};
use std::sync::Arc;

const NETWORKS: &str = include_str!("../data/networks.csv");
const ASSETS: &str = include_str!("../data/assets.csv");

/// Commands that list the networks and assets which the directory lacks; an earlier build may have founded it. Assets of currencies
/// that it does not list are left out.
pub(crate) fn missing(state: &State) -> Result<Vec<Body>, Trouble> {
    let listed = state.funds().networks();
    let mut bodies = Vec::new();
    for line in NETWORKS.lines().skip(1) {
        let network = network(line)?;
        if listed.find(&network.name).is_none() {
            bodies.push(FundsCommand::from(Command::AddNetwork(Arc::new(network))).into());
        }
    }
    for line in ASSETS.lines().skip(1) {
        let Some(mut asset) = asset(line, state.currencies())? else { continue };
        if listed.asset(&asset.network, asset.currency).is_none() {
            // An operator may have chosen another home.
            asset.is_home &= listed.home(asset.currency).is_none();
            bodies.push(FundsCommand::from(Command::AddAsset(Arc::new(asset))).into());
        }
    }
    Ok(bodies)
}

/// The decimals of a token on a network, by the table of assets.
pub(crate) fn token_decimals(network: &str, code: &str) -> Option<u8> {
    let mut rows = ASSETS.lines().skip(1).map(|line| line.split(',').collect::<Vec<&str>>());
    let row = rows.find(|row| row.first() == Some(&network) && row.get(1) == Some(&code))?;
    row.last().filter(|form| form.starts_with("token"))?;
    row.get(2)?.parse().ok()
}

fn bad(line: &str, what: &str) -> Trouble {
    Trouble::Reference(format!("{what} in '{line}'"))
}

fn network(line: &str) -> Result<Network, Trouble> {
    let fields: Vec<&str> = line.split(',').collect();
    let [name, kind, confirmations, memo, parent] = *fields else {
        return Err(bad(line, "5 fields expected"));
    };
    let kind = NetworkKind::ALL.into_iter().find(|known| known.name() == kind);
    Ok(Network {
        name: name.to_owned(),
        kind: kind.ok_or_else(|| bad(line, "an unknown kind"))?,
        confirmations: confirmations.parse().map_err(|_| bad(line, "confirmations expected"))?,
        memo: memo == "memo",
        parent: parent.to_owned(),
    })
}

fn asset(line: &str, currencies: &[Currency]) -> Result<Option<Asset>, Trouble> {
    let fields: Vec<&str> = line.split(',').collect();
    let [network, currency, decimals, fee, minimum, home, form] = *fields else {
        return Err(bad(line, "7 fields expected"));
    };
    let amount = |text: &str| {
        let amount = Decimal::parse(text.as_bytes()).ok().and_then(Money::from_decimal);
        amount.ok_or_else(|| bad(line, "an amount expected"))
    };
    let form = match form.split_once(' ').unwrap_or((form, "")) {
        ("native", "") => Form::Native,
        ("token", contract) => Form::Token(contract.to_owned()),
        _ => return Err(bad(line, "native or token expected")),
    };
    let (fee, minimum) = (amount(fee)?, amount(minimum)?);
    let decimals = decimals.parse().map_err(|_| bad(line, "decimals expected"))?;
    let place = currencies.iter().position(|listed| listed.code == currency);
    Ok(place.map(|place| Asset {
        network: network.to_owned(),
        currency: CurrencyId::from_index(place),
        decimals,
        fee,
        minimum,
        is_home: home == "home",
        form,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Reference;
    use buttonwood_address::{Network as Format, Params};
    use std::collections::BTreeSet;

    fn tables() -> (Vec<Currency>, Vec<Network>, Vec<Asset>) {
        let reference = Reference::load().unwrap_or_else(|trouble| panic!("{trouble}"));
        let currencies: Vec<_> = reference.currencies.into_iter().map(|listed| listed.currency).collect();
        let networks = NETWORKS.lines().skip(1).map(|line| network(line).ok().unwrap()).collect();
        let assets = ASSETS.lines().skip(1).map(|line| asset(line, &currencies).ok().unwrap().unwrap());
        let assets = assets.collect();
        (currencies, networks, assets)
    }

    /// The table of currencies has the same networks as that of assets, and each asset names a network.
    #[test]
    fn both_tables_agree() {
        let (currencies, networks, assets) = tables();
        assert_eq!(networks.len(), 18);
        for (at, currency) in currencies.iter().enumerate() {
            let own = assets.iter().filter(|asset| asset.currency.index() == at);
            let own: Vec<_> = own.collect();
            let named: BTreeSet<&str> = currency.networks.iter().map(String::as_str).collect();
            assert_eq!(own.iter().map(|asset| asset.network.as_str()).collect::<BTreeSet<_>>(), named);
            let homes: Vec<_> = own.iter().filter(|asset| asset.is_home).collect();
            assert_eq!(homes.len(), usize::from(!own.is_empty()), "{}", currency.code);
            assert_eq!(
                homes.first().map(|home| &home.network),
                currency.networks.first(),
                "{}",
                currency.code
            );
        }
        for network in &networks {
            assert!(assets.iter().any(|asset| asset.network == network.name), "{}", network.name);
            let format = Format::serving(&network.name).expect("the network has a format of addresses");
            let parent = if network.parent.is_empty() { &network.name } else { &network.parent };
            assert_eq!((format.name(), format.shares_address()), (parent.as_str(), network.memo));
        }
    }

    /// Tokens are found by network and code; a network's own coin is none.
    #[test]
    fn tokens_have_their_decimals() {
        assert_eq!(token_decimals("ethereum", "GUSD"), Some(2));
        assert_eq!(token_decimals("base", "USDC"), Some(6));
        for (network, code) in [("ethereum", "ETH"), ("ethereum", "gusd"), ("base", "GUSD"), ("x", "GUSD")] {
            assert_eq!(token_decimals(network, code), None, "{network} {code}");
        }
    }

    /// The contracts have right checksums.
    #[test]
    fn contracts_are_addresses() {
        let (_, _, assets) = tables();
        for asset in assets {
            let Form::Token(contract) = &asset.form else { continue };
            let format = Format::serving(&asset.network).unwrap();
            let read = Params::main().parse(format, contract);
            assert!(
                contract.is_empty() || read.is_ok_and(|address| address.display() == contract),
                "{contract}"
            );
        }
    }
}
