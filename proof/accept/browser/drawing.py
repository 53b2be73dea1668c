"""The numbers that the pages derive: rounded volumes, and the axis of the depth chart, each with cases of which the answer is known."""

from decimal import ROUND_HALF_UP, Context, Decimal


def rounded(text: str) -> str:
    """A volume as the pages show it: six digits, from a million on in millions and so on."""
    volume = Context(prec=6, rounding=ROUND_HALF_UP).plus(Decimal(text))
    units = ((12, "T"), (9, "B"), (6, "M"), (0, ""))
    power, unit = next((power, unit) for power, unit in units if volume >= 10**power or not power)
    return f"{volume.scaleb(-power).normalize():f}{unit}"


VOLUMES = {
    "0": "0", "0.00": "0", "7": "7", "0.05000000": "0.05", "0.00000123456789": "0.00000123457", "1.23456789": "1.23457",
    "1514520.5694": "1.51452M", "999999.4": "999999", "999999.5": "1M", "123456789.123456": "123.457M",
    "11123456789.123456": "11.1235B", "67481481469481.472": "67.4815T", "1000000": "1M", "12345": "12345",
}

ROUND = "const { read, rounded } = await import('/site/decimal.js'); return arguments[0].map((text) => rounded(read(text)))"


def volumes_are_rounded(browser):
    shown = browser.run(f"return (async function () {{ {ROUND} }}).apply(null, arguments)", list(VOLUMES))
    assert shown == list(VOLUMES.values()), shown
    assert [rounded(text) for text in VOLUMES] == shown


def side(start: int, step: int, count: int, amount: str = "0.1") -> list[tuple[int, str]]:
    """Levels at equal distances."""
    return [(start + step * level, amount) for level in range(count)]


BIDS, ASKS = side(64990, -10, 11), side(65010, 10, 11)
NEAR = ("64890", "65110", 0)
# Books of bids and asks, with both ends of the axis and the number of levels that are not drawn.
BOOKS = {
    "all of an even book": (BIDS, ASKS, NEAR),
    "a small order far below": (BIDS + [(50000, "0.01")], ASKS, (*NEAR[:2], 1)),
    "a large order far below": (BIDS + [(50000, "1000")], ASKS, (*NEAR[:2], 1)),
    "a large order far above": (BIDS, ASKS + [(650000, "1000")], (*NEAR[:2], 1)),
    "one far away on either side": (BIDS + [(1, "5")], ASKS + [(900000, "5")], (*NEAR[:2], 2)),
    "many small orders far below": (BIDS + side(50000, -1000, 4, "0.0001"), ASKS, (*NEAR[:2], 4)),
    "a wall at the best price": ([(64995, "500")] + BIDS, ASKS, ("64890", "65115", 0)),
    "four orders": ([(64000, "1"), (63000, "1")], [(66000, "1"), (67000, "1")], ("63000", "67000", 0)),
    "two near orders and a far one": ([(64990, "1"), (64980, "1"), (50000, "0.01")], [(65010, "1")], ("64980", "65020", 1)),
    "one near order and a far one": ([(64990, "1"), (50000, "9")], [(65010, "1")], ("64990", "65010", 1)),
    "one side": (BIDS, [], ("64890", "64990", 0)),
    "no order": ([], [], ("", "", 0)),
    "below zero": ([(4, "1"), (1, "1")], [(6, "1"), (8, "1"), (10, "1"), (16, "1")], ("0", "16", 0)),
}

DRAW = """
const { draw, totals } = await import('/site/trade/depth.js');
const levels = (side) => totals(side.map(([price, amount]) => ({ price: String(price), amount })));
const { low, high, farther } = draw(document.createElementNS('http://www.w3.org/2000/svg', 'svg'), ...arguments[0].map(levels));
return [low, high, farther]"""


def axis_holds_most_of_the_depth(browser):
    for name, (bids, asks, wanted) in BOOKS.items():
        shown = browser.run(f"return (async function () {{ {DRAW} }}).apply(null, arguments)", [bids, asks])
        assert shown == list(wanted), f"{name}: {shown}, wanted {wanted}"
