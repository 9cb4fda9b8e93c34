/**
 * Reads what Jest wrote with `--json`.
 *
 *     node .ci/results.mjs counts <file> <exit status of Jest>
 *     node .ci/results.mjs failures <file>
 *     node .ci/results.mjs slowest <file>
 *
 * `counts` prints `<passed> <failed>`, then a line for each suite that failed, with its path. Its
 * tests are not in `passed`: they are counted when it is repeated. A skipped test counts as failed,
 * and so does a run that ended badly with no failed test. `failures` prints each failed test with
 * the first lines of its error. `slowest` prints the 20 slowest suites and their share of the time.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const SLOWEST = 20;
const ERROR_LINES_MAX = 6;

const [question, file, status] = process.argv.slice(2);
const run = JSON.parse(readFileSync(file, 'utf8'));

const isBad = (suite) =>
  suite.status === 'failed' || suite.assertionResults.some(({ status }) => status !== 'passed');
const bad = run.testResults.filter(isBad);
const nameOf = ({ name }) => path.relative(process.cwd(), name);
const startOf = (text) => text.split('\n').slice(0, ERROR_LINES_MAX).join('\n');

const answers = {
  counts() {
    const passed = run.testResults
      .filter((suite) => !isBad(suite))
      .reduce((sum, { assertionResults }) => sum + assertionResults.length, 0);
    const unproved = run.numFailedTests + run.numRuntimeErrorTestSuites + run.numPendingTests;
    console.log(passed, Math.max(unproved + run.numTodoTests, status === '0' ? 0 : 1));
    for (const { name } of bad) console.log(name);
  },
  failures() {
    for (const suite of bad) {
      console.log(nameOf(suite));
      const failed = suite.assertionResults.filter(({ status }) => status !== 'passed');
      if (failed.length === 0) console.log(startOf(suite.message));
      for (const { fullName, failureMessages } of failed) {
        console.log(`  ${fullName}\n${startOf(failureMessages.join('\n'))}`);
      }
    }
  },
  slowest() {
    const suites = run.testResults.map((suite) => ({
      name: nameOf(suite),
      seconds: (suite.endTime - suite.startTime) / 1_000,
    }));
    const all = suites.reduce((sum, { seconds }) => sum + seconds, 0);
    const slowest = suites.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST);
    console.log(`== the slowest of ${suites.length} suites, ${all.toFixed(0)} s together`);
    for (const { name, seconds } of slowest) {
      const share = (seconds / all) * 100;
      console.log(`${seconds.toFixed(1).padStart(7)} s ${share.toFixed(1).padStart(5)} %  ${name}`);
    }
  },
};
answers[question]();
