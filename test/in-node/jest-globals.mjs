/**
 * Replaces `@jest/globals` in suites that Node loads. Modules that import it are loaded once for
 * all suites of a worker, and see the values of the suite that runs now.
 */
export let afterAll;
export let afterEach;
export let beforeAll;
export let beforeEach;
export let describe;
export let expect;
export let it;
export let jest;
export let test;

export const setGlobals = (globals) => {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals);
};
