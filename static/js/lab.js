// The lab: editor, marks at its lines, walking through a run. Everything here is also a plain link or form.
(() => {
  const result = document.getElementById("result");
  let status = document.getElementById("lab-status");
  const form = document.getElementById("lab-form");
  const textarea = document.getElementById("id_text");
  // Going back, a browser without scripts brings the text back by itself; here the draft does.
  textarea?.setAttribute("autocomplete", "off");
  const LARGEST = 40_000_000;
  const LARGEST_EDITED = 15_000_000;
  const PLAY_MS = 1800;
  const DRAFT = "lab-draft";

  // The address without its language: what was written there comes back after a reload or a change of language.
  const place = () => location.pathname.replace(/^\/[a-z]{2}\//, "/") + location.search;
  const kept = () => {
    try {
      return JSON.parse(sessionStorage.getItem(DRAFT));
    } catch {
      return null;
    }
  };
  // A form of another page has posted a text here: it goes before what was written at this address earlier.
  const posted = () => location.pathname.endsWith("/lab/run/") && performance.getEntriesByType("navigation")[0]?.type === "navigate";
  const texts = new Map();
  let editor = null;
  let problemMarkers = [];
  let lineMarkers = [];
  let player = 0;

  const say = (text) => {
    if (!status) {
      status = Object.assign(document.createElement("p"), { className: "sr" });
      status.setAttribute("role", "status");
      document.body.append(status);
    }
    status.textContent = text;
  };
  const json = (id, root = document) => {
    const node = root.querySelector(`#${id}`);
    return node ? JSON.parse(node.dataset.json) : null;
  };

  // ---- Editor ----
  const setText = (text) => {
    if (editor) editor.setValue(text, -1);
    else textarea.value = text;
  };

  // Changes only the part that differs, so that Undo, folds and the place in the text stay.
  const changeText = (text) => {
    if (!editor) {
      textarea.value = text;
      return;
    }
    const old = editor.getValue();
    if (old === text) return;
    let start = 0;
    const shorter = Math.min(old.length, text.length);
    while (start < shorter && old[start] === text[start]) start += 1;
    let end = 0;
    while (end < shorter - start && old[old.length - 1 - end] === text[text.length - 1 - end]) end += 1;
    const { Range } = ace.require("ace/range");
    const at = (index) => editor.session.doc.indexToPosition(index, 0);
    const from = at(start);
    editor.session.replace(Range.fromPoints(from, at(old.length - end)), text.slice(start, text.length - end));
    editor.scrollToLine(from.row, true, false);
  };

  const clear = (markers) => {
    for (const marker of markers) editor.session.removeMarker(marker);
    markers.length = 0;
  };

  const markLine = (row, css, markers) => {
    const { Range } = ace.require("ace/range");
    markers.push(editor.session.addMarker(new Range(row, 0, row, Infinity), css, "fullLine"));
  };

  const showProblems = () => {
    if (!editor) return;
    clear(problemMarkers);
    const marks = json("lab-marks") ?? [];
    editor.session.setAnnotations(marks);
    for (const mark of marks) markLine(mark.row, mark.type === "error" ? "lab-bad" : "lab-warn", problemMarkers);
    const first = marks.find((mark) => mark.type === "error");
    if (first) editor.scrollToLine(first.row, true, false);
  };

  // The lines that the opened evidence quotes are marked in the editor too.
  const showDeciding = () => {
    if (!editor) return;
    clear(lineMarkers);
    const rows = [...document.querySelectorAll("#result .evidence .ln.hll")].map((line) => Number(line.dataset.n) - 1);
    for (const row of rows) markLine(row, "lab-mark", lineMarkers);
    if (rows.length) editor.scrollToLine(rows[0], true, false);
  };

  // Lines that decided a verdict of the shown cycle carry a mark in the gutter; it leads to what they decided.
  let decided = [];
  const showDecided = () => {
    if (!editor) return;
    for (const row of decided) editor.session.removeGutterDecoration(row, "lab-decided");
    decided = (json("lab-lines") ?? []).map((line) => line - 1);
    for (const row of decided) editor.session.addGutterDecoration(row, "lab-decided");
  };

  const openDecided = (line) => {
    const entry = document.getElementById(`line-${line}`);
    if (!entry) return;
    entry.closest("details").open = true;
    entry.scrollIntoView({ block: "center" });
    entry.focus({ preventScroll: true });
  };

  const goTo = (line, column) => {
    if (!editor) {
      textarea.focus();
      return;
    }
    editor.gotoLine(line, Math.max(0, column - 1), false);
    editor.scrollToLine(line - 1, true, false);
    editor.focus();
  };

  // Ace's own YAML check runs in a blob worker, which the site's policy forbids; the engine checks better anyway.
  if (window.ace) ace.config.setDefaultValue("session", "useWorker", false);

  const startEditor = () => {
    editor = form?.querySelector(".django-ace-widget")?.editor ?? null;
    if (!editor) return;
    editor.setOptions({ fontFamily: getComputedStyle(document.documentElement).getPropertyValue("--mono"), showFoldWidgets: true, scrollPastEnd: 0.2 });
    editor.session.setUseWrapMode(false);
    editor.textInput.getElement().setAttribute("aria-label", form.querySelector("label[for='id_text']").textContent);
    editor.commands.addCommand({ name: "run", bindKey: { win: "Ctrl-Enter", mac: "Command-Enter" }, exec: run });
    // Tab must leave the editor for those who use the keyboard alone; indenting stays on Ctrl+].
    editor.commands.bindKeys({ Tab: null, "Shift-Tab": null });
    // Ace takes the focus when the mouse goes down, so the entry takes it once the click is over.
    editor.on("gutterclick", (event) => {
      const row = event.getDocumentPosition().row;
      if (decided.includes(row)) setTimeout(() => openDecided(row + 1), 30);
    });
    editor.commands.addCommand({ name: "decided", bindKey: { win: "Ctrl-Shift-L", mac: "Command-Shift-L" }, exec: () => openDecided(editor.getCursorPosition().row + 1) });
    const draft = kept();
    if (draft && !posted() && (draft.place === place() || (!textarea.value && !location.search)) && draft.text !== textarea.value) setText(draft.text);
    showProblems();
    showDeciding();
  };

  // A click, because htmx remembers the button that was pressed last, and where that one leads.
  const run = () => form.querySelector("button.run").click();
  if (form) addEventListener("pagehide", () => {
    try {
      if (textarea.value) sessionStorage.setItem(DRAFT, JSON.stringify({ place: place(), text: textarea.value }));
      else sessionStorage.removeItem(DRAFT);
    } catch {
      // A draft too large to keep is still in the browser's own history.
    }
  });

  const readFile = async (file) => {
    if (!file) return;
    if (file.size > LARGEST) {
      say(form.dataset.tooLarge);
      window.alert(form.dataset.tooLarge);
      return;
    }
    if (file.size > LARGEST_EDITED) {
      setText(form.dataset.asFile.replace("{name}", file.name).replace("{size}", Math.ceil(file.size / 1e6)));
      run();
      return;
    }
    form.querySelector("input[type=file]").value = "";
    setText(await file.text());
  };

  const watchFiles = () => {
    const input = form.querySelector("input[type=file]");
    input.addEventListener("change", () => readFile(input.files[0]));
    const area = form.querySelector("[data-editor]");
    for (const type of ["dragenter", "dragover"]) {
      area.addEventListener(type, (event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        area.classList.add("drop");
      }, true);
    }
    for (const type of ["dragleave", "drop"]) area.addEventListener(type, () => area.classList.remove("drop"), true);
    area.addEventListener("drop", (event) => {
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      event.stopPropagation();
      input.files = event.dataTransfer.files;
      readFile(event.dataTransfer.files[0]);
    }, true);
  };

  // ---- Walking ----
  const walk = (link) => {
    const root = link.closest("[data-result]");
    if (!root) return;
    root.setAttribute("aria-busy", "true");
    const swap = root.hasAttribute("data-embed") ? "outerHTML" : "innerHTML";
    htmx.ajax("GET", link.getAttribute("href").split("#")[0], { target: root, swap, source: root });
  };

  const stop = () => {
    clearInterval(player);
    player = 0;
    showPlay();
  };

  const showPlay = () => {
    for (const button of document.querySelectorAll("[data-play]")) {
      button.hidden = !document.getElementById("walk-on");
      button.setAttribute("aria-pressed", String(player !== 0));
    }
  };

  const play = () => {
    if (player) {
      stop();
      return;
    }
    player = setInterval(() => {
      const on = document.getElementById("walk-on");
      if (on) walk(on);
      else stop();
    }, PLAY_MS);
    showPlay();
  };

  document.addEventListener("click", (event) => {
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    const target = event.target instanceof Element ? event.target : event.target.parentElement;
    const link = target?.closest("a[data-walk]");
    if (link && plain) {
      event.preventDefault();
      if (player) stop();
      walk(link);
      return;
    }
    if (target?.closest("[data-play]")) {
      play();
      return;
    }
    const line = target?.closest("a[data-line]");
    if (line && textarea && plain) {
      event.preventDefault();
      goTo(Number(line.dataset.line), Number(line.dataset.column ?? 0));
      return;
    }
    const copy = target?.closest("[data-copy], [data-copy-from]");
    if (copy) {
      const text = copy.dataset.copy ?? document.getElementById(copy.dataset.copyFrom).textContent;
      navigator.clipboard?.writeText(text).then(() => {
        copy.textContent = copy.dataset.done;
        say(copy.dataset.done);
      });
      return;
    }
    for (const menu of document.querySelectorAll("details[data-menu][open]")) {
      if (!menu.contains(target) || target.closest("a")) menu.open = false;
    }
  });

  const typing = (element) => element?.closest("input, textarea, select, .ace_editor, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && form && !event.target.closest?.(".ace_editor")) {
      event.preventDefault();
      run();
    }
    if (event.key === "Escape") {
      for (const menu of document.querySelectorAll("details[data-menu][open]")) {
        menu.open = false;
        menu.querySelector("summary").focus();
      }
    }
    const id = { ArrowLeft: "walk-back", ArrowRight: "walk-on" }[event.key];
    const scrolls = event.target.closest?.(".scroll, pre");
    if (!id || event.altKey || event.ctrlKey || event.metaKey || typing(event.target)) return;
    if (scrolls && scrolls === event.target && scrolls.scrollWidth > scrolls.clientWidth) return;
    const link = document.getElementById(id);
    if (link) {
      event.preventDefault();
      walk(link);
    }
  });

  // ---- What the server sends ----
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target !== form) return;
    result.setAttribute("aria-busy", "true");
    say(form.dataset.running);
    stop();
  });

  const landed = (root) => {
    root.removeAttribute("aria-busy");
    showPlay();
    showDeciding();
    const given = root.querySelector("#lab-text");
    if (given && form) {
      if (given.dataset.json !== undefined) setText(JSON.parse(given.dataset.json));
      else changeText(given.dataset.text);
      given.remove();
    }
    showDecided();
  };

  document.addEventListener("htmx:afterSwap", (event) => {
    const root = event.detail.target;
    showPlay();
    if (!root?.hasAttribute) return;
    if (root.classList.contains("lines-place")) {
      showDecided();
      return;
    }
    if (root.hasAttribute("data-embed")) {
      const now = document.querySelector("[data-embed]");
      if (now) {
        landed(now);
        say(now.querySelector(".rail-note")?.textContent ?? "");
      }
      return;
    }
    if (root !== result) return;
    landed(root);
    showProblems();
    const digest = result.querySelector("[data-digest]")?.dataset.digest;
    if (digest) texts.set(digest, textarea.value);
    // On the rail the focus goes along with the point that is shown.
    const at = document.activeElement;
    if (at === document.body || at.matches(".rail a:not([aria-current])")) result.querySelector(".rail [aria-current]")?.focus();
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.requestConfig?.elt !== form) return;
    if (matchMedia("(max-width: 62rem)").matches) result.scrollIntoView();
  });

  for (const failed of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
    document.addEventListener(failed, () => {
      stop();
      for (const root of document.querySelectorAll("[data-result]")) root.removeAttribute("aria-busy");
    });
  }

  document.addEventListener("htmx:historyRestore", () => {
    if (!result) return;
    const digest = result.querySelector("[data-digest]")?.dataset.digest;
    if (digest && texts.has(digest)) setText(texts.get(digest));
    landed(result);
  });

  if (form) {
    watchFiles();
    if (/Mac|iPhone|iPad/.test(navigator.platform)) form.querySelector("kbd").textContent = "⌘ ⏎";
  }
  showPlay();
  addEventListener("load", startEditor);
})();
