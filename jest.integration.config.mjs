/**
 * The suites that need real servers: every contract on its production adapter, and the end-to-end
 * suite on all of them together. `test/servers` starts what `TEST_ESDB_URL`, `TEST_KAFKA_URL` and
 * `TEST_MONGODB_URL` do not name; a server that does not start fails the run.
 */
import unitConfig from './jest.config.mjs';

const [{ displayName: _displayName, testMatch: _testMatch, ...shared }] = unitConfig.projects;

export default {
  ...shared,
  testTimeout: 120_000,
  testMatch: ['<rootDir>/test/integration/**/*.spec.ts'],
  globalSetup: '<rootDir>/test/servers/start-servers.ts',
  globalTeardown: '<rootDir>/test/servers/stop-servers.ts',
};
