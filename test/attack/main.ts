/**
 * Runs the attacks with a chosen number of requests: `npm run attack -- --runs 1000 --seed 42`.
 * Node runs this file without a build.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string' }, seed: { type: 'string' } },
  allowPositionals: true,
});

const { status } = spawnSync(
  'npm',
  ['run', '--silent', 'jest', '--', '--selectProjects', 'attack', '--runInBand', ...positionals],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(values.runs !== undefined && { ATTACK_RUNS: values.runs }),
      ...(values.seed !== undefined && { ATTACK_SEED: values.seed }),
    },
  },
);
process.exitCode = status ?? 1;
