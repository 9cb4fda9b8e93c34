/**
 * The suites that need more than Node, in three groups. `servers`: every contract on its
 * production adapter, and end-to-end suites whose guarantees rest on stores, on real servers.
 * `fleets`: whole fleets under load, one suite at a time, each with its own servers.
 * `host`: suites that need a program of the machine (strace, Go) and no server.
 */
import { IN_NODE, project, WORKERS } from './jest.config.mjs';

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
  globalSetup: '<rootDir>/test/servers/start-servers.ts',
  globalTeardown: '<rootDir>/test/servers/stop-servers.ts',
};

export default {
  // The run ends although a suite that could not start has left a server behind.
  forceExit: true,
  ...WORKERS,
  testTimeout: 120_000,
  projects: [
    project(
      'servers',
      [
        '<rootDir>/test/integration/*.spec.ts',
        `<rootDir>/test/end-to-end/(${END_TO_END.join('|')}).spec.ts`,
      ],
      { ...IN_NODE, ...SERVERS },
    ),
    project('fleets', ['<rootDir>/test/integration/faults/**/*.spec.ts'], {
      ...IN_NODE,
      ...SERVERS,
      runner: '<rootDir>/test/servers/serial.runner.mjs',
    }),
    project('host', ['<rootDir>/test/host/**/*.spec.ts'], IN_NODE),
  ],
};
