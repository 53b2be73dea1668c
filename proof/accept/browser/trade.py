"""The trading page in chromium, against a running sandbox.

Started as `trade.py BASE_URL FOLDER [CHECK…]`; the sandbox is fresh, BUTTONWOOD_CREDENTIALS names its `credentials.json`, and
BUTTONWOOD_AXE may name `axe.min.js`. Prints a line per check and leaves pictures of the page in the folder.
"""

import json
import sys
import time
import urllib.request
from decimal import Decimal
from pathlib import Path

import axe
from bot import Bots
from doubts import Doubts
from drawing import axis_holds_most_of_the_depth, volumes_are_rounded
from standing import Standing
from truth import Truth
from visit import CUT, LAPTOP, SCREENS, WIDTHS, Visit, run

PAGE = "/trade/btcusd"
TRADER = "trader@one.test"
REGIONS = ["chart", "book", "ladder", "tape", "ticket", "orders", "fills", "positions", "balances"]

STATE = "return document.querySelector(`[data-region=${arguments[0]}]`).dataset.state"
ROWS = "return [...document.querySelectorAll('[data-order]')].map((row) => [row.dataset.order, row.dataset.state, row.innerText])"
FIELD = "return document.forms.order.elements[arguments[0]].value"
TOLD = "return (document.querySelector('[data-outcome]')?.textContent ?? '')"
# Counts the orders that the page sends, and loses what it is told to lose: the reply, or the whole call. A call that it is told to hold
# waits for `window.release`.
LOSING = """
if (!window.sent) {
  window.sent = [];
  window.lose = '';
  const real = window.fetch;
  const lost = (signal) => new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));
  window.fetch = (url, options = {}) => {
    const request = String(url).endsWith('/site/call') ? JSON.parse(options.body).request : '';
    if (!['/v1/order/new', '/v1/order/cancel'].includes(request)) return real(url, options);
    window.sent.push(request);
    if (window.lose === `hold ${request}`) {
      window.lose = '';
      return new Promise((go) => (window.release = go)).then(() => real(url, options));
    }
    if (window.lose === `reply ${request}`) {
      window.lose = '';
      real(url, { ...options, signal: undefined });
      return lost(options.signal);
    }
    if (window.lose === `call ${request}`) {
      window.lose = '';
      return lost(options.signal);
    }
    return real(url, options);
  };
}"""


