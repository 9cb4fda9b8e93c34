/**
 * The suites that need more than Node, in three groups. `servers`: every contract on its
 * production adapter, and end-to-end suites whose guarantees rest on stores, on real servers.
 * `fleets`: whole fleets under load, one suite at a time, each with its own servers.
 * `host`: suites that need a program of the machine (strace, Go) and no server.
 */
import embedded, { WITH_QUIPU, WORKERS } from './jest.config.mjs';

const [{ displayName: _displayName, testMatch: _testMatch, ...unit }] = embedded.projects;

/**
 * The end-to-end suites of `servers`: they append, settle, schedule or hand over in ways that
 * another store, bus or blob store could break. The others concern the HTTP edge or one machine.
 */
const END_TO_END = [
  'admission',
  'agents',
  'audit',
  'batches',
  'billing',
  'files',
  'jobs',
  'leaving-caller',
  'operations',
  'webhooks',
  'workflows',
];

/** Projects name the same files, so the servers start once and stop once. */
export const SERVERS = {
  ...unit,
  ...WITH_QUIPU,
  globalSetup: '<rootDir>/test/servers/start-servers.ts',
  globalTeardown: '<rootDir>/test/servers/stop-servers.ts',
};

export default {
  ...WORKERS,
  testTimeout: 120_000,
  projects: [
    {
      ...SERVERS,
      displayName: 'servers',
      testMatch: [
        '<rootDir>/test/integration/*.spec.ts',
        `<rootDir>/test/end-to-end/(${END_TO_END.join('|')}).spec.ts`,
      ],
    },
    {
      ...SERVERS,
      displayName: 'fleets',
      testMatch: ['<rootDir>/test/integration/faults/**/*.spec.ts'],
      runner: '<rootDir>/test/servers/serial.runner.mjs',
    },
    {
      ...unit,
      ...WITH_QUIPU,
      displayName: 'host',
      testMatch: ['<rootDir>/test/host/**/*.spec.ts'],
    },
  ],
};
