"""Whether a page fits its screen: it is no wider, and nothing in it is cut or hangs out of its box."""

# A phone, a laptop and a large screen.
SIZES = [(360, 780), (1280, 900), (1440, 1010)]

# What is wider than its box or reaches beyond the screen. The chart draws itself, and what is kept for screen readers is not seen.
CUT = """
const isSeen = (element) => element.checkVisibility() && !element.closest('.chart, .unseen, .skip, svg, [type=radio]');
const wrong = (element) => {
  const { left, right, width } = element.getBoundingClientRect();
  if (width && (left < -1 || right > innerWidth + 1)) return `beyond the screen, ${left} to ${right}`;
  const isBox = element.clientWidth > 0 && getComputedStyle(element).display !== 'inline';
  return isBox && element.scrollWidth > element.clientWidth + 1 ? `${element.scrollWidth} in ${element.clientWidth}` : '';
};
return [...document.querySelectorAll('body, body *')].filter(isSeen).map((element) => [element, wrong(element)])
  .filter(([, why]) => why).map(([element, why]) => `${why}: ${element.outerHTML.slice(0, 120)}`).slice(0, 5)"""

OPEN_ALL = "for (const entry of document.querySelectorAll('details')) entry.open = true"


def fits(browser, name: str):
    """The page as it is, on the screen as it is."""
    width, screen = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
    assert width <= screen, f"{name}: {width} pixels wide on a screen of {screen}"
    cut = browser.run(CUT)
    assert cut == [], f"{name} on a screen of {screen}: {cut}"


def fits_every_screen(pages, name: str):
    """With everything that can be opened; leaves a picture of the narrow ones."""
    pages.browser.run(OPEN_ALL)
    for width, height in SIZES:
        pages.browser.screen(width, height, phone=width < 500)
        fits(pages.browser, name)
        if width < 1440:
            # Chromium takes no picture of what is too long.
            is_short = pages.browser.run("return document.documentElement.scrollHeight < 8000")
            pages.picture(f"fits-{name}-{width}", whole=is_short)
