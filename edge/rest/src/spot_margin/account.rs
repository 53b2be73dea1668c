//! `POST /v1/margin/account`: what a margin account has, owes and may lose (MARG-001 to MARG-004).

use super::summary::MarginSummary;
use buttonwood_call::{App, Call, Kinds, Route};
use buttonwood_engine::spot_margin::Figures;
use buttonwood_gate::Refusal;
use buttonwood_http::Reply;
use buttonwood_model::{Role, Scope};
use buttonwood_wire::json;

/// Trader, Fund Manager or Auditor, on a margin account.
pub(crate) const ROUTE: Route = Route::reading("/v1/margin/account", answer)
    .roles(&[Role::Trader, Role::FundManager, Role::Auditor])
    .scopes(&[Scope::BalancesRead])
    .kinds(Kinds::Margin)
    .about("Reads the figures of a margin account.")
    .gives::<MarginSummary>();

fn answer(app: &App, call: &Call) -> Result<Reply, Refusal> {
    let (figures, (_, rate)) = {
        let views = app.exchange.views();
        let state = views.state();
        let margin = state.spot_margin();
        let figures =
            Figures::of(margin, state.ledger(), state.indices().latest(), state.symbols(), call.account());
        (
            figures.unwrap_or_else(|| Figures::beyond_range(margin, call.account())),
            margin.conditions().rate("USD"),
        )
    };
    Ok(Reply::json(json::body(&MarginSummary::of(&figures, Some(rate)))))
}
