// Every page: the theme switch and what to say when the server cannot be reached.
(() => {
  const root = document.documentElement;
  const order = ["auto", "light", "dark"];
  const button = document.querySelector("[data-theme-switch]");

  const show = () => {
    const theme = root.dataset.theme ?? "auto";
    const label = button.dataset[`label${theme[0].toUpperCase()}${theme.slice(1)}`];
    button.setAttribute("aria-label", label);
    button.title = label;
    button.querySelector("use").setAttribute("href", `#g-theme-${theme}`);
  };

  if (button) {
    button.hidden = false;
    show();
    button.addEventListener("click", () => {
      const next = order[(order.indexOf(root.dataset.theme ?? "auto") + 1) % order.length];
      if (next === "auto") delete root.dataset.theme;
      else root.dataset.theme = next;
      try {
        if (next === "auto") localStorage.removeItem("theme");
        else localStorage.setItem("theme", next);
      } catch {
        // Without storage the choice lasts as long as the page.
      }
      show();
      document.dispatchEvent(new CustomEvent("themechange"));
    });
  }

  const toast = document.querySelector("[data-toast]");
  const say = (text) => {
    toast.querySelector("p").textContent = text;
    toast.hidden = false;
  };
  if (toast) {
    document.addEventListener("htmx:sendError", () => say(toast.dataset.offline));
    document.addEventListener("htmx:timeout", () => say(toast.dataset.offline));
    // The site's error pages say what to do; an answer from elsewhere (a proxy) does not.
    document.addEventListener("htmx:responseError", (event) => {
      const answer = new DOMParser().parseFromString(event.detail?.xhr?.responseText ?? "", "text/html");
      say(answer.querySelector("[data-sentence]")?.textContent || toast.dataset.failed);
    });
    document.addEventListener("htmx:beforeRequest", () => { toast.hidden = true; });
    toast.querySelector("button").addEventListener("click", () => { toast.hidden = true; });
  }

  // The language switch leads to the page that is shown, also after htmx has moved on to another address.
  const follow = () => {
    for (const link of document.querySelectorAll("header a[hreflang]")) {
      link.href = location.pathname.replace(/^\/[a-z]{2}\//, `/${link.hreflang}/`) + location.search;
    }
  };
  document.addEventListener("htmx:pushedIntoHistory", follow);
  document.addEventListener("htmx:replacedInHistory", follow);
  document.addEventListener("htmx:historyRestore", follow);

  // A partial that brings a new state names where reading goes on.
  document.addEventListener("htmx:afterSettle", (event) => {
    const target = event.target.querySelector?.("[data-focus]") ?? (event.target.matches?.("[data-focus]") ? event.target : null);
    target?.focus();
  });
})();
