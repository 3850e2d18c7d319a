// Rates pairs with the exported metric, away from the page's own thread. Everything comes from the folder box beside this file.

import { Tokenizer } from "./box/tokenizers.mjs";
import { differences, put } from "./text.js";
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
    postMessage({ loaded: Math.min(bytes / settings.bytes, 1) });
  };
  const [wasm, model, ...tokenizer] = await Promise.all([
    unpacked("ort.wasm.gz", count),
    unpacked("model.onnx.gz", count),
    json("tokenizer/tokenizer.json"),
    json("tokenizer/tokenizer_config.json"),
  ]);
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

/** The rating of a pair, from 0 to 100. */
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
  return calibrated(Number((await session.run(feeds)).rating.data[0]), calibration);
}

/** The places that differ, with what each one costs: see nbhelpers.metrics.changes. Null where another question came. */
async function costs(number, source, candidate, rating) {
  const found = differences(source, candidate, ready.pattern, ready.small);
  const same = found.length ? await rate(source, source) : 0;
  for (const place of found) {
    const [a, b, c, d] = place;
    const back = put(candidate, c, d, source.slice(a, b));
    const alone = put(source, a, b, candidate.slice(c, d));
    const values = [];
    for (const text of [back, alone]) {
      await pause();
      if (number !== wanted) return null;
      values.push(text.trim() ? await rate(source, text) : 0);
    }
    place.push(Math.max((values[0] - rating + same - values[1]) / 2, 0));
  }
  return found.sort((one, other) => other[4] - one[4]);
}

onmessage = async ({ data: { number, source, candidate, words = true } }) => {
  wanted = number;
  try {
    ready ??= load();
    ready = await ready;
    if (number !== wanted && words) return;
    const began = performance.now();
    const rating = await rate(source, candidate);
    postMessage({ number, rating, milliseconds: performance.now() - began });
    if (!words) return;
    const changes = await costs(number, source, candidate, rating);
    if (changes) postMessage({ number, rating, changes });
  } catch (error) {
    if (!(error instanceof RangeError)) ready = null; // another try loads again
    postMessage({ number, error: error instanceof RangeError ? error.message : `The model cannot run here: ${error.message}` });
  }
};
