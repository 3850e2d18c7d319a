// Checks exercises in code as teaching.check does, in Python that runs here (Pyodide). Everything comes from the folder python
// beside this file: Python and its standard library, no other packages.

import { loadPyodide } from "./python/pyodide.mjs";

let teaching = null;

async function load() {
  const folder = new URL("python/", import.meta.url).href;
  const [python, checker] = await Promise.all([
    loadPyodide({ indexURL: folder }),
    fetch(`${folder}nbhelpers.zip`).then((answer) => answer.arrayBuffer()),
  ]);
  python.unpackArchive(checker, "zip");
  return python.pyimport("nbhelpers.base.teaching");
}

onmessage = async ({ data: { name, source } }) => {
  try {
    teaching ??= load();
    const { judge_source: judge } = await teaching;
    postMessage({ running: true });
    const [right, message] = judge(name, source).toJs();
    postMessage({ right, message });
  } catch (error) {
    postMessage({ right: false, message: `Python cannot run here: ${error.message}` });
  }
};
