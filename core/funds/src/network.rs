//! Two tables: the networks, and the assets that move on them (FX-010 to FX-016, D-63, D-65).

use crate::{Funds, Made, Sender};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use buttonwood_model::{BytesRef, CurrencyId, Outbox, commands, named};
use buttonwood_num::{MONEY_DECIMALS, Money};
use buttonwood_room::{Context, ContextMut};
use serde::{Deserialize, Serialize};

/// Characters of a network's name at most.
const NAME_MAX: usize = 30;

/// A network, by its place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NetworkId(pub u16);

/// How a network keeps money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NetworkKind {
    /// Transactions spend the outputs of others: the family of bitcoin.
    Outputs,
    /// Accounts and contracts of the Ethereum virtual machine.
    Evm,
    /// Accounts of any other kind.
    Accounts,
}

impl NetworkKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Outputs, Self::Evm, Self::Accounts];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Outputs => "outputs",
            Self::Evm => "evm",
            Self::Accounts => "accounts",
        }
    }
}

/// A network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Network {
    /// Its lower-case name, unique (FX-011).
    pub name: String,
    /// How it keeps money.
    pub kind: NetworkKind,
    /// Confirmations that make a payment final, 1 or more; the block that holds the payment is the first.
    pub confirmations: u32,
    /// Whether all accounts share one deposit address and differ in the memo (D-72).
    pub memo: bool,
    /// The network whose addresses and approved list it uses; empty if it has its own (D-63).
    pub parent: String,
}

/// The form of an asset on its network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// The network's own coin.
    Native,
    /// A token of this contract. The contract is empty where it is not known, so that only a simulated chain moves it.
    Token(String),
}

/// The networks whose payments carry a memo (D-72, D-172).
const WITH_MEMOS: [&str; 3] = ["cosmos", "solana", "xrpl"];

impl Network {
    /// Whether its payments carry a memo, so that the memo is part of where a payment goes (D-172).
    pub fn carries_memos(&self) -> bool {
        WITH_MEMOS.contains(&self.name.as_str())
    }
}

/// A currency that moves on a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asset {
    /// The name of the network.
    pub network: String,
    /// The currency.
    pub currency: CurrencyId,
    /// Its decimals on the network; the exchange may count more.
    pub decimals: u8,
    /// The fee of a withdrawal that is not free, in the currency.
    pub fee: Money,
    /// The least amount of a withdrawal, more than zero.
    pub minimum: Money,
    /// Whether this is the currency's home network, which v1 withdrawals use (D-65). A currency has at most one.
    pub is_home: bool,
    /// Its form there.
    pub form: Form,
}

/// A command of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Add a network.
    AddNetwork(Arc<Network>),
    /// Add an asset on a network.
    AddAsset(Arc<Asset>),
}

commands!(Command, "funds", {
    AddNetwork { 0: network } = "add_network" 1: exchange neither,
    AddAsset { 0: asset } = "add_asset" 1: exchange neither,
});

/// An event of this module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A network was added.
    NetworkAdded(Network),
    /// An asset was added.
    AssetAdded(Asset),
}

named!(Event, "funds", {
    NetworkAdded { 0: network } = "network_added" 1,
    AssetAdded { 0: asset } = "asset_added" 1,
});

/// Why a command of this module is refused. The variants are in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// A key sent it.
    Foreign,
    /// The name is empty, too long, or has other characters than lower-case letters, digits and `-`.
    BadName,
    /// The network, or the asset on it, is listed already.
    Taken,
    /// No network has the name of the parent, or that network has a parent itself.
    BadParent,
    /// No confirmation at all.
    BadConfirmations,
    /// No network has this name.
    NoNetwork,
    /// No such currency, or fiat money.
    BadCurrency,
    /// More decimals than the exchange counts.
    BadDecimals,
    /// A fee below zero or with more decimals than the network has.
    BadFee,
    /// A minimum of zero or less, or with more decimals than the network has.
    BadMinimum,
    /// Another network is the currency's home.
    HomeTaken,
}

/// Both tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Networks {
    all: Vec<Network>,
    assets: Vec<Asset>,
    by_name: BTreeMap<String, NetworkId>,
    /// The place of each asset in their table.
    by_pair: BTreeMap<(NetworkId, CurrencyId), u32>,
}

impl Networks {
    /// Every network, in the order of listing.
    pub fn all(&self) -> &[Network] {
        &self.all
    }

    /// Every asset, in the order of listing.
    pub fn assets(&self) -> &[Asset] {
        &self.assets
    }

    /// The network of exactly this name.
    pub fn find(&self, name: &str) -> Option<(NetworkId, &Network)> {
        let id = *self.by_name.get(name)?;
        self.get(id).map(|network| (id, network))
    }

    /// A network.
    pub fn get(&self, id: NetworkId) -> Option<&Network> {
        self.all.get(usize::from(id.0))
    }

