import { project, WORKERS } from '../../jest.config.mjs';

export default {
  ...WORKERS,
  testTimeout: 60_000,
  projects: [project('mutants', ['<rootDir>/test/mutants/**/*.spec.ts'])],
};
