import { type RoomRows } from '#areas/cleanrooms/room-rows.js';
import { type runCommandLine } from '#apps/cli/command-line.js';
import { type Gateway, type GatewayOptions } from '#apps/processes/gateway.process.js';
import { type Standalone, type StandaloneOptions } from '#apps/processes/standalone.process.js';
import { type EVENT_STORE } from '#platform/runtime/tokens.js';

/**
 * The parts of the Quipu that `quipu.environment.mjs` loads once per worker. Processes start on a
 * free port with the settings of an environment, and do not log.
 */
export interface LoadedQuipu {
  readonly startGateway: (
    environment: NodeJS.ProcessEnv,
    options: GatewayOptions,
  ) => Promise<Gateway>;
  readonly startStandalone: (
    environment: NodeJS.ProcessEnv,
    options?: StandaloneOptions,
  ) => Promise<Standalone>;
  readonly runCommandLine: typeof runCommandLine;
  readonly EVENT_STORE: typeof EVENT_STORE;
  /** The way in for rows of a clean room, which no route has without an enclave. */
  readonly RoomRows: typeof RoomRows;
}

declare global {
  var loadQuipu: () => Promise<LoadedQuipu>;
}

export const { loadQuipu } = globalThis;
