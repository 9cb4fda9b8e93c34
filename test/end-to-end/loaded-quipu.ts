import { pino } from 'pino';
import type * as rows from '#areas/cleanrooms/room-rows.js';
import type * as composition from '#apps/composition/areas.js';
import type * as commandLine from '#apps/cli/command-line.js';
import type * as settings from '#apps/composition/settings.js';
import type * as gateway from '#apps/processes/gateway.process.js';
import type * as standalone from '#apps/processes/standalone.process.js';
import type * as tokens from '#platform/runtime/tokens.js';

const compiled = async <Module>(file: string): Promise<Module> =>
  (await import(new URL(`../../dist/${file}`, import.meta.url).href)) as Module;

/**
 * Loads the parts of a built Quipu, which suites on servers do not need. Processes start on a free
 * port with the settings of an environment, and do not log.
 */
export const loadQuipu = async () => {
  const { readSettings } = await compiled<typeof settings>('apps/composition/settings.js');
  const { startGateway } = await compiled<typeof gateway>('apps/processes/gateway.process.js');
  const { startStandalone } = await compiled<typeof standalone>(
    'apps/processes/standalone.process.js',
  );
  const { runCommandLine } = await compiled<typeof commandLine>('apps/cli/command-line.js');
  const { areas } = await compiled<typeof composition>('apps/composition/areas.js');
  const { EVENT_STORE } = await compiled<typeof tokens>('libs/platform/runtime/tokens.js');
  // The way in for rows of a clean room, which no route has without an enclave.
  const { RoomRows } = await compiled<typeof rows>('libs/areas/cleanrooms/room-rows.js');
  const logger = pino({ level: 'silent' });
  const settingsOf = (environment: NodeJS.ProcessEnv) =>
    readSettings({ PORT: '0', ...environment });
  return {
    startGateway: (environment: NodeJS.ProcessEnv, options: gateway.GatewayOptions) =>
      startGateway(settingsOf(environment), logger, options),
    startStandalone: (environment: NodeJS.ProcessEnv, options?: standalone.StandaloneOptions) =>
      startStandalone(settingsOf(environment), logger, options),
    runCommandLine,
    areas,
    EVENT_STORE,
    RoomRows,
  };
};
