//! The parameter of a path that names a network.

use crate::app::App;
use std::borrow::Cow;

/// The parameters of a path whose first one names a network: by its own name, or by the code of a currency, in any letter case, which
/// means the currency's home network (D-174). Any other text stays as it is, and names none.
pub(crate) fn with_network<'a>(app: &App, parameters: &'a str) -> Cow<'a, str> {
    let sent = parameters.split('/').next().unwrap_or_default();
    let currency = app.currency_id(sent);
    let views = app.exchange.views();
    let networks = views.state().funds().networks();
    let home =
        currency.filter(|_| networks.find(sent).is_none()).and_then(|currency| networks.home(currency));
    home.map_or(Cow::Borrowed(parameters), |asset| {
        Cow::Owned(format!("{}{}", asset.network, parameters.strip_prefix(sent).unwrap_or_default()))
    })
}
