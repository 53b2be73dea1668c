// Buttons that pages without components have: one that is at work shows it.

// Shows whether a button is at work. It takes no click then, and has the focus again afterwards if that is nowhere else.
export function setAtWork(pressed, isAtWork) {
  pressed.disabled = isAtWork;
  if (isAtWork) return pressed.setAttribute("aria-busy", "true");
  pressed.removeAttribute("aria-busy");
  if (document.activeElement === document.body) pressed.focus();
  return undefined;
}
