"""The page of prediction markets in chromium, against a running sandbox: list, search, countdowns, terms, positions, resolutions.

Started by `cargo xtask browser` as `predictions.py BASE_URL FOLDER`. The sandbox's clock is manual. Prints a line per check and leaves
pictures of the page in the folder.
"""

import sys
from pathlib import Path

from visit import LAPTOP, Visit, run
from webdriver import call

DAY = 86_400_000
TITLE = "Who wins <b>the harbour's</b> vote?"
MINE = "[data-event=SITEVOTE]"
USER = "owner@two.test"
ROWS = "return [...document.querySelectorAll('tbody[data-event]')].map((one) => one.dataset.event)"
PRICE = """const cell = document.querySelector(`[data-contract=${arguments[0]}] [data-cell=${arguments[1]}]`);
return cell?.querySelector('b')?.textContent"""
BEST = "[data-contract=SVC-SITEVOTE-ANN]"


def cents(price: str) -> str:
    """A price with two decimals as the page writes it."""
    return f"{int(price.replace('.', ''))}¢"


def contract(ticker: str, label: str) -> dict:
    return {"ticker": ticker, "label": label}


class Predictions(Visit):
    """The checks of the page."""

    def checks(self):
        return (self.events_are_listed, self.prices_are_live, self.countdowns_follow_the_exchange, self.events_are_searched,
                self.details_show_the_collateral, self.a_cut_is_shown, self.terms_are_accepted_in_place, self.positions_are_shown,
                self.a_resolution_is_shown, self.an_operator_sees_no_positions)

    def events_are_listed(self):
        contracts = [contract("ANN", "Ann <i>"), contract("BOB", "Bob"), contract("LONG", "W" * 60)]
        self.control("/sandbox/predictions/events", ticker="SITEVOTE", title=TITLE, category="harbour", source="the harbour master",
                     expiry_ms=self.now_ms() + 3 * DAY, dispute_seconds=600, contracts=contracts)
        self.open("/predictions")
        self.region("events", "live")
        self.there("the event", MINE)
        assert TITLE in self.text(f"{MINE} h3"), "a title is shown as it was written"
        assert "Ann <i>" in self.text(f"{BEST} .name"), "so is a name"
        assert self.count(f"{MINE} a[href='/trade/SVC-SITEVOTE-ANN']") >= 1, "a contract leads to its page"
        assert self.count("[data-region=positions]") == 0, "nobody has signed in"
        self.looks_right("predictions")
        self.prices_have_room()
        self.nothing_wrong()

    def prices_have_room(self):
        self.browser.screen(360, 780, phone=True)
        narrow = self.browser.run("""return [...document.querySelectorAll('.events .price')]
            .filter((one) => one.offsetWidth < 60 || one.scrollWidth > one.clientWidth).map((one) => one.outerHTML)""")
        assert narrow == [], narrow
        self.browser.screen(*LAPTOP)

    def prices_are_live(self):
        """Yes costs what is asked for it, no what a bid for yes leaves of a dollar."""
        self.control("/sandbox/clock/advance", seconds=8)
        for side in ("yes", "no"):
            self.browser.wait_for(f"a price of {side}", PRICE + "?.endsWith('¢')", "SVC-DEMOBTC", side)
        book = call(f"{self.base}/v1/prediction-markets/events/DEMOBTC")["contracts"][0]["prices"]
        self.browser.wait_for("the price of yes", PRICE + " === arguments[2]", "SVC-DEMOBTC", "yes", cents(book["buy"]["yes"]))
        self.browser.wait_for("the price of no", PRICE + " === arguments[2]", "SVC-DEMOBTC", "no", cents(book["buy"]["no"]))

    def countdowns_follow_the_exchange(self):
        shown = "return document.querySelector('[data-countdown=SITEVOTE]')?.textContent"
        self.browser.wait_for("the countdown", shown + ".includes('2 d 23 h')")
        self.control("/sandbox/clock/advance", seconds=2 * 86_400)
        self.browser.wait_for("the countdown to follow", shown + ".endsWith('in 23 h 59 min')")

    def events_are_searched(self):
        self.write("#search", "HARBOUR'S")
        self.browser.wait_for("one event", ROWS + ".join() === 'SITEVOTE'")
        assert "search=" in self.browser.run("return location.search"), "the search stands in the address"
        self.write("#search", "nothing is called that")
        self.region("events", "empty")
        self.press("[data-region=events] .empty button")
        self.browser.wait_for("all events", ROWS + ".length > 6")
        self.write("#category", "harbour")
        self.browser.wait_for("the category", ROWS + ".join() === 'SITEVOTE'")
        self.write("#category", "")
        self.press("button[name=status][value=upcoming]")
        self.browser.wait_for("what opens later", ROWS + ".every((one) => one === 'DEMOFINAL')")
        self.press("button[name=status][value=open]")
        self.browser.wait_for("what is open", ROWS + ".includes('SITEVOTE')")
        self.nothing_wrong()

    def details_show_the_collateral(self):
        self.press(f"{MINE} [aria-expanded]")
        self.there("the collateral", f"{MINE} .collateral")
        assert "the harbour master" in self.text(f"{MINE} .event-details"), "the source is named"
        self.looks_right("predictions-details")
        self.press(f"{MINE} [aria-expanded]")
        self.gone("the details", f"{MINE} .event-details")

    def a_cut_is_shown(self):
        """Without its socket the page does not call its prices live."""
        self.browser.run("""const region = document.querySelector('[data-region=events]');
            window.states = [];
            new MutationObserver(() => window.states.push(region.dataset.state)).observe(region, { attributeFilter: ['data-state'] });
            dispatchEvent(new Event('offline'))""")
        self.browser.wait_for("the cut to be shown", "return window.states.includes('reconnecting')")
        self.region("events", "live")

    def terms_are_accepted_in_place(self):
        self.sign_in(USER)
        self.open("/predictions")
        self.there("the terms", "[data-region=terms]")
        assert "Each contract pays one dollar" in self.text("[data-region=terms]")
        self.looks_right("predictions-terms")
        self.press("button[name=accept]")
        self.gone("the terms", "[data-region=terms]")
        self.open("/predictions")
        self.region("events", "live")
        assert self.count("[data-region=terms]") == 0, "they were accepted"
        self.nothing_wrong()

    def positions_are_shown(self):
        self.press("#tab-positions")
        self.region("positions", "empty")
        self.looks_right("predictions-no-positions")
        self.call("/v1/prediction-markets/order", symbol="SVC-SITEVOTE-BOB", orderType="limit", side="buy", outcome="yes", quantity="3",
                  price="0.99", timeInForce="immediate-or-cancel")
        self.region("positions", "live")
        assert "3" in self.text("[data-position='SVC-SITEVOTE-BOB yes']"), "the claims are there"
        self.looks_right("predictions-positions")
        self.press("#tab-settled")
        self.region("settled", "empty")
        self.nothing_wrong()

    def a_resolution_is_shown(self):
        self.press("#tab-events")
        self.control("/sandbox/predictions/events/SITEVOTE/resolve", outcomes={"ANN": "yes", "BOB": "no", "LONG": "no"}, source="the count")
        self.press("button[name=status][value=resolving]")
        self.there("the proposal", f"{MINE} [data-resolution=proposed]")
        words = self.text(f"{MINE} .resolution")
        assert "Ann <i>, by the count" in words and "unless it is disputed" in words, words
        self.control("/sandbox/predictions/events/SITEVOTE/dispute", reason="a recount")
        self.there("the dispute", f"{MINE} [data-resolution=disputed]")
        assert "a recount" in self.text(f"{MINE} .resolution")
        self.control("/sandbox/predictions/events/SITEVOTE/resolve", outcomes={"ANN": "no", "BOB": "yes", "LONG": "no"},
                     source="the recount")
        self.there("the next proposal", f"{MINE} [data-resolution=proposed]")
        self.control("/sandbox/clock/advance", seconds=601)
        self.press("button[name=status][value=settled]")
        self.there("the end", f"{MINE} [data-resolution=final]")
        assert "Yes" in self.text("[data-contract=SVC-SITEVOTE-BOB] [data-cell=outcome]")
        self.press("#tab-settled")
        self.there("what it paid", "[data-settled=SVC-SITEVOTE-BOB]")
        # Each claim was paid a dollar.
        self.says("[data-settled=SVC-SITEVOTE-BOB] [data-value='3']", "3")
        self.looks_right("predictions-settled")
        self.nothing_wrong()

    def an_operator_sees_no_positions(self):
        self.sign_out()
        self.sign_in("operator@house.test")
        self.open("/predictions")
        self.region("events", "live")
        assert self.count("[role=tab]") == 0, "an operator does not trade"
        self.nothing_wrong()
        self.sign_out()


if __name__ == "__main__":
    run("predictions", sys.argv[1], Path(sys.argv[2]), Predictions)
