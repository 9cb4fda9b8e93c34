/**
 * The suites that need real servers: every contract on its production adapter, the end-to-end suite
 * on all of them together, and faults. `test/servers` starts what `TEST_KAFKA_URL` and
 * `TEST_MONGODB_URL` do not name; a server that does not start fails the run.
 *
 * `shared` runs two suites at a time on the same servers. `fleets` follows, one suite at a time:
 * each starts a fleet under load, with servers of its own that it kills.
 */
import embedded, { WORKERS } from './jest.config.mjs';

const [{ displayName: _displayName, testMatch: _testMatch, ...unit }] = embedded.projects;

/**
 * Suites of one machine, of the embedded store alone, of the HTTP edge without a store, run by a
 * suite of integration, or of an area whose stores do no more than their contracts say.
 */
const ONE_MACHINE =
  'adapters|audit-verify|background-responses|built-in-model|cli|completions|' +
  'crypto-invoices|embeddings|envelopes|file-sync|first-account|fleet|home-files|' +
  'idempotency|investors|mesh|messages|openai-client|openapi|placement|process-group|' +
  'projector-thread|rentals|responses|restored-log|resumed-streams|rigs|served-log|' +
  'sharding|slow-bodies|spiking|start|statistics|swarm|tax';
const OF_ONE_MACHINE = `/test/end-to-end/(${ONE_MACHINE})\\.spec\\.ts$`;
const FLEETS = '<rootDir>/test/integration/faults/';

/** Both projects name the same files, so the servers start once and stop once. */
const servers = {
  globalSetup: '<rootDir>/test/servers/start-servers.ts',
  globalTeardown: '<rootDir>/test/servers/stop-servers.ts',
};

export default {
  ...WORKERS,
  testTimeout: 120_000,
  projects: [
    {
      ...unit,
      ...servers,
      displayName: 'shared',
      testMatch: ['<rootDir>/test/{integration,end-to-end}/**/*.spec.ts'],
      testPathIgnorePatterns: [OF_ONE_MACHINE, FLEETS],
    },
    {
      ...unit,
      ...servers,
      displayName: 'fleets',
      testMatch: [`${FLEETS}**/*.spec.ts`],
      runner: '<rootDir>/test/servers/serial.runner.mjs',
    },
  ],
};
