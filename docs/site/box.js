// The box on the front page: two texts, how much of the first one's meaning the second keeps, and which words cost it.
// Examples come with the page. The metric itself is loaded when somebody writes, and runs in worker.js.

for (const block of document.querySelectorAll("article .highlight")) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
  button.onclick = async () => {
    await navigator.clipboard.writeText(block.querySelector("pre").textContent);
    button.textContent = "Copied";
  };
  block.append(button);
}

(() => {
  const box = document.querySelector("#box");
  if (!box) return;
  const folder = new URL(".", document.currentScript.src);
  const { examples, verdict, bytes, token, small } = JSON.parse(box.querySelector("script").textContent);
  const fields = [...box.querySelectorAll("textarea")];
  const part = (name) => box.querySelector(`[data-part="${name}"]`);
  const [status, progress, shown] = ["status", "progress", "shown"].map(part);
  const titles = { rating: "same-meaning", chrf: "chrF", "token-f1": "Token F1" };
  let worker = null, number = 0, timer = 0, result = {};

  const rounded = (value) => (value > 99 && value < 100 ? value.toFixed(1) : value.toFixed(0));

  /** A text with its changed places marked, the costly ones strongly. */
  function marked(text, side, changes) {
    const parts = [];
    let end = 0;
    for (const change of [...changes].sort((one, other) => one[2 * side] - other[2 * side])) {
      const [first, last] = change.slice(2 * side, 2 * side + 2);
      parts.push(text.slice(end, first));
      const mark = element("mark", last > first ? text.slice(first, last) : "‸");
      mark.style.setProperty("--cost", `${Math.min(change[4] ?? 0, 60) * 0.6}%`);
      parts.push(mark);
      end = last;
    }
    return [...parts, text.slice(end)];
  }

  function row(name, value) {
    const bar = element("span", "", { className: "bar" });
    bar.style.setProperty("--share", `${value ?? 0}%`);
    return element("tr", [
      element("th", titles[name], { scope: "row" }),
      element("td", bar),
      element("td", value === undefined ? "…" : rounded(value)),
    ]);
  }

  function show() {
    const [source, candidate] = fields.map((field) => field.value);
    const { rating, changes } = result;
    const answer = rating >= verdict.kept ? "kept" : rating <= verdict.changed ? "changed" : "unsure";
    const word = source.split(/\s+/).join(" ") === candidate.split(/\s+/).join(" ") ? "kept" : answer;
    const cost = ([a, b, c, d, points]) => {
      const [was, became] = [source.slice(a, b), candidate.slice(c, d)];
      const what = !was ? `added: ${became}` : !became ? `left out: ${was}` : `${was} → ${became}`;
      return element("li", `${what}${points === undefined ? "" : `, costs ${rounded(points)} points`}`);
    };
    shown.replaceChildren(
      rating === undefined ? "" : element("p", [
        element("span", word, { className: `verdict ${word}` }),
        ` rated ${rounded(rating)} of 100 (kept from ${verdict.kept.toFixed(1)}, changed up to ${verdict.changed.toFixed(1)})`,
      ]),
      element("table", element("tbody", Object.keys(titles).map((name) => row(name, result[name])))),
      ...(changes?.length ? [
        element("p", marked(source, 0, changes), { className: "marked" }),
        element("p", marked(candidate, 1, changes), { className: "marked" }),
        element("ul", changes.filter((change) => change[4] === undefined || change[4] >= 1).map(cost)),
      ] : []),
    );
  }

  function fail(message) {
    progress.hidden = true;
    status.textContent = message;
  }

  function heard({ data }) {
    if (data.loaded !== undefined) {
      progress.value = data.loaded;
      progress.hidden = data.loaded === 1;
      status.textContent = data.loaded < 1 ? `Loading the metric, once: ${Math.round(data.loaded * bytes / 1e6)} of ${Math.round(bytes / 1e6)} MB` : "Starting …";
      return;
    }
    if (data.number !== number) return;
    if (data.error) return fail(data.error);
    Object.assign(result, data);
    status.textContent = data.changes ? "" : "What does each change cost? …";
    show();
  }

  async function ask() {
    const [source, candidate] = fields.map((field) => field.value.trim());
    const mine = ++number;
    result = {};
    if (!source || !candidate) return fail("Write two texts.");
    if (location.protocol === "file:") {
      return fail("A browser reads no model from a file. Serve the site: python -m http.server --directory site");
    }
    const { tokenF1, chrF, differences } = await import(new URL("text.js", folder));
    if (mine !== number) return;
    const pattern = new RegExp(token, "gisu");
    Object.assign(result, {
      chrf: chrF(source, candidate),
      "token-f1": tokenF1(source, candidate, pattern),
      changes: differences(...fields.map((field) => field.value), pattern, new Set(small)), // what each costs comes later
    });
    status.textContent = "Rating …";
    show();
    if (!worker) {
      worker = new Worker(new URL("worker.js", folder), { type: "module" });
      worker.onmessage = heard;
      worker.onerror = () => fail("This browser cannot run the metric.");
    }
    worker.postMessage({ number, source: fields[0].value, candidate: fields[1].value });
  }

  function choose(example) {
    number++;
    clearTimeout(timer);
    [fields[0].value, fields[1].value] = [example.source, example.candidate];
    result = example;
    status.textContent = "";
    show();
  }

  part("examples").append(...examples.map((example) => {
    const button = element("button", example.name, { type: "button" });
    button.onclick = () => choose(example);
    return button;
  }));
  for (const field of fields) {
    field.oninput = () => {
      clearTimeout(timer);
      timer = setTimeout(ask, 250);
    };
  }
  box.hidden = false;
  choose(examples[0]);
})();
