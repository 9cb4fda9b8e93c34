/**
 * Replaces `@jest/globals` in suites that Node loads. Its values are of the suite that runs now:
 * modules that import it are loaded once for all suites of a worker.
 */
const globals = {};

export const setGlobals = (now) => Object.assign(globals, now);

const current = (name) =>
  new Proxy(() => undefined, {
    apply: (_target, _this, values) => globals[name](...values),
    get: (_target, key) => globals[name][key],
  });

export const describe = current('describe');
export const it = current('it');
export const test = current('test');
export const beforeAll = current('beforeAll');
export const beforeEach = current('beforeEach');
export const afterAll = current('afterAll');
export const afterEach = current('afterEach');
export const expect = current('expect');
export const jest = current('jest');
