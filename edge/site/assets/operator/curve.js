// Small curves: lines over points that stand evenly from left to right, with words at both axes.
import { html } from "../ui.js";

export const HEIGHT = 100;
const WIDTH = 600;

// The heights of whole numbers below the largest of all lines; a point that has none stays null.
export function heightsOf(values, largest) {
  return values.map((value) => (value === null ? null : largest === 0 ? 0 : Math.round((value * HEIGHT) / largest)));
}

// The points of each part without a gap. One that stands alone is a line to itself, which is drawn as a dot.
function segments(heights) {
  const step = WIDTH / Math.max(heights.length - 1, 1);
  const found = [[]];
  heights.forEach((height, at) => {
    if (height === null) found.push([]);
    else found.at(-1).push(`${Math.round(at * step)},${HEIGHT - height}`);
  });
  return found.filter((part) => part.length > 0).map((part) => (part.length === 1 ? [...part, ...part] : part).join(" "));
}

const Line = ({ heights, at }) => html`${segments(heights).map((points) => html`<polyline key=${points} points=${points}
  class=${`line-${at + 1}`} />`)}`;

// Every line beside its mark, where there are several.
const Legend = ({ lines }) => html`${lines.length > 1 && lines.map(({ name }, at) => html` <span key=${name} class="legend"><svg
  viewBox="0 0 24 4" width="24" height="4" aria-hidden="true"><polyline points="0,2 24,2" class=${`line-${at + 1}`} /></svg>
  ${name}</span>`)}`;

// `lines` are `[{ name, heights }]`, each height from 0 to `HEIGHT` or null; `top` says what the largest height is, `from` and `to` what
// the first and the last point are. It is a picture: a table beside it has the figures.
export function Curve({ name, lines, top, from, to, words }) {
  return html`<figure class="curve" data-curve=${name}><figcaption><b>${name}</b><${Legend} lines=${lines} /></figcaption>
    <p class="note">0 to ${top}</p>
    <svg viewBox=${`0 -2 ${WIDTH} ${HEIGHT + 4}`} preserveAspectRatio="none" role="img" aria-label=${words}>
      <polyline class="axis" points=${`0,${HEIGHT} ${WIDTH},${HEIGHT}`} />
      ${lines.map((line, at) => html`<${Line} key=${line.name} heights=${line.heights} at=${at} />`)}</svg>
    <p class="note ends"><span>${from}</span><span>${to}</span></p></figure>`;
}
