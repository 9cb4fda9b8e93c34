/**
 * Remembers which suites needed a repeat in the last runs of this machine.
 *
 *     node .ci/repeats.mjs [<suite that was repeated in this run> …]
 *
 * Prints the suites that needed a repeat in two of the last five runs, and exits with 1 if there is
 * one. The history is `ci-repeats.json` in `QUIPU_TEST_CACHE`. A new machine has none, and so has
 * one whose folder cannot be written.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const RUNS = 5;
const REPEATS_MAX = 1;

const folder = process.env.QUIPU_TEST_CACHE;
const file = path.join(folder, 'ci-repeats.json');

const history = () => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
};

const now = process.argv.slice(2).map((suite) => path.relative(process.cwd(), suite));
const runs = [...history(), now].slice(-RUNS);
try {
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify(runs)}\n`);
} catch (error) {
  console.error(`the repeats of this run are not remembered: ${error.message}`);
}

const repeatsOf = (suite) => runs.filter((run) => run.includes(suite)).length;
const unstable = now.filter((suite) => repeatsOf(suite) > REPEATS_MAX);
if (unstable.length > 0) {
  console.log(`needed a repeat in two of the last ${RUNS} runs: ${unstable.join(', ')}`);
  process.exitCode = 1;
}
