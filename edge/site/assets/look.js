// Sets the look before the first paint, so that no page flashes in another. The user's choice is kept in this browser too.
{
  const kept = () => {
    try {
      return JSON.parse(localStorage.getItem("buttonwood") ?? "{}");
    } catch (failure) {
      console.warn(failure);
      return {};
    }
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  // The choices of this page, which count where the browser keeps none.
  let chosen = null;
  globalThis.applyLook = (values = chosen ?? kept()) => {
    chosen = values;
    const { theme = "system", palette = "standard", density = "normal" } = chosen;
    const root = document.documentElement.dataset;
    root.theme = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
    [root.palette, root.density] = [palette, density];
    dispatchEvent(new Event("look"));
  };
  dark.addEventListener("change", () => applyLook());
  applyLook();
}
