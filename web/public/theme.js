// The colours for the first paint, as src/design/theme.ts would choose them.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("paddock:theme");
  } catch {
    // No storage, no choice.
  }
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset.theme =
    chosen === "light" || chosen === "dark" ? chosen : system;
})();