    /// The network whose addresses and approved list the network of this name uses: itself or its parent (D-63).
    pub fn serving(&self, name: &str) -> Option<(NetworkId, &Network)> {
        let (id, network) = self.find(name)?;
        if network.parent.is_empty() { Some((id, network)) } else { self.find(&network.parent) }
    }

    /// A currency on the network of this name.
    pub fn asset(&self, network: &str, currency: CurrencyId) -> Option<&Asset> {
        let (id, _) = self.find(network)?;
        let place = *self.by_pair.get(&(id, currency))?;
        self.assets.get(usize::try_from(place).ok()?)
    }

    /// The assets on the network of this name, in the order of listing.
    pub fn assets_on<'a>(&'a self, network: &'a str) -> impl Iterator<Item = &'a Asset> {
        self.assets.iter().filter(move |asset| asset.network == network)
    }

    /// A currency on each of its networks, in the order of listing.
    pub fn assets_of(&self, currency: CurrencyId) -> impl Iterator<Item = &Asset> {
        self.assets.iter().filter(move |asset| asset.currency == currency)
    }

    /// The own coin of the network of this name, in which it charges.
    pub fn native(&self, network: &str) -> Option<CurrencyId> {
        self.assets_on(network).find(|asset| asset.form == Form::Native).map(|asset| asset.currency)
    }

    /// The network on which the house keeps a currency unless it is needed elsewhere: its home, or the first one of the table.
    pub fn base(&self, currency: CurrencyId) -> Option<&Asset> {
        self.home(currency).or_else(|| self.assets_of(currency).next())
    }

    /// A currency on its home network (D-65).
    pub fn home(&self, currency: CurrencyId) -> Option<&Asset> {
        self.assets_of(currency).find(|asset| asset.is_home)
    }
}

/// Decides a command.
pub(crate) fn decide<E: From<BytesRef>>(
    context: &Context<'_, Funds>,
    sender: Sender<'_>,
    command: &Command,
    out: &mut Outbox<E>,
) -> Result<Made, Reject> {
    match sender {
        Sender::Exchange => {}
        Sender::Key(_) => return Err(Reject::Foreign),
    }
    let event = match command {
        Command::AddNetwork(network) => {
            check_network(context.room.networks(), network)?;
            Event::NetworkAdded(Network::clone(network))
        }
        Command::AddAsset(asset) => {
            check_asset(context, asset)?;
            Event::AssetAdded(Asset::clone(asset))
        }
    };
    out.push_named(&crate::Infrequent::from(event));
    Ok(Made::Nothing)
}

fn check_network(networks: &Networks, new: &Network) -> Result<(), Reject> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !(1..=NAME_MAX).contains(&new.name.len()) || !new.name.bytes().all(plain) {
        return Err(Reject::BadName);
    }
    let is_full = u16::try_from(networks.all.len()).is_err();
    if networks.find(&new.name).is_some() || is_full {
        return Err(Reject::Taken);
    }
    let parent = networks.find(&new.parent).map(|(_, parent)| parent);
    if !new.parent.is_empty() && !parent.is_some_and(|parent| parent.parent.is_empty()) {
        return Err(Reject::BadParent);
    }
    if new.confirmations == 0 { Err(Reject::BadConfirmations) } else { Ok(()) }
}

fn check_asset(context: &Context<'_, Funds>, new: &Asset) -> Result<(), Reject> {
    let networks = context.room.networks();
    if networks.find(&new.network).is_none() {
        return Err(Reject::NoNetwork);
    }
    if context.currency(new.currency).is_none() || context.is_fiat(new.currency) {
        return Err(Reject::BadCurrency);
    }
    if networks.asset(&new.network, new.currency).is_some() {
        return Err(Reject::Taken);
    }
    let step = MONEY_DECIMALS.checked_sub(new.decimals).map(|rest| 10_i128.pow(u32::from(rest)));
    let step = step.ok_or(Reject::BadDecimals)?;
    let fits = |amount: Money| amount.units() % step == 0;
    if new.fee < Money::ZERO || !fits(new.fee) {
        return Err(Reject::BadFee);
    }
    if new.minimum <= Money::ZERO || !fits(new.minimum) {
        return Err(Reject::BadMinimum);
    }
    if new.is_home && networks.home(new.currency).is_some() { Err(Reject::HomeTaken) } else { Ok(()) }
}

/// Applies an event.
pub(crate) fn evolve(books: &mut ContextMut<'_, Funds>, event: Event) {
    let tables = &mut books.room.networks;
    match event {
        Event::NetworkAdded(network) => {
            let id = u16::try_from(tables.all.len()).expect("the decision checked that there is room");
            tables.by_name.insert(network.name.clone(), NetworkId(id));
            tables.all.push(network);
        }
        Event::AssetAdded(asset) => {
            let id = *tables.by_name.get(&asset.network).expect("the decision found the network");
            let place = u32::try_from(tables.assets.len()).expect("there are fewer than 2^32 pairs");
            tables.by_pair.insert((id, asset.currency), place);
            tables.assets.push(asset);
        }
    }
}
