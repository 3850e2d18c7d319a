// Words, letters and differences of two texts, as the package computes them: token F1, chrF, and the places that differ.

/** Start and end of each token of a text; `pattern` comes from nbhelpers.language.tokens. */
export function tokenSpans(text, pattern) {
  const spans = [];
  for (const chunk of text.matchAll(/\S+/gu)) {
    for (const token of chunk[0].matchAll(pattern)) {
      const start = chunk.index + token.index;
      spans.push([start, start + token[0].length]);
    }
  }
  return spans;
}

function counts(items) {
  const found = new Map();
  for (const item of items) found.set(item, (found.get(item) ?? 0) + 1);
  return found;
}

function inCommon(first, second) {
  let sum = 0;
  for (const [item, count] of first) sum += Math.min(count, second.get(item) ?? 0);
  return sum;
}

/** F1 of the words that two texts have in common, times 100. */
export function tokenF1(source, candidate, pattern) {
  const [first, second] = [source, candidate].map((text) => {
    const lower = text.toLowerCase();
    const tokens = tokenSpans(lower, pattern).map(([start, end]) => lower.slice(start, end));
    const words = tokens.filter((token) => /[\p{L}\p{N}]/u.test(token));
    return words.length ? words : tokens;
  });
  return (200 * inCommon(counts(first), counts(second))) / (first.length + second.length);
}

/** F-score of runs of one to six letters, recall counting twice, as sacreBLEU has it. */
export function chrF(source, candidate) {
  const [first, second] = [source, candidate].map((text) => [...text.replace(/\s+/gu, "")]);
  let precision = 0, recall = 0, orders = 0;
  for (let length = 1; length <= 6; length++) {
    const [reference, hypothesis] = [first, second].map((letters) =>
      letters.slice(length - 1).map((_, start) => letters.slice(start, start + length).join("")));
    if (!reference.length || !hypothesis.length) continue;
    const common = inCommon(counts(hypothesis), counts(reference));
    precision += common / hypothesis.length;
    recall += common / reference.length;
    orders += 1;
  }
  return precision + recall ? (500 * precision * recall) / (4 * precision + recall) / orders : 0;
}

/** Runs that two lists have in common, longest first and then on both sides of it (Python's difflib). */
function commonRuns(first, second, a = 0, b = first.length, c = 0, d = second.length) {
  let best = [a, c, 0];
  let before = new Map();
  for (let i = a; i < b; i++) {
    const now = new Map();
    for (let j = c; j < d; j++) {
      if (first[i] !== second[j]) continue;
      const length = (before.get(j - 1) ?? 0) + 1;
      now.set(j, length);
      if (length > best[2]) best = [i - length + 1, j - length + 1, length];
    }
    before = now;
  }
  const [i, j, length] = best;
  if (!length) return [];
  return [
    ...commonRuns(first, second, a, i, c, j), best, ...commonRuns(first, second, i + length, b, j + length, d),
  ];
}

/** Whether one of two places only loses words, the other only gains some, and a shorter run stands between them. */
function moved(first, second, words) {
  const both = [first, second];
  if (both.some(([a, b, c, d]) => a < b && c < d) || first[0] < first[1] === second[0] < second[1]) return false;
  const [lost, gained] = first[0] < first[1] ? both : [second, first];
  const [was, became] = [words[0].slice(lost[0], lost[1]), words[1].slice(gained[2], gained[3])];
  const common = Number(was.some((word) => became.includes(word)));
  return second[0] - first[1] < Math.min(was.length, became.length) + common;
}

/** The places where two texts differ: [start, end] in the source and in the candidate. See nbhelpers.metrics.changes. */
export function differences(source, candidate, pattern, small) {
  const texts = [source, candidate];
  const spans = texts.map((text) => tokenSpans(text, pattern));
  const words = texts.map((text, side) => spans[side].map(([start, end]) => text.slice(start, end).toLowerCase()));
  const runs = commonRuns(...words);
  const matched = runs.reduce((sum, run) => sum + run[2], 0);
  const apart = (2 * matched) / (words[0].length + words[1].length) < 0.5;
  const isSmall = (word) => small.has(word) || !/^[\p{L}\p{N}]/u.test(word);
  const places = [];
  let [a, c] = [0, 0];
  for (const [b, d, length] of [...runs, [words[0].length, words[1].length, 0]]) {
    if (a < b || c < d) {
      const last = places.at(-1);
      const between = last ? words[0].slice(last[1], a) : [];
      const joined = apart && between.length < 3 && between.every(isSmall);
      if (last && (joined || moved(last, [a, b, c, d], words))) [last[1], last[3]] = [b, d];
      else places.push([a, b, c, d]);
    }
    [a, c] = [b + length, d + length];
  }
  const characters = (side, first, last) => {
    if (first < last) return [spans[side][first][0], spans[side][last - 1][1]];
    const where = first ? spans[side][first - 1][1] : 0;
    return [where, where];
  };
  return places.map(([a, b, c, d]) => [...characters(0, a, b), ...characters(1, c, d)]);
}

/** The text with a span replaced, and one blank between words. */
export function put(text, start, end, words) {
  const joined = [text.slice(0, start).trimEnd(), words.trim(), text.slice(end).trimStart()].filter(Boolean).join(" ");
  return / [.,;:!?]/u.test(text) ? joined : joined.replace(/ (?=[.,;:!?)\]](?:\s|$))/gu, "");
}

const WORD = /[!-/:-@[-`{-~\p{P}\p{Script=Han}]|[^\s!-/:-@[-`{-~\p{P}\p{Script=Han}]+/gu;
const plain = (letter) => letter.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();

/** Start and end of each piece that the model reads; `pieces` gives those of a word. */
export function pieceSpans(text, pieces) {
  const spans = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const ends = [index]; // of each letter as the tokenizer has it
    let end = index, read = 0;
    for (const letter of word) {
      end += letter.length;
      for (let count = plain(letter).length; count; count--) ends.push(end);
    }
    const own = pieces(word);
    for (const [number, piece] of own.entries()) {
      const start = ends[read];
      read += piece.replace(/^##/, "").length;
      spans.push([start, number + 1 < own.length ? ends[read] : end]);
    }
  }
  return spans;
}

/** Whether a piece overlaps a span, or stands beside an empty one. See nbhelpers.metrics.changes. */
export function touches([start, end], [first, last]) {
  const slack = Number(first === last);
  return start < last + slack && first - slack < end;
}
