/**
 * Projects by what they need: `unit` is a spec beside its source, `probes` plant violations for the
 * rules of the house, the rest live under test/ and may start processes, sockets and files.
 */
const shared = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['quipu-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': '@swc/jest' },
  setupFiles: ['reflect-metadata'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/bundle/'],
};

const project = (displayName, testMatch) => ({ ...shared, displayName, testMatch });

/**
 * Two workers whatever the machine has: tests that measure time share it with one other. A module
 * registry for each file leaks, so a worker whose heap is this large after a file is replaced.
 */
export const WORKERS = { maxWorkers: 2, workerIdleMemoryLimit: '768MB' };

export default {
  ...WORKERS,
  testTimeout: 60_000,
  projects: [
    project('unit', ['<rootDir>/{apps,libs,events,projections,tools}/**/*.spec.ts']),
    project('probes', ['<rootDir>/test/probes/**/*.spec.ts']),
    project('golden', ['<rootDir>/test/golden/**/*.spec.ts']),
    project('property', ['<rootDir>/test/property/**/*.spec.ts']),
    project('end-to-end', ['<rootDir>/test/end-to-end/**/*.spec.ts']),
    project('attack', ['<rootDir>/test/attack/**/*.spec.ts']),
    project('oracles', ['<rootDir>/test/oracles/**/*.spec.ts']),
    project('fault', ['<rootDir>/test/fault/**/*.spec.ts']),
  ],
};
