// The list of keys, in which each can be changed and all can be switched off.
import { bindings, change, chordOf, isOn, keysOf, owner, reset, switchAll } from "./keyboard.js";
import { overlay } from "./palette.js";
import { Dialog, announce, html, useLayoutEffect, useReducer, useState } from "./ui.js";

export const Keys = ({ keys }) => html`<span class="keys">${keys.split(" ").map((chord) =>
  html`<kbd>${chord}</kbd> `)}</span>`;

// Reads the next keys in place of their acts: as many as the binding has. Escape leaves it as it is.
function useCapture(binding, onEnd) {
  const [pressed, setPressed] = useState([]);
  useLayoutEffect(() => {
    setPressed([]);
    if (!binding) return undefined;
    // Keys may come faster than the dialog is drawn.
    const all = [];
    const read = (event) => {
      event.preventDefault();
      event.stopPropagation();
      const chord = chordOf(event);
      if (chord === "Esc") return onEnd(null);
      if (chord) all.push(chord);
      return all.length < keysOf(binding).split(" ").length ? setPressed([...all]) : onEnd(all.join(" "));
    };
    addEventListener("keydown", read, true);
    return () => removeEventListener("keydown", read, true);
  }, [binding]);
  return pressed;
}

function Row({ binding, isChanging, pressed, onChange }) {
  const words = isChanging ? `Press the new keys${pressed.length ? `: ${pressed.join(" ")} …` : " …"}` : "";
  return html`<tr>
    <th scope="row">${binding.words}</th>
    <td>${isChanging ? html`<span class="warning" role="status">${words}</span>` : html`<${Keys} keys=${keysOf(binding)} />`}</td>
    <td class="number"><button type="button" class="small" aria-label=${`Change the keys of: ${binding.words}`}
      onClick=${() => onChange(isChanging ? null : binding)}>${isChanging ? "Leave" : "Change"}</button></td>
  </tr>`;
}

function KeyboardDialog({ onClose }) {
  const [, draw] = useReducer((count) => count + 1, 0);
  const [changing, setChanging] = useState(null);
  const [message, setMessage] = useState("");
  const say = (words) => {
    setMessage(words);
    announce(words);
  };
  const pressed = useCapture(changing, (keys) => {
    const other = keys && owner(keys, changing.id);
    setChanging(null);
    if (other) return say(`${keys} is already used for: ${other.words}.`);
    if (!keys) return undefined;
    change(changing.id, keys);
    return say(`${changing.words} is ${keys} now.`);
  });
  const act = (what) => () => {
    what();
    setMessage("");
    draw();
  };
  const scopes = [...new Set(bindings().map(({ scope }) => scope))];
  return html`<${Dialog} title="Keyboard" onClose=${onClose} className="keyboard">
    <label class="check"><input type="checkbox" checked=${isOn()} onChange=${act(() => switchAll(!isOn()))} />
      Keys act outside inputs</label>
    <p class="keys-message" aria-hidden="true">${message}</p>
    ${scopes.map((scope) => html`<table key=${scope}>
      <caption>${scope}</caption>
      <tbody>${bindings().filter((binding) => binding.scope === scope).map((binding) => html`<${Row} key=${binding.id} binding=${binding}
        isChanging=${changing?.id === binding.id} pressed=${pressed} onChange=${setChanging} />`)}</tbody>
    </table>`)}
    <div class="dialog-end"><button type="button" onClick=${act(reset)}>Reset all</button>
      <button type="button" class="main" onClick=${onClose}>Done</button></div>
  </${Dialog}>`;
}

export const open = () => overlay((close) => html`<${KeyboardDialog} onClose=${close} />`);
