/** The recorded networks, run by the engine: each run is metered, as in service. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { encodeArray } from '#engines/spiking/encoders/array.encoder.js';
import { readoutOf } from '#engines/spiking/heads.js';
import { storedModels, weightsOf } from '#engines/spiking/model-store.js';
import { ARCHITECTURES } from '#engines/spiking/models/architectures.js';
import { type DataTensor } from '#engines/spiking/operations/tensor.js';
import { runMetered, type RunResult } from '#engines/spiking/run.js';
import { batchOf } from '../../tools/models/spiking/examples.js';
import { type NetworkVectors } from '../oracles/spiking/vectors.js';

const VECTORS = path.resolve('test/oracles/spiking/vectors/networks.json');
const WARM_UP_SECONDS = 0.2;

export interface Task {
  readonly network: string;
  readonly batch: number;
  readonly seconds: number;
}

export interface Timing {
  readonly secondsPerRun: number;
  /** Of all threads of the process. */
  readonly cpuSecondsPerRun: number;
  /** Row-major `[batch, classes]`. */
  readonly logits: readonly number[];
}

/** One program that runs the same networks on the same inputs. */
export interface Lane {
  readonly name: string;
  run(task: Task): Promise<Timing>;
}

const recorded = (
  JSON.parse(readFileSync(VECTORS, 'utf8')) as { networks: Record<string, NetworkVectors> }
).networks;

export const NETWORKS: readonly string[] = Object.keys(recorded);

/** The recorded native inputs, over and over. */
const inputsOf = (name: string, batch: number): { x: DataTensor; steps: number } => {
  const architecture = ARCHITECTURES.find((one) => one.name === name);
  const runs = (recorded[name]?.runs ?? []).filter(({ head }) => head === 'native');
  const steps = runs[0]?.steps ?? 0;
  if (architecture === undefined) throw new Error(`no network ${name}`);
  const examples = Array.from({ length: batch }, (_, place) => {
    const input = runs[place % runs.length]?.input ?? [];
    if (typeof input === 'string') throw new Error(`${name} has a text as a native input`);
    return { x: encodeArray(architecture, input, steps), label: 0 };
  });
  return { x: batchOf(examples).x, steps };
};

const weights = new Map(
  await Promise.all(
    (await storedModels([path.resolve('models')])).map(
      async (model) => [model.card.name, { model, values: await weightsOf(model) }] as const,
    ),
  ),
);

/** A function that runs the network once on a batch. */
export const engineRun = (name: string, batch: number): (() => RunResult) => {
  const architecture = ARCHITECTURES.find((one) => one.name === name);
  const stored = weights.get(name);
  if (architecture === undefined || stored === undefined) throw new Error(`no network ${name}`);
  const { x, steps } = inputsOf(name, batch);
  const readout = readoutOf('native', stored.model.card.native.classes.length);
  const options = { weights: stored.values, steps, neuron: architecture.neuron.model };
  return () => runMetered(architecture, x, readout, options);
};

const timed = (run: () => unknown, seconds: number): Omit<Timing, 'logits'> => {
  const [start, cpuBefore] = [performance.now(), process.cpuUsage()];
  let count = 0;
  let elapsed = 0;
  while (elapsed < seconds) {
    run();
    count += 1;
    elapsed = (performance.now() - start) / 1000;
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return { secondsPerRun: elapsed / count, cpuSecondsPerRun: (user + system) / 1e6 / count };
};

export const engineLane: Lane = {
  name: 'quipu',
  run({ network, batch, seconds }) {
    const run = engineRun(network, batch);
    timed(run, WARM_UP_SECONDS);
    return Promise.resolve({ ...timed(run, seconds), logits: [...run().logits] });
  },
};
