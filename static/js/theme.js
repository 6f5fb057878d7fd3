// Runs before the first paint, so that a chosen theme does not flash.
(() => {
  const themes = ["light", "dark"];
  let chosen = null;
  try {
    chosen = localStorage.getItem("theme");
  } catch {
    // Storage may be shut off; the system's preference then holds.
  }
  if (themes.includes(chosen)) document.documentElement.dataset.theme = chosen;
})();
