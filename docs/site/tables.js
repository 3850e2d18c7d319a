// Sorts and filters the leaderboard, and filters the claims. Without JavaScript the tables stand there as they are.

(() => {
  const labelled = (text, control) => element("label", [`${text} `, control]);
  const choice = (names, all) =>
    element("select", [all, ...names].map((name) => element("option", name, { value: name === all ? "" : name })));

  function sortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    const body = table.tBodies[0];
    const value = (row, place) => {
      const cell = row.cells[place];
      const hollow = table.matches(".no-hollow") && cell.matches(".seen");
      return hollow ? "" : cell.dataset.value ?? cell.textContent;
    };
    heads.forEach((head, place) => {
      const button = element("button", [...head.childNodes], { type: "button" });
      button.onclick = () => {
        const down = head.ariaSort !== "descending";
        for (const other of heads) other.ariaSort = null;
        head.ariaSort = down ? "descending" : "ascending";
        const order = (one, other) => {
          const [a, b] = [value(one, place), value(other, place)];
          const both = a !== "" && b !== "";
          if (!both) return (a === "") - (b === ""); // empty cells come last
          return (down ? -1 : 1) * (isNaN(a) ? b.localeCompare(a) : a - b);
        };
        body.append(...[...body.rows].sort(order));
      };
      head.append(button);
    });
    return (name) => heads.find((head) => head.textContent === name).querySelector("button");
  }

  const board = document.querySelector("table.board");
  if (board) {
    const button = sortable(board);
    const heads = [...board.tHead.rows[0].cells].map((cell) => cell.textContent);
    const rows = [...board.tBodies[0].rows];
    const job = choice(heads.slice(3), "all abilities");
    const licence = choice([...new Set(rows.map((row) => row.cells[1].textContent))].sort(), "any licence");
    const speed = choice(["1", "10", "100", "1000"], "any speed");
    const hollow = element("input", "", { type: "checkbox" });
    const update = () => {
      for (const row of rows) {
        row.hidden = (licence.value && row.cells[1].textContent !== licence.value) || Number(row.cells[2].dataset.value) < Number(speed.value);
      }
      for (const row of board.rows) {
        [...row.cells].forEach((cell, place) => { cell.hidden = place > 2 && job.value && heads[place] !== job.value; });
      }
      board.classList.toggle("no-hollow", hollow.checked);
    };
    job.onchange = () => {
      update();
      if (job.value) {
        const head = button(job.value).parentElement;
        head.ariaSort = null;
        button(job.value).click();
      }
    };
    for (const control of [licence, speed]) control.onchange = update;
    hollow.onchange = job.onchange; // hidden values lose their places
    board.closest(".table-wrapper, .board-wrapper").before(element("p", [
      labelled("Ability", job), labelled("Licence", licence), labelled("Pairs a second, at least", speed),
      element("label", [hollow, " Hide values of measures trained on such text"]),
    ], { className: "filters" }));
  }

  const claims = [...document.querySelectorAll("table.claims tbody tr")];
  if (claims.length) {
    const names = [...new Set(claims.map((row) => row.querySelector(".verdict").textContent))];
    const verdict = choice(names, "any verdict");
    const about = (row) => row.closest("section").querySelector("h2").firstChild.textContent;
    const paper = choice([...new Set(claims.map(about))], "any paper");
    const sizes = { "published size inside": "inside the interval", "published size excluded": "excluded" };
    const size = choice(Object.values(sizes), "any size");
    const words = element("input", "", { type: "search" });
    const count = element("span", "", { role: "status" });
    const update = () => {
      for (const row of claims) {
        const text = row.textContent.toLowerCase();
        const said = row.textContent.match(/Size: (.*?)\. Power:/s)?.[1] ?? "";
        const sized = Object.keys(sizes).find((one) => sizes[one] === size.value) ?? "";
        row.hidden = (verdict.value && row.querySelector(".verdict").textContent !== verdict.value)
          || (paper.value && about(row) !== paper.value)
          || !said.includes(sized) || !text.includes(words.value.toLowerCase());
      }
      for (const section of document.querySelectorAll("article section section")) {
        section.hidden = ![...section.querySelectorAll("tbody tr")].some((row) => !row.hidden);
      }
      count.textContent = `${claims.filter((row) => !row.hidden).length} of ${claims.length} claims`;
    };
    for (const control of [paper, verdict, size]) control.onchange = update;
    words.oninput = update;
    document.querySelector("article section section").before(element("p", [
      labelled("Paper", paper), labelled("Verdict", verdict), labelled("Published size", size), labelled("Words", words), count,
    ], { className: "filters" }));
    update();
  }
})();
