"""Whether a page can be used by all: axe-core (MPL-2.0), which is no part of the product.

BUTTONWOOD_AXE is the path of its `axe.min.js`, from the npm package `axe-core`. Without it nothing is checked.
"""

import os
from pathlib import Path

# The Web Content Accessibility Guidelines 2.2 (AA), and axe-core's own good practice.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# What depends on colours.
COLOURS = ["color-contrast", "link-in-text-block"]
# The driver evaluates this beside the page, whose policy forbids foreign scripts.
RUN = """
const done = arguments[arguments.length - 1];
const words = (rule) => rule.nodes.map(({ target, failureSummary }) =>
  `${rule.id}: ${target.join(' ')}: ${failureSummary.split('\\n').slice(1).join(' ').trim()}`);
const options = { runOnly: { type: arguments[0], values: arguments[1] }, resultTypes: ['violations'] };
axe.run(document, options).then(({ violations }) => done(violations.flatMap(words)),
  (failure) => done([`axe-core fails: ${failure.message}`]))"""
LOOK = """
const root = document.documentElement.dataset;
const before = [root.theme, root.palette];
[root.theme, root.palette] = arguments;
return before"""


def violations(browser, rules: list[str] | None = None) -> list[str]:
    """What axe-core finds on the page as it is, by all rules or by some."""
    path = os.environ.get("BUTTONWOOD_AXE")
    if not path:
        return []
    if not browser.run("return Boolean(window.axe)"):
        browser.run(Path(path).read_text() + "\nwindow.axe = window.axe || axe; return true")
    return browser.post("execute/async", script=RUN, args=["rule", rules] if rules else ["tag", TAGS])


def is_clean(browser, name: str):
    """Nothing is found, light and dark, in both palettes."""
    before = None
    for theme in ("light", "dark"):
        for palette in ("standard", "blind"):
            kept = browser.run(LOOK, theme, palette)
            found = violations(browser, COLOURS if before else None)
            before = before or kept
            assert found == [], f"{name}, {theme}, {palette}: " + "\n".join(found)
    browser.run(LOOK, *before)
