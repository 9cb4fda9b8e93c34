/**
 * Reads what Jest wrote with `--json`. Prints `<passed> <failed>`, then a line for each suite
 * that failed, with its path. Its tests are not in `passed`: they are counted when it is repeated.
 * A skipped test counts as failed, and so does a run that ended badly with no failed test.
 *
 *     node .ci/results.mjs <file> <exit status of Jest>
 */
import { readFileSync } from 'node:fs';

const [file, status] = process.argv.slice(2);
const run = JSON.parse(readFileSync(file, 'utf8'));

const isBad = (suite) =>
  suite.status === 'failed' || suite.assertionResults.some(({ status }) => status !== 'passed');
const bad = run.testResults.filter(isBad);
const passed = run.testResults
  .filter((suite) => !isBad(suite))
  .reduce((sum, { assertionResults }) => sum + assertionResults.length, 0);
const unproved = run.numFailedTests + run.numRuntimeErrorTestSuites + run.numPendingTests;
const failed = Math.max(unproved + run.numTodoTests, status === '0' ? 0 : 1);

console.log(passed, failed);
for (const { name } of bad) console.log(name);
