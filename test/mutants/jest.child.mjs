/**
 * Runs spec files in this process, again and again: a message asks for a run, a message answers.
 * A process for each run would spend most of its time on its start.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { runCLI } from 'jest';

const root = process.cwd();
const { project } = await import(pathToFileURL(path.join(root, 'jest.config.mjs')).href);

/** Jest's own `bail` would end this process. */
const runOne = async (spec, testTimeout) => {
  const argv = {
    $0: 'jest',
    _: [path.join(root, spec)],
    cacheDirectory: path.join(root, '.jest-cache'),
    config: JSON.stringify(project('mutants', ['**/*.spec.ts'])),
    reporters: [],
    runInBand: true,
    runTestsByPath: true,
    silent: true,
    testTimeout,
    watchman: false,
  };
  const { results } = await runCLI(argv, [root]);
  const [file] = results.testResults;
  if (file === undefined) throw new Error(`there is no spec ${spec}`);
  const isFailed = file.numFailingTests > 0 || file.testExecError !== undefined;
  const test = file.testResults.find(({ status }) => status === 'failed')?.fullName ?? '';
  const failure = isFailed ? { spec, test, message: file.failureMessage ?? '' } : null;
  return { passed: results.numPassedTests, failure };
};

/** Up to the first spec that fails. */
const run = async (specs, testTimeout) => {
  let passed = 0;
  for (const spec of specs) {
    const outcome = await runOne(spec, testTimeout);
    if (outcome.failure) return outcome;
    passed += outcome.passed;
  }
  return { passed, failure: null };
};

process.on('message', ({ specs, testTimeoutMs }) => {
  run(specs, testTimeoutMs).then(
    (outcome) => process.send(outcome),
    (error) => process.send({ error: String(error) }),
  );
});
// A mutant may reject where nothing waits; that is a failure of the spec, or nothing.
process.on('unhandledRejection', () => undefined);
process.on('uncaughtException', () => undefined);
process.on('disconnect', () => process.exit());
process.send({ ready: true });
