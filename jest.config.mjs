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

/**
 * Suites on modules that Node loads once for all suites of a worker. Jest's own loader, which is
 * the default, evaluates them for each suite: it is for suites that need modules of their own.
 */
export const IN_NODE = {
  setupFiles: [],
  // Suites see the messages of schemas that callers see.
  setupFilesAfterEnv: ['<rootDir>/libs/platform/runtime/areas/expected-input.ts'],
  testEnvironment: '<rootDir>/test/in-node/in-node.environment.mjs',
  testRunner: '<rootDir>/test/in-node/in-node.circus.mjs',
};

/**
 * Three workers whatever the machine has: tests that measure time share it with two others. Suites
 * wait for a quarter of their time or more, so two workers leave part of two cores idle. Jest's
 * module registries leak, so a worker whose heap is this large after a file is replaced.
 */
export const WORKERS = { maxWorkers: 3, workerIdleMemoryLimit: '768MB' };

/** Suites of `jest.second-client.config.mjs`. */
const SECOND_CLIENT = '<rootDir>/libs/platform/event-store/.+/kurrent(db)?-client.spec.ts';

/** Suites of `@eventstore/db-client`, which cannot be loaded beside the package of other suites. */
const FIRST_CLIENT = [
  'eventstoredb/(batch-append.messages|db-client|read.messages|shared-node).spec.ts',
  'grpc/(event-store.server|eventstore-client|messages).spec.ts',
].map((suites) => `<rootDir>/libs/platform/event-store/${suites}`);

const inNode = (name, folder) => project(name, [`<rootDir>/${folder}/**/*.spec.ts`], IN_NODE);

export default {
  ...WORKERS,
  testTimeout: 300_000,
  projects: [
    project('unit', ['<rootDir>/{apps,libs,events,packages,projections,tools}/**/*.spec.ts'], {
      ...IN_NODE,
      testPathIgnorePatterns: ['<rootDir>/tools/models/', SECOND_CLIENT, ...FIRST_CLIENT],
    }),
    project('event-store-client', FIRST_CLIENT),
    inNode('probes', 'test/probes'),
    inNode('golden', 'test/golden'),
    inNode('property', 'test/property'),
    inNode('end-to-end', 'test/end-to-end'),
    inNode('attack', 'test/attack'),
    inNode('providers', 'test/providers'),
    inNode('oracles', 'test/oracles'),
    inNode('fault', 'test/fault'),
    inNode('bench', 'test/bench'),
    project('mutants', ['<rootDir>/test/mutants/named.mutants.spec.ts'], IN_NODE),
  ],
};
