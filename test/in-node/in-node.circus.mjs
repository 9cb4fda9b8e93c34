/**
 * Runs a suite with jest-circus on modules that Node loads, once for all suites of a worker. Jest's
 * own loader evaluates every module again for each suite, and its modules stay in memory.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import circus from 'jest-circus/runner';
import 'reflect-metadata';
import { loadTypeScript } from '../typescript-sources.mjs';
import { setGlobals } from './jest-globals.mjs';

const GLOBALS = new URL('./jest-globals.mjs', import.meta.url).href;
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');
const STATE = 'JEST_STATE_SYMBOL';

const require = createRequire(import.meta.url);

/** The source maps that Jest reads when it prints the stack of an error. */
let sourceMaps = new Map();
loadTypeScript(new Map([['@jest/globals', GLOBALS]]), (url, map) => sourceMaps.set(url, map));

/** Removes the tests and hooks of the suite before, which circus keeps in the global object. */
const forgetSuite = (initializer) => {
  delete require.cache[initializer];
  delete globalThis[EVENT_HANDLERS];
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
    if (symbol.description === STATE) delete globalThis[symbol];
  }
};

/** The object `jest` without mocks of modules. */
const jestOf = ({ fakeTimersModern: timers, moduleMocker: mocker }) => ({
  fn: (implementation) => mocker.fn(implementation),
  spyOn: (object, method) => mocker.spyOn(object, method),
  restoreAllMocks: () => mocker.restoreAllMocks(),
  useFakeTimers: (options) => timers.useFakeTimers(options),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
  advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
  getTimerCount: () => timers.getTimerCount(),
});

export default (globalConfig, config, environment, runtime, file, sendMessage) => {
  sourceMaps = runtime.getSourceMaps();
  const loader = {
    requireInternalModule(initializer) {
      forgetSuite(initializer);
      return require(initializer);
    },
    requireModule: require,
    setGlobalsForRuntime: (globals) => setGlobals({ ...globals, jest: jestOf(environment) }),
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (module) => import(pathToFileURL(module).href),
    enterTestCode: () => runtime.enterTestCode(),
    leaveTestCode: () => runtime.leaveTestCode(),
  };
  return circus.default(globalConfig, config, environment, loader, file, sendMessage);
};
