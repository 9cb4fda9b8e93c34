/**
 * The suites that need more than Node, without fleets (`jest.fleets.config.mjs`). `servers`: every
 * contract on its production adapter, and end-to-end suites whose guarantees rest on stores, on
 * real servers. `host`: suites that need a program of the machine (strace, Go) and no server, and
 * the drill of a moved log, which orders every product.
 */
import { IN_NODE, project, WORKERS } from './jest.config.mjs';

/**
 * The end-to-end suites of `servers`: they append, settle, schedule or hand over in ways that
 * another store, bus or blob store could break. The others concern the HTTP edge or one machine.
 */
const END_TO_END = [
  'agents',
  'audit',
  'batches',
  'billing',
  'leaving-caller',
  'operations',
  'webhooks',
  'workflows',
];

/** The faults of fleets that no time limit judges. */
export const UNTIMED_FAULTS = '<rootDir>/test/integration/faults/batch-worker-killed.spec.ts';

export const SERVERS = {
  globalSetup: '<rootDir>/test/servers/start-servers.ts',
  globalTeardown: '<rootDir>/test/servers/stop-servers.ts',
};

export default {
  // The run ends although a suite that could not start has left a server behind.
  forceExit: true,
  ...WORKERS,
  testTimeout: 300_000,
  projects: [
    project(
      'servers',
      [
        '<rootDir>/test/integration/*.spec.ts',
        UNTIMED_FAULTS,
        `<rootDir>/test/end-to-end/(${END_TO_END.join('|')}).spec.ts`,
      ],
      { ...IN_NODE, ...SERVERS },
    ),
    project('host', ['<rootDir>/test/host/**/*.spec.ts'], IN_NODE),
  ],
};
