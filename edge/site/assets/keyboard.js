// Keys that act. Pages bind them; a user can change each, or switch all off. They act outside inputs and dialogs alone.
import { get, set } from "./preferences.js";

// How long the second key of a sequence may take, in milliseconds.
const PAUSE = 1_500;
const NAMES = { Escape: "Esc", " ": "Space", ArrowLeft: "Left", ArrowRight: "Right", ArrowUp: "Up", ArrowDown: "Down" };
const MODIFIERS = ["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "NumLock", "Dead", "Process", "Unidentified"];
const INPUTS = "input, textarea, select, [contenteditable='true'], [contenteditable='']";
const WITH_ENTER = "a[href], button, summary, [role='button'], [role='tab'], [role='listbox'], [role='option'], [role='grid']";

const bound = [];
let waiting = "";
let timer = 0;

// The letter at the place of a key, where a layout has other letters than ours.
function letter({ key, code }) {
  const isForeign = key.length === 1 && key > "\x7f" && /^Key[A-Z]$/.test(code);
  return isForeign ? code.slice(3) : key;
}

// The name of the keys of an event, such as "B", "Shift+X", "Ctrl+K" or "?"; none for a modifier alone.
export function chordOf(event) {
  if (MODIFIERS.includes(event.key)) return "";
  // A character that is written with AltGr, such as "[", is a plain one.
  const isWritten = event.getModifierState("AltGraph");
  const found = letter(event);
  const name = NAMES[found] ?? (found.length === 1 ? found.toUpperCase() : found);
  const hasShift = event.shiftKey && (found.length > 1 || /[a-z]/i.test(found));
  const isHeld = [!isWritten && (event.ctrlKey || event.metaKey), !isWritten && event.altKey, hasShift];
  return [...["Ctrl", "Alt", "Shift"].filter((_, at) => isHeld[at]), name].join("+");
}

const choices = () => get("keys", {});
export const isOn = () => !choices().off;
export const keysOf = ({ id, keys }) => choices().changed?.[id] ?? keys;

// Whether a key is the target's own: one that is typed, or one that acts on a button.
function isTaken(target, chord) {
  if (document.querySelector("dialog[open]")) return true;
  if (!(target instanceof Element)) return false;
  return Boolean(target.closest(INPUTS)) || (["Enter", "Space"].includes(chord) && Boolean(target.closest(WITH_ENTER)));
}

function wait(chords) {
  clearTimeout(timer);
  waiting = chords;
  timer = setTimeout(() => (waiting = ""), PAUSE);
}

// Those of some keys, which a target leaves to the page.
function usable(chord, target) {
  const taken = isTaken(target, chord);
  return bound.filter(({ isAnywhere }) => !taken || (isAnywhere && !document.querySelector("dialog[open]")));
}

function follow(chords, candidates, event) {
  const found = candidates.find((binding) => keysOf(binding) === chords);
  if (found) {
    event.preventDefault();
    found.act(event);
    return true;
  }
  const isBegun = candidates.some((binding) => keysOf(binding).startsWith(`${chords} `));
  if (isBegun) wait(chords);
  return isBegun;
}

function pressed(event) {
  // A key that is held down acts once, or it would send an order many times.
  if (event.defaultPrevented || event.repeat || event.isComposing || !isOn()) return;
  const chord = chordOf(event);
  if (!chord) return;
  const begun = waiting;
  waiting = "";
  const candidates = usable(chord, event.composedPath()[0]);
  if (begun && follow(`${begun} ${chord}`, candidates, event)) return;
  follow(chord, candidates, event);
}
document.addEventListener("keydown", pressed);

// Binds keys: `{ keys: "B", id: "buy", words: "Buy", act }`. `keys` may be a sequence, such as "G T". `isAnywhere` is for the few that
// act in inputs too. `scope` is the heading under which "?" lists them. Returns a function that ends it.
export function bind(scope, list) {
  const added = list.map((one) => ({ ...one, scope }));
  bound.push(...added);
  return () => {
    for (const one of added) bound.splice(bound.indexOf(one), 1);
  };
}

export const bindings = () => [...bound];

// The binding that some keys already belong to, whole or as the beginning of a sequence.
export function owner(keys, id) {
  const clashes = (one) => one === keys || one.startsWith(`${keys} `) || keys.startsWith(`${one} `);
  return bound.find((binding) => binding.id !== id && clashes(keysOf(binding)));
}

export function change(id, keys) {
  set("keys", { ...choices(), changed: { ...choices().changed, [id]: keys } });
}

export const switchAll = (on) => set("keys", { ...choices(), off: !on });
export const reset = () => set("keys", {});
