import { SPIKING_FAILURES } from '#engines/spiking/spiking.engine.errors.js';
import {
  type SpikingBatch,
  SpikingEnd,
  SpikingInput,
  type SpikingOutcome,
  TEXT_LENGTH_MAX,
} from '#engines/spiking/spiking.protocol.js';
import { compareEnergy, type EnergyComparison } from '#engines/spiking/telemetry/energy.js';
import { z } from 'zod';
import { defineEngine, type EngineDefinition, type EngineHost } from '#platform/tasks/engine.js';

export {
  compareEnergy,
  type EnergyComparison,
  SPIKING_FAILURES,
  type SpikingBatch,
  SpikingEnd,
  SpikingInput,
  type SpikingOutcome,
  TEXT_LENGTH_MAX,
};

/** Networks that run in a thread of this process. */
export interface OpenNetworks {
  /** An error keeps its code if `SPIKING_FAILURES` has it. */
  run(input: SpikingInput, signal: AbortSignal): Promise<SpikingEnd>;
  /** Inputs of one network in one call, each as `run` would run it without a session. */
  runMany(batch: SpikingBatch, signal: AbortSignal): Promise<readonly SpikingOutcome[]>;
  /** Networks whose weights are here. */
  readonly count: number;
  close(): Promise<void>;
}

export type OpenNetworksOf = (host: Pick<EngineHost, 'modelFolders'>) => Promise<OpenNetworks>;

/** The networks of the folders of models. The first run starts the thread and loads weights. */
export const openNetworks: OpenNetworksOf = async ({ modelFolders }) => {
  const { SpikingEngine, spikingCatalog } = await import('#engines/spiking/spiking.engine.js');
  const { length } = await spikingCatalog(modelFolders);
  const engine = new SpikingEngine(modelFolders);
  return {
    count: length,
    run: (input, signal) => engine.run(input, signal),
    runMany: (batch, signal) => engine.runMany(batch, signal),
    close: () => engine.close(),
  };
};

/** Spiking networks: one run is one task. */
export const spikingEngineWith = (
  open: OpenNetworksOf,
): EngineDefinition<SpikingInput, never, SpikingEnd> =>
  defineEngine({
    name: 'spiking',
    input: SpikingInput,
    piece: z.never(),
    end: SpikingEnd,
    tasksMax: { worker: 32, inProcess: 128 },
    failures: SPIKING_FAILURES,
    canRunHere: () => Promise.resolve(null),
    open: async (host) => {
      const networks = await open(host);
      return {
        async *run(input, signal) {
          return networks.run(input, signal);
        },
        status: () => statusOf(networks),
        close: () => networks.close(),
      };
    },
  });

export const spikingEngine = spikingEngineWith(openNetworks);

export const statusOf = ({ count }: OpenNetworks) => ({
  ready: count > 0,
  reasons: count > 0 ? [] : ['there is no spiking network'],
  facts: { networks: count },
});
