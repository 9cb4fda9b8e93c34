/**
 * Remembers which suites needed a repeat in the last runs of this machine.
 *
 *     node .ci/repeats.mjs [<suite that was repeated in this run> …]
 *
 * Prints the suites that needed a repeat in two of the last five runs, and exits with 1 if there is
 * one. The history is `ci-repeats.json` in the folder `QUIPU_TEST_CACHE`; a new machine has none.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const RUNS = 5;
const REPEATS_MAX = 1;

const file = path.join(process.env.QUIPU_TEST_CACHE, 'ci-repeats.json');

const history = () => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
};

const now = process.argv.slice(2).map((suite) => path.relative(process.cwd(), suite));
const runs = [...history(), now].slice(-RUNS);
writeFileSync(file, `${JSON.stringify(runs)}\n`);

const repeatsOf = (suite) => runs.filter((run) => run.includes(suite)).length;
const unstable = now.filter((suite) => repeatsOf(suite) > REPEATS_MAX);
if (unstable.length > 0) {
  console.log(`needed a repeat in two of the last ${RUNS} runs: ${unstable.join(', ')}`);
  process.exitCode = 1;
}
