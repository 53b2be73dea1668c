//! `GET /v1/pricefeed`: one price per symbol (MKT-025, MKT-026).

use crate::app::App;
use crate::call::Asked;
use crate::json;
use crate::reply::Reply;
use crate::route::Route;
use buttonwood_num::push_fixed;
use buttonwood_views::Move;

/// Anybody.
pub(crate) const ROUTE: Route = Route::public("/v1/pricefeed", answer);

fn answer(app: &App, _asked: &Asked) -> Result<Reply, Reply> {
    let now = app.now();
    let symbols = app.symbols();
    let since: Vec<Option<Move>> = {
        let views = app.exchange.views();
        symbols.iter().map(|(id, _)| views.tape().moved(*id, now)).collect()
    };
    let body = json::array(symbols.into_iter().zip(since), |json, ((_, symbol), moved)| {
        json.object(|json| {
            json.plain("pair", &symbol.name.to_ascii_uppercase());
            match moved {
                Some(moved) => {
                    json.decimal("price", |out| symbol.grid.push_price(out, moved.last));
                    json.decimal("percentChange24h", |out| push_percent(out, moved.change()));
                }
                // Never traded (D-33).
                None => {
                    json.plain("price", "0");
                    json.plain("percentChange24h", "0.00");
                }
            }
        });
    });
    Ok(Reply::json(body))
}

/// Appends hundredths of a percent as percent with two decimals.
fn push_percent(out: &mut Vec<u8>, hundredths: i128) {
    if hundredths < 0 {
        out.push(b'-');
    }
    push_fixed(out, hundredths.unsigned_abs(), 2);
}

#[cfg(test)]
mod tests {
    use super::*;
    use buttonwood_num::Price;

    /// Proves MKT-026.
    #[test]
    fn change_is_percent_with_two_decimals() {
        let shown = |open, last| {
            let (open, last) = (Price::from_ticks(open), Price::from_ticks(last));
            let mut out = Vec::new();
            push_percent(&mut out, Move { open, last }.change());
            String::from_utf8(out).unwrap()
        };
        assert_eq!(shown(10_000, 10_523), "5.23");
        assert_eq!(shown(10_000, 9_950), "-0.50");
        assert_eq!(shown(10_000_000, 9_999_999), "0.00");
        assert_eq!(shown(100, 100), "0.00");
        assert_eq!(shown(1, u64::MAX), "1844674407370955161400.00");
    }
}
