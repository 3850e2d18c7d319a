// Rates pairs with the exported metric, away from the page's own thread. Everything comes from the folder box beside this file.

import { Tokenizer } from "./box/tokenizers.mjs";
import { differences, pieceSpans, put, touches } from "./text.js";
import * as ort from "./box/ort.mjs";

let wanted = 0; // the last question asked: older ones are given up
let ready = null;

const here = (name) => new URL(`box/${name}`, import.meta.url).href;
const pause = () => new Promise((resolve) => setTimeout(resolve));

async function json(name) {
  return (await fetch(here(name))).json();
}

/** A gzip file, unpacked while it comes in. */
async function unpacked(name, onBytes) {
  const answer = await fetch(here(name));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  const counted = new TransformStream({
    transform(chunk, controller) {
      onBytes(chunk.length);
      controller.enqueue(chunk);
    },
  });
  const stream = answer.body.pipeThrough(counted).pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function load() {
  const settings = await json("settings.json");
  let bytes = 0;
  const count = (more) => {
    bytes += more;
    postMessage({ loaded: Math.min(bytes / settings.bytes, 0.99) });
  };
  const [wasm, model, ...tokenizer] = await Promise.all([
    unpacked("ort.wasm.gz", count),
    unpacked("model.onnx.gz", count),
    json("tokenizer/tokenizer.json"),
    json("tokenizer/tokenizer_config.json"),
  ]);
  postMessage({ loaded: 1 });
  ort.env.wasm.wasmBinary = wasm;
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(model);
  const pattern = new RegExp(settings.token, "gisu");
  return { ...settings, session, pattern, small: new Set(settings.small), tokenizer: new Tokenizer(...tokenizer) };
}

function calibrated(raw, [slope, intercept, soft]) {
  const rating = slope * raw + intercept;
  if (!soft) return Math.min(Math.max(rating, 0), 100);
  if (rating > 95) return 100 - 5 * Math.exp(-(rating - 95) / 5);
  return rating < 5 ? 5 * Math.exp((rating - 5) / 5) : rating;
}

/** The rating of a pair, from 0 to 100, and how likely each piece of the candidate is damaged. */
async function rate(source, candidate) {
  const { session, tokenizer, longest, calibration } = ready;
  const pieces = [source, candidate].map((text) => tokenizer.encode(text).ids.slice(1, -1));
  const length = pieces[0].length + pieces[1].length + 3;
  if (length > longest) throw new RangeError(`The two texts have ${length} pieces; the model takes ${longest}.`);
  const [start] = tokenizer.encode("").ids;
  const end = tokenizer.encode("").ids.at(-1);
  const rows = [pieces, [...pieces].reverse()].map(([first, second]) => {
    const of = (values) => [values[0], ...first.map(() => values[1]), values[2], ...second.map(() => values[3]), values[4]];
    const ids = [start, ...first, end, ...second, end];
    return { ids, types: of([0, 0, 0, 1, 1]), sentence: of([-1, 0, -1, 1, -1]) };
  });
  const tensor = (lists) =>
    new ort.Tensor("int64", BigInt64Array.from(lists.flat(), BigInt), [lists.length, lists[0].length]);
  const inputs = {
    source: tensor([[start, ...pieces[0], end]]),
    candidate: tensor([[start, ...pieces[1], end]]),
    ...Object.fromEntries(["ids", "types", "sentence"].map((name) => [name, tensor(rows.map((row) => row[name]))])),
  };
  const feeds = Object.fromEntries(session.inputNames.map((name) => [name, inputs[name]]));
  const { rating, damaged } = await session.run(feeds);
  return {
    rating: calibrated(Number(rating.data[0]), calibration),
    damaged: [...damaged.data].slice(pieces[0].length + 2, -1),
  };
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const shares = (values) => values.map((value) => value && value / sum(values));

/** The places that differ, with what each one costs, the most harmful first: see nbhelpers.metrics.changes. Null where
 * another question came. */
async function costs(number, source, candidate, { rating, damaged }) {
  const found = differences(source, candidate, ready.pattern, ready.small);
  const known = async (text) => {
    try {
      return text.trim() ? (await rate(source, text)).rating : 0;
    } catch (error) {
      if (error instanceof RangeError) return NaN; // with something put back a text may be too long
      throw error;
    }
  };
  const same = found.length && (await known(source));
  for (const place of found) {
    const [a, b, c, d] = place;
    const values = [];
    for (const text of [put(candidate, c, d, source.slice(a, b)), put(source, a, b, candidate.slice(c, d))]) {
      await pause();
      if (number !== wanted) return null;
      values.push(await known(text));
    }
    const lost = [values[0] - rating, same - values[1]].filter(Number.isFinite);
    place.push(Math.max(sum(lost) / Math.max(lost.length, 1), 0));
  }
  const words = (word) => ready.tokenizer.encode(word, { add_special_tokens: false }).tokens;
  const pieces = pieceSpans(candidate, words);
  const likely = found.map(([, , c, d]) =>
    Math.max(0, ...damaged.filter((_, place) => pieces[place] && touches(pieces[place], [c, d]))));
  const [cost, head] = [shares(found.map((place) => place[4])), shares(likely)];
  const order = [...found.keys()].sort((one, other) => cost[other] + head[other] - cost[one] - head[one]);
  return order.map((place) => found[place]);
}

onmessage = async ({ data: { number, source, candidate, words = true } }) => {
  wanted = number;
  try {
    ready ??= load();
    ready = await ready;
    if (number !== wanted && words) return;
    const began = performance.now();
    const answer = await rate(source, candidate);
    const { rating } = answer;
    postMessage({ number, rating, milliseconds: performance.now() - began });
    if (!words) return;
    const changes = await costs(number, source, candidate, answer);
    if (changes) postMessage({ number, rating, changes });
  } catch (error) {
    if (!(error instanceof RangeError)) ready = null; // another try loads again
    postMessage({ number, error: error instanceof RangeError ? error.message : `The model cannot run here: ${error.message}` });
  }
};
