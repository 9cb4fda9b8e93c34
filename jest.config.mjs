import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';
const MEMORY_BYTES_MIN = 4 * 2 ** 30;

/** A file system in memory that has room and may hold programs. */
const hasMemory = () => {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === MEMORY);
    return bavail * bsize >= MEMORY_BYTES_MIN && !/\bnoexec\b/.test(mount ?? 'noexec');
  } catch {
    return false;
  }
};

/**
 * The files of suites lie in memory if they can: both cores idle while a disk syncs, thousands of
 * times. Suites of power loss and disk errors trace or refuse the calls, on any file system.
 */
if (process.env.TMPDIR === undefined && hasMemory()) process.env.TMPDIR = MEMORY;

/**
 * Projects by their needs: `unit` is a spec beside its source, `probes` plant violations for the
 * rules of the house, the rest live under test/ and may start processes, sockets and files.
 */
const shared = {
  rootDir: import.meta.dirname,
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['quipu-source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // Also for the packages within this one, whose own `imports` would be asked.
    '^#(platform|engines|areas)/(.*)\\.js$': '<rootDir>/libs/$1/$2.ts',
    '^#(events|projections|apps)/(.*)\\.js$': '<rootDir>/$1/$2.ts',
  },
  transform: { '^.+\\.ts$': '@swc/jest' },
  setupFiles: ['reflect-metadata'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/bundle/'],
};

export const project = (displayName, testMatch, more) => ({
  ...shared,
  displayName,
  testMatch,
  ...more,
});

/** Suites that start a whole Quipu in their process. */
export const WITH_QUIPU = { testEnvironment: '<rootDir>/test/end-to-end/quipu.environment.mjs' };

/** Suites that call fake providers by the SDKs of their makers. */
export const WITH_PROVIDERS = {
  testEnvironment: '<rootDir>/test/providers/provider.environment.mjs',
};

/**
 * Two workers whatever the machine has: tests that measure time share it with one other. A module
 * registry for each file leaks, so a worker whose heap is this large after a file is replaced.
 */
export const WORKERS = { maxWorkers: 2, workerIdleMemoryLimit: '768MB' };

/** Suites of `jest.second-client.config.mjs`. */
const SECOND_CLIENT = '<rootDir>/libs/platform/event-store/.+/kurrent(db)?-client.spec.ts';

export default {
  ...WORKERS,
  testTimeout: 60_000,
  projects: [
    project('unit', ['<rootDir>/{apps,libs,events,projections,tools}/**/*.spec.ts'], {
      testPathIgnorePatterns: ['<rootDir>/tools/models/', SECOND_CLIENT],
    }),
    project('probes', ['<rootDir>/test/probes/**/*.spec.ts']),
    project('golden', ['<rootDir>/test/golden/**/*.spec.ts']),
    project('property', ['<rootDir>/test/property/**/*.spec.ts']),
    project('end-to-end', ['<rootDir>/test/end-to-end/**/*.spec.ts'], WITH_QUIPU),
    project('attack', ['<rootDir>/test/attack/**/*.spec.ts']),
    project('providers', ['<rootDir>/test/providers/**/*.spec.ts'], WITH_PROVIDERS),
    project('oracles', ['<rootDir>/test/oracles/**/*.spec.ts']),
    project('fault', ['<rootDir>/test/fault/**/*.spec.ts']),
  ],
};
