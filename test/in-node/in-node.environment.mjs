import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Suites run in the worker's own context, whose modules they share. */
export default class InNodeEnvironment {
  global = {};
  fakeTimers = null;
  moduleMocker = new ModuleMocker(globalThis);

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    this.console = globalThis.console;
    globalThis.console = this.global.console;
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    globalThis.console = this.console;
  }

  exportConditions() {
    return [];
  }

  getVmContext() {
    return null;
  }
}
