// Exercises in the page: choices grade themselves with the data of data/exercises.toml, and every exercise has its hints.

(() => {
  /** A text with *emphasis* and `code`. */
  const parts = (text) => text.split(/(\*[^*]+\*|`[^`]+`)/).map((part) => {
    if (/^\*.+\*$/.test(part)) return element("em", part.slice(1, -1));
    return /^`.+`$/.test(part) ? element("code", part.slice(1, -1)) : part;
  });

  function controls(name, { options, right, hints, kind }) {
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
    if (kind === "code") row.append("Write it in JupyterLab: make lab. ");
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
    return element("div", [row, said], { className: "exercise" });
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
