// Dragging an own order along the ladder's prices.
import { shownPrice } from "./market.js";
import { element } from "./rows.js";

const LEAST = 5;
const swallow = (event) => event.stopPropagation();

function hint() {
  const made = element("div", "drag-hint", { "aria-hidden": "true" });
  document.body.append(made);
  return made;
}

// Lets own orders within a place be dragged. `orderAt(cell)` is the order of a cell; `drop(order, price)` what a drop does. Returns a
// function that ends it.
export function chips(place, { orderAt, drop }) {
  let held = null;
  const finish = () => {
    held?.hint?.remove();
    held?.target?.classList.remove("target");
    held = null;
    removeEventListener("pointermove", moved);
    removeEventListener("pointerup", dropped);
    removeEventListener("pointercancel", finish);
    removeEventListener("keydown", left, true);
  };
  function moved(event) {
    if (!held.hint && Math.abs(event.clientY - held.y) < LEAST) return;
    held.hint ??= hint();
    const target = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".rung");
    if (target !== held.target) {
      held.target?.classList.remove("target");
      held.target = place.contains(target) ? target : null;
      held.target?.classList.add("target");
    }
    held.hint.textContent = held.target ? `Move to ${shownPrice(held.target.dataset.price)}. The place in the queue is lost.`
      : "Let go outside: nothing moves";
    held.hint.style.left = `${event.clientX + 16}px`;
    held.hint.style.top = `${event.clientY + 16}px`;
  }
  function dropped() {
    const { order, target, hint: shown, from } = held;
    finish();
    if (!shown) return;
    // The click that ends a drag is no click on a cell.
    addEventListener("click", swallow, true);
    setTimeout(() => removeEventListener("click", swallow, true), 0);
    if (target && target.dataset.price !== from) drop(order, target.dataset.price);
  }
  function left(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    finish();
  }
  const pressed = (event) => {
    const cell = event.target.closest("[data-cell=own]");
    const order = event.button === 0 && cell ? orderAt(cell) : null;
    if (!order || order.isUnknown || order.busy) return;
    held = { order, y: event.clientY, from: cell.dataset.price };
    addEventListener("pointermove", moved);
    addEventListener("pointerup", dropped);
    addEventListener("pointercancel", finish);
    addEventListener("keydown", left, true);
  };
  place.addEventListener("pointerdown", pressed);
  return () => {
    finish();
    place.removeEventListener("pointerdown", pressed);
  };
}
