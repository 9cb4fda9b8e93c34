/** Fleets under faults, and load, that have a time limit: one suite at a time. */
import { IN_NODE, project } from './jest.config.mjs';
import integration, { SERVERS, UNTIMED_FAULTS } from './jest.integration.config.mjs';

export default {
  ...integration,
  maxWorkers: 1,
  projects: [
    project(
      'fleets',
      [
        '<rootDir>/test/integration/faults/**/*.spec.ts',
        '<rootDir>/test/end-to-end/admission-at-once.spec.ts',
      ],
      { ...IN_NODE, ...SERVERS, testPathIgnorePatterns: [UNTIMED_FAULTS] },
    ),
  ],
};
