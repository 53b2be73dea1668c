//! `symbol list`.

use super::send;
use crate::command::{Command, Lines};
use crate::operator::Operator;
use buttonwood_gate::Refusal;
use buttonwood_wire::json;
use buttonwood_wire::market::{SymbolDetails, symbol_details};

/// Only for operators; `GET /v1/symbols/details` shows one symbol.
pub(crate) const COMMAND: Command =
    Command::list("symbol list", |operator, _, lines| Box::pin(run(operator, lines)))
        .about("Lists every symbol with its details and its status, alphabetically.")
        .gives::<SymbolDetails>();

async fn run(operator: &Operator<'_>, lines: &Lines) -> Result<(), Refusal> {
    let symbols = operator.symbols();
    let rows = {
        let views = operator.exchange.views();
        let state = views.state();
        let row = |id| {
            let status = state.symbol(id)?.status;
            Some(json::body(&symbol_details(&operator.names, id, status)))
        };
        symbols.into_iter().filter_map(|(id, _)| row(id)).collect()
    };
    send(lines, rows).await;
    Ok(())
}
