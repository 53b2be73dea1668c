//! Funds: transfers that are not an operator's, approved addresses, deposits, debts and halts of scopes.

use super::{Text, account_name, asset_name, money};
use buttonwood_engine::funds::deposit::State as Arrived;
use buttonwood_engine::funds::{ApprovalScope, Limits, Scope};
use buttonwood_engine::{State, TransferWay};
use buttonwood_leave::Advances;
use buttonwood_model::{AccountId, GroupId};
use buttonwood_num::Money;

/// Networks whose approved addresses the corpus has.
const NETWORKS: [&str; 3] = ["bitcoin", "ethereum", "litecoin"];

pub(super) fn funds(state: &State, text: &mut Text) {
    for id in (0..state.ledger().accounts()).map(AccountId) {
        transfers(state, id, text);
        approvals(state, ApprovalScope::Account(id), &account_name(state, id), text);
        for (currency, owed) in state.funds().debts_of(id) {
            let code = asset_name(state, currency.into());
            text.line(&format!("debt {} {code} {}", account_name(state, id), money(owed)));
        }
    }
    for (place, group) in state.access().groups().iter().enumerate() {
        approvals(state, ApprovalScope::Group(GroupId::from_index(place)), &group.name, text);
    }
    for (key, deposit) in NETWORKS.iter().flat_map(|network| state.funds().deposits().live(network)) {
        let how = match deposit.state {
            Arrived::Waiting => "waiting",
            Arrived::Credited => "credited",
            Arrived::Lost => "lost",
        };
        text.line(&format!("arrival {} {} {} {how} as {}", key.network, key.tx, key.index, deposit.eid.0));
    }
    for (key, deposit) in state.funds().deposits().unclaimed() {
        text.line(&format!("unclaimed {} {} {} as {}", key.network, key.tx, key.index, deposit.eid.0));
    }
    let limits = state.funds().limits();
    if *limits != Limits::default() {
        text.line(&format!("limits {} {}", limits.approved_addresses, limits.deposit_addresses));
    }
    advances(state, text);
    if state.funds().halts().has(Scope::Withdrawals) {
        text.line("withdrawals halted");
    }
    for currency in state.funds().halts().assets() {
        text.line(&format!("asset {} halted", asset_name(state, currency.into())));
    }
}

/// The limit on open advances where it was set, and what groups have given up against theirs.
fn advances(state: &State, text: &mut Text) {
    let advances = state.advances();
    if advances.limit() != Advances::default().limit() {
        text.line(&format!("advances up to {}", money(advances.limit())));
    }
    for (place, group) in state.access().groups().iter().enumerate() {
        let open = advances.of(GroupId::from_index(place)).filter(|open| open.given_up > Money::ZERO);
        if let Some(open) = open {
            let (amount, owed, given) = (money(open.amount), money(open.owed()), money(open.given_up));
            text.line(&format!("advances {} {amount} owed {owed} given up {given}", group.name));
        }
    }
}

/// The rows of an account, newest first.
fn transfers(state: &State, id: AccountId, text: &mut Text) {
    for transfer in state.funds().transfers_of(id) {
        let row = &transfer.row;
        let way = match &row.way {
            TransferWay::Operator(_) => continue,
            TransferWay::Bank(method, _) => method.name().to_owned(),
            TransferWay::Internal { other, .. } => account_name(state, *other),
            TransferWay::Chain(chain) => format!("{} {} {}", chain.network, chain.canonical, chain.tx),
        };
        text.line(&format!(
            "transfer {} at {} {} {} {} {} {} fee {} held {} id '{}' by {way}",
            transfer.eid.0,
            transfer.time.0,
            account_name(state, id),
            row.kind.name(),
            row.status.name(),
            asset_name(state, row.currency.into()),
            money(row.amount),
            money(row.fee),
            money(row.held),
            row.client_id
        ));
    }
}

fn approvals(state: &State, scope: ApprovalScope, whose: &str, text: &mut Text) {
    for network in NETWORKS {
        for approved in state.funds().approvals().of(scope, network) {
            let (standing, since) = (approved.standing.name(), approved.requested.0);
            text.line(&format!("approved {whose} {network} {} {standing} since {since}", approved.text));
        }
    }
}
