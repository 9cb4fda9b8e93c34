/**
 * Gives suites the HTTP client behind Node's `fetch`, which Google's SDK looks for in the global
 * object: that of a suite is one of Jest's.
 */
import { TestEnvironment } from 'jest-environment-node';

const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

export default class ProviderEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    // Node creates it with the first use of an interface of fetch.
    new Headers();
    this.global[DISPATCHER] = globalThis[DISPATCHER];
  }
}
