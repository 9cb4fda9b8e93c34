import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Clock } from '#platform/kernel/clock.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { engineHost } from '#platform/tasks/counting.engine.fake.js';
import { type AnyEngineDefinition, type EngineDefinition } from '#platform/tasks/engine.js';
import { createLocalTasks } from '#platform/tasks/local-tasks.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { HostEnergy } from './host-energy.js';
import { type InferenceOrder, InferSpikesHandler } from './infer-spikes.handler.js';
import { type ModelCard } from './model-card.js';
import {
  type OpenNetworks,
  type SpikingEnd,
  spikingEngineWith,
  type SpikingOutcome,
} from './spiking.engine.js';
import { SpikingAdmission } from './spiking-admission.js';
import { SpikingModels } from './spiking-models.js';
import { SpikingRunner } from './spiking-runner.js';

export const NOW = '2026-11-22T15:00:00.000Z';
export const REQUEST_ID = '01890a5d-ac96-774b-bcce-b302099a8057';
export const WEIGHTS = 'a1'.repeat(32);

const head = {
  task: 'knots',
  description: 'A cord; the class is its knot.',
  classes: ['long', 'single'],
  accuracy: 0.9,
  calibrationError: 0.01,
  baseline: { name: 'always the most frequent class', accuracy: 0.5 },
  heldOutExamples: 100,
};

export const card: ModelCard = {
  slug: 'snnlib/knots',
  displayName: 'Knots',
  routingMode: 'hybrid_cnn',
  architecture: 'two layers',
  neuronModels: ['LIFNode', 'PLIFNode'],
  parameters: 12,
  native: head,
  text: head,
  domains: ['code', 'chat'],
  inputShape: [2],
  inputKind: 'static',
  exampleInput: [0, 1],
  weightsSha256: WEIGHTS,
  bounds: { macs: 100, macsPerTimestep: 10, synapticEvents: 5, synapticEventsPerTimestep: 20 },
};

export const run = (counts: Partial<SpikingEnd['counts']> = {}): SpikingEnd => ({
  slug: card.slug,
  neuron: 'LIFNode',
  timesteps: 8,
  classification: { topClass: 'code', confidence: 0.75, domain: 'prompt-domains' },
  policy: null,
  counts: {
    neurons: 4,
    spikes: 6,
    synapticEvents: 30,
    macs: 120,
    acs: 33,
    quiescentNeurons: 1,
    firingRate: 6 / 32,
    activationSparsityPct: 100 * (1 - 6 / 32),
    denseSparsityPct: null,
    layers: [],
    ann: { macs: 150, acs: 0 },
    ...counts,
  },
  latencyMs: 1.5,
  hybrid: { front_end: 'none' },
  raster: null,
  completion: 'a sentence',
  sessionRuns: 0,
  weightsSha256: WEIGHTS,
  meterVersion: 1,
});

/** The engine's errors have a code. */
export const engineError = (code: string): Error =>
  Object.assign(new Error(`it is ${code}`), { code });

/** A folder of models with these cards. */
export const folderOf = async (cards: Readonly<Record<string, unknown>>): Promise<string> => {
  const root = await mkdtemp(path.join(tmpdir(), 'quipu-spiking-'));
  for (const [name, written] of Object.entries(cards)) {
    const folder = path.join(root, 'spiking', name);
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'card.json'), JSON.stringify(written));
  }
  return root;
};

export const settings = { gridGramsPerKwh: 480, runMsMax: 1_000, modelFolders: [] };

export const prices = {
  inForce: () => ({
    rateCardVersion: 3,
    prices: new Map([
      ['synaptic_events', { unitPriceMicroUsd: '2', perUnits: 1 }],
      ['macs', { unitPriceMicroUsd: '3', perUnits: 1 }],
    ]),
  }),
};

/** Runs every task on the scripted networks, through the checks of the real declaration. */
class ScriptedTasks extends Tasks {
  override readonly seesLocalFiles = true;
  readonly #host = createLocalTasks(engineHost('in-process', 'spec'));
  readonly #engine: AnyEngineDefinition;

  constructor(networks: OpenNetworks) {
    super();
    this.#engine = spikingEngineWith(() => Promise.resolve(networks));
  }

  override run<Input, Piece, End>(
    _definition: EngineDefinition<Input, Piece, End>,
    input: Input,
    signal: AbortSignal,
  ): AsyncGenerator<Piece, End | null, void> {
    return this.#host.run(this.#engine as EngineDefinition<Input, Piece, End>, input, signal);
  }
}

/** A machine that spends a quarter of a joule on every run. */
class ScriptedHostEnergy extends HostEnergy {
  override start(): Promise<() => Promise<number | null>> {
    return Promise.resolve(() => Promise.resolve(0.25));
  }
}

/** Networks that answer so, one by one and in batches. */
export const scriptedNetworks = (answer: OpenNetworks['run']): OpenNetworks => ({
  run: answer,
  runMany: async ({ inputs, ...network }, signal) => {
    const outcomes: SpikingOutcome[] = [];
    for (const inputData of inputs) {
      try {
        const task = { ...network, inputData, raster: false, session: null };
        outcomes.push({ end: await answer(task, signal) });
      } catch (error) {
        if (!(error instanceof Error) || !('code' in error)) throw error;
        if (error.code !== 'input_invalid') throw error;
        outcomes.push({ rejection: error.message });
      }
    }
    return outcomes;
  },
  count: 1,
  close: () => Promise.resolve(),
});

/** The handler on a scripted engine, with the networks of a folder. */
export const handlerOn = (
  paid: PaidRequests,
  clock: Clock,
  folder: string,
  networks: Pick<OpenNetworks, 'run'>,
  priced: typeof prices | { readonly inForce: () => undefined } = prices,
): InferSpikesHandler => {
  const models = new SpikingModels({ ...settings, modelFolders: [folder] });
  const admission = new SpikingAdmission(paid, priced, settings, clock);
  const tasks = new ScriptedTasks(scriptedNetworks(networks.run));
  const runner = new SpikingRunner(tasks, new ScriptedHostEnergy());
  const hash = (text: string): string => `hash of ${text}`;
  return new InferSpikesHandler(models, admission, runner, hash, settings);
};

export const openSpiking = (
  folder: string,
  networks: Pick<OpenNetworks, 'run'>,
  priced?: Parameters<typeof handlerOn>[4],
) => {
  const ledger = new FakeLedger();
  const clock = { now: () => Date.parse(NOW) };
  const paid = new PaidRequests(ledger, { settleMsMax: 60_000 }, clock);
  return { ledger, handler: handlerOn(paid, clock, folder, networks, priced) };
};

export const orderOf = (changes: Partial<InferenceOrder> = {}): InferenceOrder => ({
  accountId: '7',
  receivedAtMs: Date.parse(NOW),
  model: card.slug,
  routingMode: null,
  input: 'a cord',
  timesteps: 8,
  neuron: null,
  raster: false,
  session: null,
  context: contextOf(REQUEST_ID, 'user:7'),
  ...changes,
});
