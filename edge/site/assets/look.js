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
  globalThis.applyLook = () => {
    const { theme = "system", palette = "standard", density = "normal" } = kept();
    const root = document.documentElement.dataset;
    root.theme = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
    [root.palette, root.density] = [palette, density];
    dispatchEvent(new Event("look"));
  };
  dark.addEventListener("change", applyLook);
  applyLook();
}
