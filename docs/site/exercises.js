// Exercises in the page: choices grade themselves with the data of data/exercises.toml, functions are tried in Python that
// is loaded when the first one is checked (python.js), and every exercise has its hints.

(() => {
  /** A text with *emphasis* and `code`. */
  const parts = (text) => text.split(/(\*[^*]+\*|`[^`]+`)/).map((part) => {
    if (/^\*.+\*$/.test(part)) return element("em", part.slice(1, -1));
    return /^`.+`$/.test(part) ? element("code", part.slice(1, -1)) : part;
  });

  const script = new URL("python.js", document.currentScript.src);
  const LONGEST = 10; // seconds that a function may take
  let worker = null;

  /** What is said of a function; `wait` hears what goes on. */
  function judged(name, source, wait) {
    worker ??= new Worker(script, { type: "module" });
    return new Promise((resolve) => {
      let timer = 0;
      const end = (answer, again = false) => {
        clearTimeout(timer);
        if (again) {
          worker.terminate();
          worker = null;
        }
        resolve(answer);
      };
      wait("Loading Python (14 MB, once) …");
      worker.onerror = () => end({ right: false, message: "Python cannot run here; in JupyterLab it does: make lab." }, true);
      worker.onmessage = ({ data }) => {
        if (!data.running) return end(data);
        wait("Trying it …");
        timer = setTimeout(() => end({ right: false, message: `It did not end within ${LONGEST} seconds.` }, true), 1000 * LONGEST);
      };
      worker.postMessage({ name, source });
    });
  }

  /** A field for a function, with its check. */
  function writer(name, stub, said) {
    const field = element("textarea", stub, { rows: stub.split("\n").length + 4, spellcheck: false, ariaLabel: `Your function for ${name}` });
    const button = element("button", "Check", { type: "button", ariaLabel: `Check ${name}` });
    button.onclick = async () => {
      button.disabled = true;
      const { right, message } = await judged(name, field.value, (text) => said.replaceChildren(text));
      button.disabled = false;
      button.className = right ? "right" : "wrong";
      said.replaceChildren(...parts(message));
    };
    return [field, button];
  }

  function controls(name, { options, right, hints, kind, stub }) {
    const said = element("p", "", { className: "said" });
    said.setAttribute("role", "status");
    const row = element("p", []);
    for (const [letter, message] of Object.entries(options)) {
      const button = element("button", letter, { type: "button", ariaLabel: `Answer ${letter} to ${name}` });
      button.onclick = () => {
        for (const other of row.querySelectorAll("button")) other.classList.remove("right", "wrong");
        button.classList.add(letter === right ? "right" : "wrong");
        said.replaceChildren(letter === right ? "Yes. " : "No. ", ...parts(message));
      };
      row.append(button);
    }
    let field = "";
    if (stub) {
      const [text, button] = writer(name, stub, said);
      field = text;
      row.append(button);
    } else if (kind === "code") row.append("Write it in JupyterLab: make lab. ");
    if (kind === "open") row.append("Answer in words. ");
    let next = 0;
    if (hints.length) {
      const button = element("button", "Hint", { type: "button", ariaLabel: `Hint for ${name}` });
      button.onclick = () => {
        said.replaceChildren(`Hint ${next + 1} of ${hints.length}: `, ...parts(hints[next]));
        next = (next + 1) % hints.length;
      };
      row.append(button);
    }
    return element("div", [field, row, said], { className: "exercise" });
  }

  for (const output of document.querySelectorAll("article pre, article table[style*=overflow]")) output.tabIndex = 0; // what scrolls does so by keyboard

  for (const code of document.querySelectorAll("article p > code")) {
    const paragraph = code.parentElement;
    const exercise = EXERCISES[code.textContent];
    if (!exercise || !paragraph.firstElementChild?.matches("strong") || paragraph.lastElementChild !== code) continue;
    let last = paragraph.nextElementSibling ?? paragraph; // the question, with its list or table
    while (last.nextElementSibling?.matches("ul, ol, .table-wrapper")) last = last.nextElementSibling;
    last.after(controls(code.textContent, exercise));
  }
})();
