/**
 * Gives suites the Quipu that Node loads from `dist/` once per Jest worker. To load it with Jest's
 * module loader takes seconds for each suite, and its modules stay in the worker's memory.
 */
import { TestEnvironment } from 'jest-environment-node';

const compiled = (file) => import(new URL(`../../dist/${file}`, import.meta.url).href);

const loadQuipu = async () => {
  await import('reflect-metadata');
  const { pino } = await import('pino');
  const { readSettings } = await compiled('apps/composition/settings.js');
  const gateway = await compiled('apps/processes/gateway.process.js');
  const standalone = await compiled('apps/processes/standalone.process.js');
  const { runCommandLine } = await compiled('apps/cli/command-line.js');
  const { EVENT_STORE } = await compiled('libs/platform/runtime/tokens.js');
  const { RoomRows } = await compiled('libs/areas/cleanrooms/room-rows.js');
  const starting =
    (start) =>
    async (environment, ...options) =>
      start(readSettings({ PORT: '0', ...environment }), pino({ level: 'silent' }), ...options);
  return {
    startGateway: starting(gateway.startGateway),
    startStandalone: starting(standalone.startStandalone),
    runCommandLine,
    EVENT_STORE,
    RoomRows,
  };
};

export default class QuipuEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.loadQuipu = loadQuipu;
  }
}
