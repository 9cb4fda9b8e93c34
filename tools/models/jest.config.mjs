import { project, WORKERS } from '../../jest.config.mjs';

export default {
  ...WORKERS,
  testTimeout: 60_000,
  projects: [project('models', ['<rootDir>/tools/models/**/*.spec.ts'])],
};