class Trade(Doubts, Standing, Truth, Visit):
    """The checks, in order; each starts where the one before it ended."""

    def __init__(self, *parts):
        super().__init__(*parts)
        self.bots = Bots(self.base)
        self.losing = LOSING

    def checks(self):
        every = (self.visitors_see_the_market, self.visitors_find_it_usable, self.a_click_on_the_book_fills_the_price,
                 self.a_trader_signs_in, self.keys_act_outside_inputs_alone, self.an_order_by_keyboard_alone,
                 self.enter_in_the_book_sends_nothing, self.a_decimal_comma_is_refused, self.numbers_are_read_as_they_were_meant,
                 self.a_percentage_is_read_as_it_was_meant, self.an_arrow_keeps_what_it_cannot_read, self.pages_are_not_to_be_translated,
                 self.a_translated_page_shows_what_it_sends, self.a_market_order_asks_first,
                 self.a_held_enter_answers_nothing, self.the_ticket_follows_side_and_market, self.an_own_order_stops_another,
                 self.a_lost_reply_is_not_sent_again, self.a_call_that_never_came_is_not_placed,
                 self.a_move_without_its_cancel_sends_nothing, self.a_move_that_is_refused_cancels_nothing,
                 self.a_move_sends_what_the_cancel_left, self.a_cancel_leaves_the_next_order_alone,
                 self.a_move_near_the_last_money_goes_by_the_fees, self.a_reload_loses_no_order,
                 self.load_again_works_with_a_fragment, self.a_move_without_its_history_says_so, self.trading_works_without_storage,
                 self.a_stop_that_was_reached_rests, self.a_translated_page_shows_new_figures,
                 self.what_was_said_of_an_order_stays_true, self.a_halt_is_called_a_halt, self.counts_cover_no_tab,
                 self.a_phone_shows_a_pinned_index,
                 self.an_order_of_another_market_is_not_forgotten, self.a_second_watcher_loses_nothing, self.a_tab_keeps_its_account, self.the_ladder_must_be_armed, self.one_click_is_off_after_ten_idle_minutes,
                 self.a_dropped_order_moves, self.the_preview_says_what_would_happen, self.old_prices_are_not_live,
                 self.a_cut_is_closed_by_a_snapshot, self.the_figures_of_a_screen_agree, self.every_screen_fits,
                 self.buttons_take_one_click, self.faults_are_said_in_place, self.perpetuals_and_contracts_have_their_panels,
                 self.derived_numbers_are_right, self.a_position_that_is_not_known_is_not_closed,
                 self.a_fill_that_overtakes_a_position_is_read_again, self.a_part_is_a_part_of_the_position_now,
                 self.a_hidden_page_closes_nothing, self.a_refusal_to_reduce_says_what_is_held,
                 self.what_is_available_follows_the_mark, self.a_position_without_a_price_says_so, self.a_forced_fill_is_one_thing,
                 self.an_ended_session_says_so_once)
        wanted = sys.argv[3:]
        return [check for check in every if not wanted or check.__name__ in wanted]

    def orders(self) -> list[dict]:
        return self.call("/v1/orders")

    def best(self, side: str) -> Decimal:
        with urllib.request.urlopen(f"{self.base}/v1/book/btcusd?limit_bids=1&limit_asks=1", timeout=30) as reply:
            return Decimal(json.load(reply)[side][0]["price"])

    def open(self, path: str = PAGE):
        super().open(path)
        for name in ("book", "ticket"):
            self.region(name, "live")

    def rows(self) -> list[list[str]]:
        return self.browser.run(ROWS)

    def tab_to(self, what: str, script: str, *args):
        for _ in range(250):
            self.browser.press("Tab")
            if self.browser.run(script, *args):
                return
        raise AssertionError(f"the keyboard does not reach {what}")

    def type_into(self, name: str, text: str):
        """Reaches a field by Tab and writes over what it holds."""
        self.tab_to(name, "return document.activeElement.name === arguments[0]", name)
        self.browser.run("document.activeElement.select()")
        self.browser.press(*text)

    def rest(self):
        """Leaves every field, so that keys act."""
        self.browser.run("document.activeElement.blur()")

    def keys(self, *keys: str):
        """Presses keys that act and then lead into a field, which Escape leaves."""
        for key in keys:
            self.browser.press(key, "Escape")

    def place(self, price: str, amount: str):
        before = {row[0] for row in self.rows()}
        self.rest()
        self.keys("b", "l")
        self.type_into("price", price)
        self.type_into("amount", amount)
        self.browser.press("Enter")
        self.browser.wait_for("the order", ROWS + ".some(([id, state]) => state === 'live' && !arguments[0].includes(id))", list(before))
        return next(row[0] for row in self.rows() if row[0] not in before)

    def visitors_see_the_market(self):
        self.browser.screen(1280, 800)
        self.open()
        regions = self.browser.run("return [...document.querySelectorAll('[data-region]')].map((one) => one.dataset.region)")
        assert sorted(regions) == sorted(REGIONS), regions
        for name in ("tape", "ladder"):
            self.region(name, "live")
        for name in ("orders", "fills", "positions", "balances"):
            assert self.browser.run(STATE, name) == "empty", name
        shown = {side: self.browser.run("return document.querySelector(`[data-book=${arguments[0]}] [data-price]`).dataset.price", side)
                 for side in ("bids", "asks")}
        assert {side: Decimal(price) for side, price in shown.items()} == {side: self.best(side) for side in ("bids", "asks")}, shown
        link = self.browser.run("return document.querySelector('form[name=order] a').getAttribute('href')")
        assert link == "/signin?next=%2Ftrade%2Fbtcusd", link
        self.browser.wait_for("the chart", "return document.querySelector('[data-region=chart] canvas') !== null")
        self.nothing_wrong()

    def visitors_find_it_usable(self):
        for width, height in (SCREENS[0], LAPTOP):
            self.browser.screen(width, height, phone=width < 500)
            axe.is_clean(self.browser, f"signed out at {width}")
        self.browser.screen(*LAPTOP)

    def a_click_on_the_book_fills_the_price(self):
        price = self.browser.run("""const row = document.querySelectorAll('[data-book=bids] [data-price]')[1];
            row.click(); return row.dataset.price""")
        self.browser.wait_for("the price", FIELD + " === arguments[1]", "price", price)

    def a_trader_signs_in(self):
        self.sign_in(TRADER)
        self.open()
        self.call("/v1/order/cancel/all")
        self.region("balances", "live")
        self.region("orders", "empty")
        self.browser.run(LOSING)
        self.nothing_wrong()

    def keys_act_outside_inputs_alone(self):
        self.rest()
        self.keys("s", "t")
        for name, value in (("side", "sell"), ("type", "stop-limit")):
            self.browser.wait_for(value, FIELD + " === arguments[1]", name, value)
        self.keys("b", "l")
        self.browser.press("2")
        self.browser.wait_for("the preset", FIELD + " !== ''", "amount")
        self.browser.press("b", "5", "s", "m", "x")
        time.sleep(0.2)
        kept = [self.browser.run(FIELD, name) for name in ("side", "type", "price")]
        assert kept == ["buy", "limit", "5"], f"a key does not lead to the price, or acts in it: {kept}"
        self.browser.run("document.activeElement.select()")
        self.browser.press("1", "0")
        self.browser.press("\ue013")
        self.browser.wait_for("one increment", FIELD + " === '10.01'", "price")
        self.browser.press("Escape")

    def an_order_by_keyboard_alone(self):
        low = str((self.best("bids") * Decimal("0.9")).quantize(Decimal(1)))
        first = self.place(low, "0.25")
        stands = self.orders()
        assert [(order["order_id"], order["remaining_amount"]) for order in stands] == [(first, "0.25")], stands
        assert stands[0]["client_order_id"], "the order has an id of the page"
        self.rest()
        self.tab_to("the move", "return document.activeElement.value === 'move'")
        self.browser.press("Enter")
        self.browser.wait_for("the dialog", "return document.querySelector('dialog[open] [name=price]')")
        higher = str(Decimal(low) + 7)
        self.browser.run("document.querySelector('dialog[open] [name=price]').select()")
        self.browser.press(*higher, "Enter")
        self.browser.wait_for("the moved order", ROWS + ".some(([id, state]) => id !== arguments[0] && state === 'live')", first)
        stands = self.orders()
        assert [(Decimal(order["price"]), order["remaining_amount"]) for order in stands] == [(Decimal(higher), "0.25")], stands
        self.tab_to("the cancel", "return document.activeElement.value === 'cancel'")
        self.browser.press("x")
        self.browser.wait_for("no order", ROWS + ".length === 0")
        assert self.orders() == []
        self.nothing_wrong()

    def enter_in_the_book_sends_nothing(self):
        self.keys("b")
        self.type_into("price", "1000")
        self.type_into("amount", "0.1")
        for layout, place in (("ladder", "[data-ladder]"), ("pro", "[data-book=bids]")):
            self.browser.run("document.querySelector(`[name=preset][value=${arguments[0]}]`).click()", layout)
            self.browser.wait_for(place, "const at = document.querySelector(arguments[0]); at.focus(); return document.activeElement === at",
                                  place)
            self.browser.press("Enter")
        time.sleep(0.3)
        assert self.orders() == [], "Enter without a chosen row sends the ticket's order"

    def a_decimal_comma_is_refused(self):
        for typed, amount in (("0,5", None), ("1e3", None), ("1,125", None), ("1,234.5", "1234.5"), ("1,234,567", "1234567"), (".5", "0.5")):
            self.write("#ticket-amount", typed)
            wrong = f"({amount is None!s}".lower() + " === (document.querySelector('[data-wrong=amount]') !== null))"
            words = f"document.querySelector('[type=submit].send').textContent.startsWith('Buy {f'{Decimal(amount):,}' if amount else '–'} BTC')"
            self.browser.wait_for(typed, f"return {wrong} && {words}")
        self.write("#ticket-amount", "0,5")
        self.browser.run("document.querySelector('#ticket-amount').focus()")
        self.browser.press("Enter")
        self.browser.wait_for("the fault", TOLD + ".includes('decimals with a point')")
        assert self.orders() == []
        self.write("#ticket-amount", "")

    def a_market_order_asks_first(self):
        self.rest()
        self.keys("b", "m")
        self.browser.press("1", "Enter")
        self.browser.wait_for("the question", "return document.querySelector('dialog[open] button[value=confirm]')")
        assert self.orders() == []
        fills = len(self.call("/v1/mytrades", symbol="btcusd"))
        self.browser.press("Enter")
        self.browser.wait_for("its end", TOLD + ".includes('filled')")
        assert len(self.call("/v1/mytrades", symbol="btcusd")) > fills
        self.rest()
        self.keys("l")
        self.nothing_wrong()

    def a_held_enter_answers_nothing(self):
        self.rest()
        self.keys("b", "m")
        self.browser.press("1")
        fills = len(self.call("/v1/mytrades", symbol="btcusd"))
        enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
        for at in range(6):
            self.browser.devtools("Input.dispatchKeyEvent", type="keyDown", autoRepeat=at > 0, **enter)
            time.sleep(0.05)
        self.browser.devtools("Input.dispatchKeyEvent", type="keyUp", **enter)
        self.browser.wait_for("the question", "return document.querySelector('dialog[open] button[value=confirm]')")
        assert len(self.call("/v1/mytrades", symbol="btcusd")) == fills, "a held Enter confirms"
        self.browser.press("Escape")
        self.gone("the question", "dialog[open]")
        self.write("#ticket-amount", "")

    def the_ticket_follows_side_and_market(self):
        """The bound of a market order moves with the book, and what is available is named by its own currency."""
        shown = "return document.querySelector('.available').textContent.trim().endsWith(arguments[0])"
        for side, currency in (("s", "BTC"), ("b", "USD")):
            self.rest()
            self.keys(side)
            self.browser.wait_for(currency, shown, currency)
            held = next(row["available"] for row in self.call("/v1/balances") if row["currency"] == currency)
            whole = self.browser.run("return document.querySelector('.available [data-value]').dataset.value")
            assert Decimal(whole) == Decimal(held), "the amount is of another currency"
        self.keys("s", "m")
        bound = self.browser.run(FIELD, "price")
        inside = str(self.best("bids") + Decimal("0.01"))
        status, order = self.bots.call("counterparty", "/v1/order/new", symbol="btcusd", side="buy", type="exchange limit", price=inside,
                                       amount="0.2")
        assert status == 200, order
        self.browser.wait_for("the bound to move", FIELD + " !== arguments[1]", "price", bound)
        self.bots.call("counterparty", "/v1/order/cancel", order_id=order["order_id"])
        self.keys("b", "l")

    def an_own_order_stops_another(self):
        ask = str(self.best("asks") - Decimal("0.01"))
        self.call("/v1/order/new", symbol="btcusd", side="sell", type="exchange limit", price=ask, amount="0.01")
        self.keys("b", "l")
        self.type_into("price", ask)
        self.type_into("amount", "0.01")
        why = "return document.querySelector('[data-preview=reason]')?.dataset.value === arguments[0]"
        self.browser.wait_for("the reason", why, "SelfCrossPrevented")
        self.call("/v1/order/cancel/all")
        self.write("#ticket-amount", "")
        self.region("orders", "empty")

    def a_lost_reply_is_not_sent_again(self):
        self.browser.run("window.sent.length = 0; window.lose = 'reply /v1/order/new'")
        low = str((self.best("bids") * Decimal("0.8")).quantize(Decimal(1)))
        self.rest()
        self.keys("b", "l")
        self.type_into("price", low)
        self.type_into("amount", "0.1")
        self.browser.press("Enter")
        self.browser.wait_for("unknown", ROWS + ".some(([, state, words]) => state === 'unknown' && words.includes('unknown'))")
        assert self.browser.run("return document.querySelector('form[name=order] [type=submit]').disabled"), "the button waits"
        self.browser.press("Enter")
        self.browser.wait_for("the order", ROWS + ".length === 1 && document.querySelector('[data-order]').dataset.state === 'live'")
        time.sleep(1)
        assert self.browser.run("return window.sent") == ["/v1/order/new"], "it is sent once"
        assert len(self.orders()) == 1
        self.rest()
        self.tab_to("the cancel", "return document.activeElement.value === 'cancel'")
        self.browser.press("x")
        self.browser.wait_for("no order", ROWS + ".length === 0")

    def a_call_that_never_came_is_not_placed(self):
        self.browser.run("window.sent.length = 0; window.lose = 'call /v1/order/new'")
        self.rest()
        self.type_into("amount", "0.1")
        self.browser.press("Enter")
        self.browser.wait_for("unknown", ROWS + ".some(([, state]) => state === 'unknown')")
        self.browser.wait_for("the word", TOLD + ".includes('was not placed')")
        assert self.browser.run("return window.sent") == ["/v1/order/new"], "it is sent once"
        self.browser.wait_for("no row", ROWS + ".length === 0")
        assert self.orders() == []
        self.nothing_wrong(but="404")

    def a_move_without_its_cancel_sends_nothing(self):
        low = str((self.best("bids") * Decimal("0.85")).quantize(Decimal(1)))
        order = self.place(low, "0.3")
        self.browser.run("window.sent.length = 0; window.lose = 'call /v1/order/cancel'")
        self.browser.run("document.querySelector('[data-order] [value=move]').click()")
        self.browser.wait_for("the dialog", "return document.querySelector('dialog[open] [name=price]')")
        self.browser.run("document.querySelector('dialog[open] [name=price]').select()")
        self.browser.press(*str(Decimal(low) + 3), "Enter")
        self.browser.wait_for("the word", TOLD + ".includes('no new order was sent')")
        assert self.browser.run("return window.sent") == ["/v1/order/cancel"]
        assert [one["order_id"] for one in self.orders()] == [order]

    def a_move_that_is_refused_cancels_nothing(self):
        """A price beside the tick cannot be sent, and one that would meet an own order is refused before the cancel."""
        stands = [one["order_id"] for one in self.orders()]
        ask = str(self.best("asks") - Decimal("0.01"))
        other = self.call("/v1/order/new", symbol="btcusd", side="sell", type="exchange limit", price=ask, amount="0.01")["order_id"]
        self.browser.wait_for("its row", ROWS + ".some(([id]) => id === arguments[0])", other)
        press = "window.sent.length = 0; document.querySelector(`[data-order='${arguments[0]}'] [value=move]`).click()"
        self.browser.run(press, stands[0])
        self.there("the dialog", "dialog[open] [name=price]")
        wrong = "return document.querySelector('dialog[open] [value=confirm]').disabled === arguments[0]"
        for price, is_wrong in (("1,5", True), (f"{ask}1", True), (ask, False)):
            self.write("dialog[open] [name=price]", price)
            self.browser.wait_for(price, wrong, is_wrong)
        self.browser.press("Enter")
        self.there("the question", "dialog[open] button.buy[value=confirm]")
        self.browser.press("Enter")
        self.browser.wait_for("the word", TOLD + ".includes('was not moved')")
        assert self.browser.run("return window.sent") == [], "a move that is refused cancels"
        assert {one["order_id"] for one in self.orders()} == {*stands, other}

    def a_move_sends_what_the_cancel_left(self):
        """Of an order that is filled in part after its move began."""
        self.call("/v1/order/cancel/all")
        inside = str(self.best("bids") + Decimal("0.01"))
        self.place(inside, "0.3")
        self.browser.run("window.sent.length = 0; window.lose = 'hold /v1/order/cancel'")
        self.browser.run("document.querySelector('[data-order] [value=move]').click()")
        self.browser.wait_for("the dialog", "return document.querySelector('dialog[open] [name=price]')")
        self.browser.run("document.querySelector('dialog[open] [name=price]').select()")
        self.browser.press(*str((Decimal(inside) * Decimal("0.9")).quantize(Decimal(1))), "Enter")
        self.browser.wait_for("the cancel", "return window.sent.length === 1")
        status, reply = self.bots.call("counterparty", "/v1/order/new", symbol="btcusd", side="sell", type="exchange limit", price=inside,
                                       amount="0.12", options=["immediate-or-cancel"])
        assert status == 200 and reply["executed_amount"] == "0.12", reply
        self.browser.run("window.release()")
        self.browser.wait_for("the new order", "return window.sent.length === 2")
        self.browser.wait_for("its row", ROWS + ".some(([, state]) => state === 'live')")
        assert [order["original_amount"] for order in self.orders()] == ["0.18"], self.orders()
        self.call("/v1/order/cancel/all")
        self.region("orders", "empty")

    def the_ladder_must_be_armed(self):
        self.browser.run("document.querySelector('[name=preset][value=ladder]').click()")
        self.browser.wait_for("the ladder", "return document.querySelector('[data-ladder] [data-price] [data-cell=bid]')")
        self.browser.run("window.sent.length = 0")
        click = """const rows = [...document.querySelectorAll('[data-ladder] .rung')];
            const cell = rows.at(-2).querySelector('[data-cell=bid]'); cell.click(); return cell.closest('.rung').dataset.price"""
        price = self.browser.run(click)
        self.browser.wait_for("the ticket", FIELD + " === arguments[1]", "price", price)
        assert self.browser.run("return window.sent") == [], "a click trades without being armed"
        self.browser.run("document.querySelector('[data-arm]').click()")
        self.browser.wait_for("armed", "return document.querySelector('[data-arm]').ariaPressed === 'true'")
        price = self.browser.run(click)
        own = "return document.querySelector(`[data-ladder] [data-price='${arguments[0]}'] [data-cell=own]`)?.dataset.ahead"
        self.browser.wait_for("the own order and what is ahead of it", own, price)
        assert self.browser.run("return window.sent") == ["/v1/order/new"]
        self.picture("trade-armed")
        self.browser.run("document.querySelector(`[data-ladder] [data-price='${arguments[0]}'] [data-cell=own]`).click()", price)
        self.browser.wait_for("its end", own + " === undefined", price)
        self.open()
        assert self.browser.run("return document.querySelector('[data-arm]').ariaPressed") == "false", "armed after a reload"
        self.browser.run("document.querySelector('[name=preset][value=pro]').click()")
        self.browser.run(LOSING)

    def one_click_is_off_after_ten_idle_minutes(self):
        self.browser.run("document.querySelector('[data-arm]').click()")
        self.browser.wait_for("armed", "return document.querySelector('[data-arm]').ariaPressed === 'true'")
        self.browser.run("""const real = Date.now; Date.now = () => real() + 601_000;
            dispatchEvent(new PointerEvent('pointermove')); Date.now = real""")
        self.browser.wait_for("it to be off", "return document.querySelector('[data-arm]').ariaPressed === 'false'")

    def a_dropped_order_moves(self):
        """By the pointer, on the ladder; armed, without a question."""
        self.browser.run("document.querySelector('[name=preset][value=ladder]').click()")
        self.browser.run("document.querySelector('[data-arm]').click()")
        self.browser.wait_for("the ladder", "return document.querySelectorAll('[data-ladder] .rung').length > 5")
        self.browser.run("""const rows = [...document.querySelectorAll('[data-ladder] .rung')];
            rows.at(-3).querySelector('[data-cell=bid]').click()""")
        self.browser.wait_for("the order", "return document.querySelector('[data-ladder] [data-own]')")
        x, y, height = self.browser.run("""const own = document.querySelector('[data-ladder] [data-own]');
            const { left, top, height } = own.getBoundingClientRect();
            return [Math.round(left + 12), Math.round(top + height / 2), Math.round(height)]""")
        before = self.orders()
        moves = [(y, "pointerMove"), (0, "pointerDown"), (y + 8, "pointerMove"), (y + height, "pointerMove"), (0, "pointerUp")]
        steps = [{"type": kind, "x": x, "y": at} if kind == "pointerMove" else {"type": kind, "button": 0} for at, kind in moves]
        self.browser.post("actions", actions=[{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}])
        self.browser.wait_for("the moved order", ROWS + ".some(([id, state]) => state === 'live' && !arguments[0].includes(id))",
                              [order["order_id"] for order in before])
        after = self.orders()
        assert len(after) == len(before), (before, after)
        assert Decimal(after[0]["price"]) < Decimal(before[0]["price"]) and after[0]["remaining_amount"] == before[0]["remaining_amount"]
        self.browser.run("document.querySelector('[data-arm]').click(); document.querySelector('[name=preset][value=pro]').click()")
        self.call("/v1/order/cancel/all")

    def the_preview_says_what_would_happen(self):
        low = str((self.best("bids") * Decimal("0.9")).quantize(Decimal("0.01")))
        self.rest()
        self.keys("b", "l")
        self.type_into("price", low)
        self.type_into("amount", "0.5")
        self.browser.wait_for("the preview", "return document.querySelector('[data-preview=rests]')?.dataset.value === '0.5'")
        values = self.browser.run("""return Object.fromEntries([...document.querySelectorAll('[data-preview]')]
            .map((one) => [one.dataset.preview, one.dataset.value]))""")
        assert Decimal(values["executed"]) == 0 and Decimal(values["hold"]) > 0, values
        self.type_into("amount", "99999999")
        self.browser.wait_for("the refusal", "return document.querySelector('[data-preview=message]')?.dataset.value")
        self.picture("trade-refused")
        self.type_into("amount", "0.01")

    def old_prices_are_not_live(self):
        self.rest()
        self.keys("b", "l")
        self.type_into("price", str((self.best("bids") * Decimal("0.9")).quantize(Decimal(1))))
        self.control("/sandbox/streams/fault", all=True, fault="stall")
        begun = time.monotonic()
        for name in ("book", "tape", "ladder", "orders", "balances"):
            self.region(name, "stale")
        assert time.monotonic() - begun < 12, "stale comes late"
        self.picture("trade-stale")
        self.rest()
        self.browser.press("1", "Enter")
        self.browser.wait_for("the question", "return document.querySelector('dialog[open] button[value=confirm]')")
        self.browser.press("Escape")
        self.browser.wait_for("no question", "return !document.querySelector('dialog[open]')")
        self.control("/sandbox/streams/fault", all=True, fault="resume")
        self.region("book", "live")

    def shown(self, side: str) -> str:
        return self.browser.run("return document.querySelector(`[data-book=${arguments[0]}] [data-price]`)?.dataset.price", side)

    def a_cut_is_closed_by_a_snapshot(self):
        """The best bid leaves while the page has no socket."""
        inside = self.best("bids") + Decimal("0.01")
        limit = {"symbol": "btcusd", "side": "buy", "type": "exchange limit", "price": str(inside), "amount": "0.2"}
        status, order = self.bots.call("counterparty", "/v1/order/new", **limit)
        assert status == 200, order
        first = "return document.querySelector('[data-book=bids] [data-price]')?.dataset.price === arguments[0]"
        self.browser.wait_for("the best bid", first, f"{inside:.2f}")
        self.browser.run("window.Socket = window.WebSocket; window.WebSocket = class { constructor() { throw new Error('cut'); } }")
        self.control("/sandbox/streams/fault", all=True, fault="drop")
        begun = time.monotonic()
        self.region("book", "reconnecting")
        assert time.monotonic() - begun < 1.5, "a cut is noticed late"
        assert self.shown("bids") == f"{inside:.2f}", "the last book is kept"
        status, reply = self.bots.call("counterparty", "/v1/order/cancel", order_id=order["order_id"])
        assert status == 200, reply
        self.picture("trade-reconnecting")
        self.browser.run("window.WebSocket = window.Socket")
        self.region("book", "live")
        # The frame after that.
        time.sleep(0.1)
        shown = {side: Decimal(self.shown(side)) for side in ("bids", "asks")}
        assert shown == {side: self.best(side) for side in ("bids", "asks")}, f"an old price is live: {shown}"
        self.nothing_wrong(but="WebSocket")

    def every_screen_fits(self):
        for preset in ("simple", "pro", "ladder"):
            self.browser.run("document.querySelector('[name=preset][value=' + arguments[0] + ']').click()", preset)
            for width, height in SCREENS:
                for dark in (False, True):
                    self.browser.screen(width, height, dark=dark, phone=width < 500)
                    self.picture(f"trade-{preset}-{width}-{'dark' if dark else 'light'}")
                whole, screen = self.browser.run(WIDTHS)
                assert whole <= screen, f"{preset}: {whole} pixels wide on a screen of {screen}"
                cut = self.browser.run(CUT)
                assert cut == [], f"{preset} on a screen of {width}: {cut}"
                axe.is_clean(self.browser, f"{preset} at {width}")
        self.browser.screen(*LAPTOP)

    def derived_numbers_are_right(self):
        volumes_are_rounded(self.browser)
        axis_holds_most_of_the_depth(self.browser)

    def perpetuals_and_contracts_have_their_panels(self):
        for path, name in (("/trade/btcgusdperp", "perpetual"), ("/trade/SVC-DEMORATE", "event")):
            self.open(path)
            self.region(name, "live")
            self.picture(f"trade-{name}")
        self.nothing_wrong()

    def a_position_that_is_not_known_is_not_closed(self):
        """Another user, whose account holds a perpetual; the exchange refuses to say how much."""
        user = {"email": "perp@people.test", "password": "seven green turtles sing", "group": "perp", "roles": ["Trader"]}
        self.control("/sandbox/users", **user)
        self.sign_in(user["email"])
        self.open()
        self.browser.post("execute/async", args=[self.bots.keys["perp-000"]["account"]], script="""const [account, done] = arguments;
            import('/site/call.js').then(({ post }) => post('/site/account', { account })).then(done, (failure) => done(failure.message))""")
        status, order = self.bots.call("perp-000", "/v1/order/new", symbol="btcgusdperp", side="buy", type="exchange limit", amount="0.02",
                                       price=f"{self.best('asks') * Decimal('1.02'):.0f}")
        assert status == 200 and order["executed_amount"] == "0.02", order
        self.open("/trade/btcgusdperp")
        self.there("the position", "[name=close][value='100']:not(:disabled)")
        self.browser.run("""const real = window.fetch;
            window.sent = [];
            window.fetch = (url, options = {}) => {
              const request = String(url).endsWith('/site/call') ? JSON.parse(options.body).request : '';
              if (request === '/v1/order/new') window.sent.push(request);
              const refused = new Response('{"result":"error","reason":"RateLimit","message":"Too Many Requests"}',
                { status: 429, headers: { 'content-type': 'application/json', 'retry-after': '1' } });
              return request === '/v1/positions' ? Promise.resolve(refused) : real(url, options);
            }""")
        self.press("[name=close][value='100']")
        self.press("dialog[open] button[value=confirm]")
        self.browser.wait_for("the word", TOLD + ".includes('could not be read')")
        assert self.browser.run("return window.sent") == [], "an order is sized by an old position"


if __name__ == "__main__":
    run("trade", sys.argv[1], Path(sys.argv[2]), Trade)
