/**
 * The suites that need real servers: every contract on its production adapter, the end-to-end suite
 * on all of them together, and faults. `test/servers` starts what `TEST_KAFKA_URL` and
 * `TEST_MONGODB_URL` do not name; a server that does not start fails the run.
 */
import embedded from './jest.config.mjs';

const [{ displayName: _displayName, testMatch: _testMatch, ...shared }] = embedded.projects;

/** About files on one machine, about the embedded store alone, or run by a suite of integration's own. */
const OF_ONE_MACHINE = '/test/end-to-end/(cli|first-account|fleet|served-log|start)\\.spec\\.ts$';

export default {
  ...shared,
  testTimeout: 120_000,
  testMatch: ['<rootDir>/test/{integration,end-to-end}/**/*.spec.ts'],
  testPathIgnorePatterns: [OF_ONE_MACHINE],
  globalSetup: '<rootDir>/test/servers/start-servers.ts',
  globalTeardown: '<rootDir>/test/servers/stop-servers.ts',
};
