/** What each architecture promises by construction, whatever its weights. */
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import * as tf from '@tensorflow/tfjs-core';
import { SLICE_DIMENSIONS } from '#engines/spiking/encoders/text.encoder.js';
import { readoutOf } from '#engines/spiking/heads.js';
import { storedModels, weightsOf as readWeights } from '#engines/spiking/model-store.js';
import { type Architecture } from '#engines/spiking/model.js';
import { cfcCell } from '#engines/spiking/models/closed-form-continuous.model.js';
import { SYMBOLS, symbolRows } from '#engines/spiking/models/byte-symbols.js';
import {
  linearAttentionRwkv,
  rwkvForward,
} from '#engines/spiking/models/linear-attention-rwkv.model.js';
import { PREDICATES, RULES, satisfactions } from '#engines/spiking/models/logic.rules.js';
import { modernHopfield } from '#engines/spiking/models/modern-hopfield.model.js';
import { patternAnnSnn } from '#engines/spiking/models/pattern-ann-snn.model.js';
import { expectedTemperature } from '#engines/spiking/models/physics-informed-pinn.model.js';
import { spikeDrivenAttention } from '#engines/spiking/models/pattern-spiking-transformer.model.js';
import { parallelAttention, recurrentAttention } from '#engines/spiking/models/rwkv.attention.js';
import { egnnLayer, se3EquivariantGnn } from '#engines/spiking/models/se3-equivariant-gnn.model.js';
import { spatioTemporalGnn } from '#engines/spiking/models/spatio-temporal-gnn.model.js';
import { spikingDiffusion } from '#engines/spiking/models/spiking-diffusion.model.js';
import { DEFAULT_NEURON } from '#engines/spiking/neurons/neuron.js';
import { MeteredOperations } from '#engines/spiking/operations/metered.operations.js';
import { sizeOf, tensorOf, type DataTensor } from '#engines/spiking/operations/tensor.js';
import { continueText, runMetered, type RunResult } from '#engines/spiking/run.js';
import { Meter } from '#engines/spiking/telemetry/meter.js';
import { type NamedTensors } from '#platform/safetensors/safetensors.js';
import { seededRandom, type SeededRandom } from '#engines/training/seeded-random.js';
import { accuracyOf, answersOf } from './evaluation.js';
import { startSpikingTraining } from './network.trainer.js';
import { ParameterStore } from './parameter.store.js';
import { temperature } from './tasks/heat.task.js';
import { glyphs } from './tasks/glyphs.task.js';
import { prose } from './tasks/prose.js';
import { randomRotation, solids, transformed } from './tasks/solids.task.js';
import { spectra } from './tasks/spectra.task.js';
import { traffic } from './tasks/traffic.task.js';
import { TrainingOperations } from './training.operations.js';

const CLASSES = 5;
const neuron = { ...DEFAULT_NEURON, surrogate: 'atan', detachReset: true } as const;

/** Weights as training starts from them, for what `build` uses. */
const drawnWeights = (build: (ops: TrainingOperations) => tf.Tensor): NamedTensors => {
  const parameters = new ParameterStore(77);
  tf.tidy(() => build(new TrainingOperations({ parameters, steps: 4, neuron })));
  const weights = parameters.weights();
  parameters.dispose();
  return weights;
};

const weightsOf = (architecture: Architecture, classes = CLASSES): NamedTensors =>
  drawnWeights((ops) => {
    const x = tf.zeros([1, 1, ...architecture.input.shape]);
    return architecture.forward<tf.Tensor>(ops, x, readoutOf('native', classes));
  });

const MODELS = fileURLToPath(new URL('../../../models', import.meta.url));

const trainedWeights = async (name: string): Promise<NamedTensors> => {
  const stored = (await storedModels([MODELS])).find(({ card }) => card.name === name);
  if (stored === undefined) throw new Error(`${name} is not trained`);
  return readWeights(stored);
};

const metered = (weights: NamedTensors, meter = new Meter(), steps = 4): MeteredOperations =>
  new MeteredOperations({
    weights,
    steps,
    sequential: false,
    neuron: DEFAULT_NEURON,
    meter,
    membranes: new Map(),
    exhaustive: false,
    notes: new Map(),
    raster: null,
  });

const normal = (random: SeededRandom, shape: readonly number[]): DataTensor =>
  tensorOf(
    Float32Array.from({ length: sizeOf(shape) }, () => random.normal()),
    shape,
  );

const run = (
  architecture: Architecture,
  weights: NamedTensors,
  values: Float32Array,
  classes = CLASSES,
): RunResult => {
  const x = tensorOf(values, [1, 1, ...architecture.input.shape]);
  const { model } = architecture.neuron;
  const options = { weights, steps: 8, neuron: model, raster: true };
  return runMetered(architecture, x, readoutOf('native', classes), options);
};

const furthest = (one: Float32Array, other: Float32Array): number =>
  one.reduce((most, value, at) => Math.max(most, Math.abs(value - (other[at] ?? NaN))), 0);

beforeAll(startSpikingTraining);

describe('SE(3)-equivariant GNN', () => {
  const random = seededRandom(31);
  const rotation = randomRotation(random);
  const shift = [3, -2, 5] as const;

  it('gives the same logits and spikes for points that are turned and moved', async () => {
    const weights = await trainedWeights('se3-equivariant-gnn');
    for (let drawn = 0; drawn < 4; drawn += 1) {
      const { input } = solids.draw(random);
      const still = run(se3EquivariantGnn, weights, input);
      const moved = run(se3EquivariantGnn, weights, transformed(input, rotation, shift));
      expect(furthest(still.logits, moved.logits)).toBeLessThan(1e-5);
      expect(moved.raster).toBe(still.raster);
      expect(still.raster).toContain('|');
    }
  });

  it('moves points by its messages, and these moves turn with the points', () => {
    const blank = (): Float32Array => new Float32Array(24 * 16);
    const layer = (ops: TrainingOperations, places: tf.Tensor): tf.Tensor =>
      egnnLayer<tf.Tensor>(ops, 'one', { places, scalars: tf.tensor(blank(), [1, 1, 24, 16]) })
        .places;
    const weights = drawnWeights((ops) => layer(ops, tf.zeros([1, 1, 24, 3])));
    const movedBy = (points: Float32Array): Float32Array =>
      egnnLayer(metered(weights), 'one', {
        places: tensorOf(points, [1, 1, 24, 3]),
        scalars: tensorOf(blank(), [1, 1, 24, 16]),
      }).places.values;
    const { input } = solids.draw(random);
    const after = movedBy(input);
    expect(furthest(after, input)).toBeGreaterThan(0.01);
    const turned = movedBy(transformed(input, rotation, shift));
    expect(furthest(turned, transformed(after, rotation, shift))).toBeLessThan(1e-5);
  });
});

describe('spatio-temporal GNN', () => {
  it('needs what arrives by road', async () => {
    const weights = await trainedWeights('spatio-temporal-gnn');
    const roadless = new Map(
      [...weights].map(([name, { shape, values }]) => [
        name,
        { shape, values: name.includes('around') ? new Float32Array(values.length) : values },
      ]),
    );
    const plan = { architecture: spatioTemporalGnn, task: traffic, steps: 8, seed: 3 };
    const scoreOf = (given: NamedTensors): number =>
      accuracyOf(answersOf(plan, 'native', given, 'LIFNode', 60));
    expect(scoreOf(roadless)).toBeLessThan(scoreOf(weights) - 0.2);
  });
});

describe('modern Hopfield', () => {
  it('never raises its energy, and lowers it', () => {
    const random = seededRandom(8);
    const weights = weightsOf(modernHopfield, 8);
    for (let drawn = 0; drawn < 20; drawn += 1) {
      const { notes } = run(modernHopfield, weights, glyphs.draw(random).input, 8);
      const energies = notes.get('energies') ?? [];
      expect(energies.length).toBeGreaterThan(2);
      energies.slice(1).forEach((energy, at) => {
        expect(energy).toBeLessThanOrEqual((energies[at] ?? 0) + 1e-6);
      });
      expect(energies.at(-1)).toBeLessThan((energies[0] ?? 0) - 0.01);
    }
  });
});

describe('RWKV', () => {
  it.each(['native', 'text'] as const)('is the same in both forms on the %s head', async (head) => {
    const weights = await trainedWeights('linear-attention-rwkv');
    const readout = readoutOf(head, SYMBOLS.length);
    const width = head === 'native' ? SYMBOLS.length : SLICE_DIMENSIONS;
    const random = seededRandom(19);
    const x = tensorOf(new Float32Array(12 * width), [12, 1, width], 'binary');
    for (let step = 0; step < 12; step += 1) x.values[step * width + random.below(width)] = 1;
    const logits = (attend: typeof recurrentAttention): Float32Array =>
      rwkvForward(metered(weights), x, readout, attend).values;
    const stepwise = logits(recurrentAttention);
    expect(furthest(logits(parallelAttention), stepwise)).toBeLessThan(1e-3);
    expect(furthest(stepwise, new Float32Array(stepwise.length))).toBeGreaterThan(0.5);
  });

  it('attends in parallel as it does step by step', () => {
    const random = seededRandom(12);
    const shape = [9, 2, 6];
    const [keys, values] = [normal(random, shape), normal(random, shape)];
    const weights = drawnWeights((ops) => {
      const blank = tf.zeros([1, 1, 6]);
      return recurrentAttention<tf.Tensor>(ops, 'one', blank, blank);
    });
    const stepwise = recurrentAttention(metered(weights), 'one', keys, values);
    const parallel = parallelAttention(metered(weights), 'one', keys, values);
    expect(parallel.shape).toEqual(stepwise.shape);
    expect(furthest(parallel.values, stepwise.values)).toBeLessThan(1e-5);
  });

  it('survives keys whose exponentials overflow', () => {
    const weights = drawnWeights((ops) => {
      const blank = tf.zeros([1, 1, 6]);
      return recurrentAttention<tf.Tensor>(ops, 'one', blank, blank);
    });
    const keys = tensorOf(new Float32Array(12).fill(200), [2, 1, 6]);
    const values = tensorOf(new Float32Array(12).fill(0.5), [2, 1, 6]);
    const means = recurrentAttention(metered(weights), 'one', keys, values).values;
    expect(furthest(means, new Float32Array(12).fill(0.5))).toBeLessThan(1e-5);
  });
});

describe('a text that RWKV continues', () => {
  const classes = SYMBOLS.length;
  const options = { steps: 3, neuron: 'LIFNode' } as const;
  const rowsOf = (text: string): DataTensor =>
    tensorOf(symbolRows(new TextEncoder().encode(text)), [text.length, 1, classes], 'binary');
  const read = (text: string, weights: NamedTensors, membranes: Map<string, Float32Array>) => {
    const readout = readoutOf('native', classes);
    const given = { ...options, weights, membranes };
    return runMetered(linearAttentionRwkv, rowsOf(text), readout, given).logits;
  };

  it('is read in parts as it is read at once, from the state that a run leaves', () => {
    // Weights large enough for the neurons to fire.
    const weights = new Map(
      [...weightsOf(linearAttentionRwkv, classes)].map(([name, { shape, values }]) => [
        name,
        { shape, values: name.endsWith('weight') ? values.map((value) => 4 * value) : values },
      ]),
    );
    const whole = read('the log', weights, new Map());
    const membranes = new Map<string, Float32Array>();
    read('the', weights, membranes);
    read(' lo', weights, membranes);
    expect(furthest(read('g', weights, membranes), whole)).toBeLessThan(1e-5);
    expect(furthest(read('g', weights, new Map()), whole)).toBeGreaterThan(1e-2);
  });

  it('goes on in words of the prose that was learnt', async () => {
    const weights = await trainedWeights('linear-attention-rwkv');
    const { continuation } = linearAttentionRwkv;
    if (continuation === undefined) throw new Error('RWKV continues nothing');
    const wordsOf = (text: string): readonly string[] => text.match(/[A-Za-z]{3,}/g) ?? [];
    const learnt = new TextDecoder().decode(prose('training', seededRandom(5), 40_000));
    const known = new Set(wordsOf(learnt));
    const written = ['The ledger ', 'Quipu is ', 'A rig ', 'The price of '].flatMap((text) => {
      const given = { weights, neuron: 'LIFNode' } as const;
      const added = continueText(linearAttentionRwkv, continuation, text, classes, given);
      // The last word may be cut.
      return wordsOf(added).slice(0, -1);
    });
    expect(new Set(written).size).toBeGreaterThan(8);
    const right = written.filter((word) => known.has(word));
    expect(right.length / written.length).toBeGreaterThan(0.7);
  });

  it('grows by as many bytes as declared, all counted', () => {
    const weights = weightsOf(linearAttentionRwkv, classes);
    const { continuation } = linearAttentionRwkv;
    if (continuation === undefined) throw new Error('RWKV continues nothing');
    const meter = new Meter();
    const given = { weights, neuron: 'LIFNode', meter } as const;
    const added = continueText(linearAttentionRwkv, continuation, 'The log', classes, given);
    expect(added).toHaveLength(continuation.length);
    const [embedding] = meter.layers.filter(({ name }) => name === 'embedding');
    // One synaptic event for each channel and byte; the last byte that is added is not read.
    expect(embedding?.synapticEvents).toBe(64 * (7 + continuation.length - 1));
  });
});

describe('closed-form continuous cell', () => {
  it('moves every unit one way as time passes, between two bounds', () => {
    const random = seededRandom(6);
    const cell = (ops: TrainingOperations): tf.Tensor =>
      cfcCell<tf.Tensor>(ops, tf.zeros([1, 1, 8]), tf.zeros([1, 1, 24]), tf.zeros([1, 1, 1]));
    const weights = drawnWeights(cell);
    const [x, state] = [normal(random, [1, 1, 8]), normal(random, [1, 1, 24])];
    const after = [0, 0.5, 1, 2, 4, 8].map(
      (elapsed) =>
        cfcCell(metered(weights), x, state, tensorOf(Float32Array.of(elapsed), [1, 1, 1])).values,
    );
    for (let unit = 0; unit < 24; unit += 1) {
      const path = after.map((states) => states[unit] ?? NaN);
      const moves = path.slice(1).map((value, at) => Math.sign(value - (path[at] ?? NaN)));
      expect(new Set(moves.filter((move) => move !== 0)).size).toBe(1);
      expect(Math.max(...path.map(Math.abs))).toBeLessThan(1);
    }
  });
});

describe('spike-driven attention', () => {
  it('multiplies nothing but membranes', () => {
    const random = seededRandom(4);
    const shape = [4, 1, 16, 32];
    const spikes = Float32Array.from({ length: sizeOf(shape) }, () => +(random.next() < 0.3));
    const weights = drawnWeights((ops) =>
      spikeDrivenAttention<tf.Tensor>(ops, tf.zeros([1, 1, 16, 32])),
    );
    const meter = new Meter();
    const attended = spikeDrivenAttention(
      metered(weights, meter),
      tensorOf(spikes, shape, 'binary'),
    );
    const total = (key: 'macs' | 'neuronSteps' | 'synapticEvents'): number =>
      meter.layers.reduce((sum, layer) => sum + layer[key], 0);
    expect(total('macs')).toBe(total('neuronSteps'));
    expect(total('synapticEvents')).toBe(3 * 32 * spikes.reduce((sum, spike) => sum + spike, 0));
    expect(attended.code).toBe('binary');
    expect(new Set(attended.values)).toEqual(new Set([0, 1]));
  });
});

describe('logic tensor network', () => {
  it('judges rules as classical logic does wherever truth is 0 or 1', () => {
    const worlds = 2 ** PREDICATES.length;
    const truths = Float32Array.from({ length: worlds * PREDICATES.length }, (_, at) => {
      return (Math.floor(at / PREDICATES.length) >> (at % PREDICATES.length)) & 1;
    });
    const judged = satisfactions(
      metered(new Map()),
      tensorOf(truths, [1, worlds, PREDICATES.length]),
    );
    const crisp = Array.from({ length: worlds }, (_, world) => {
      const holds = (name: (typeof PREDICATES)[number]): boolean =>
        ((world >> PREDICATES.indexOf(name)) & 1) === 1;
      return RULES.map((rule) => +(!holds(rule.if) || holds(rule.then) !== rule.not));
    });
    expect([...judged.values]).toEqual(crisp.flat());
  });
});

describe('early exit', () => {
  it('uses fewer steps than it may, and all of them where it must', async () => {
    const weights = await trainedWeights('pattern-ann-snn');
    const random = seededRandom(15);
    const inputs = Array.from({ length: 10 }, () => spectra.draw(random).input);
    const used = (exhaustive: boolean): readonly number[] =>
      inputs.map((values) => {
        const x = tensorOf(values, [1, 1, 32]);
        const options = { weights, steps: 32, neuron: 'LIFNode', exhaustive } as const;
        const { notes } = runMetered(patternAnnSnn, x, readoutOf('native', 6), options);
        return notes.get('steps')?.[0] ?? NaN;
      });
    expect(new Set(used(true))).toEqual(new Set([32]));
    expect(Math.max(...used(false))).toBeLessThan(32);
  });
});

describe('physics-informed network', () => {
  it('is within 3 % of the analytic solution, which it was never shown', async () => {
    const weights = await trainedWeights('physics-informed-pinn');
    const points = Array.from({ length: 21 * 21 }, (_, at) => [
      Math.floor(at / 21) / 20,
      (at % 21) / 20,
    ]);
    const where = tensorOf(Float32Array.from(points.flat()), [1, points.length, 2]);
    const expected = expectedTemperature(metered(weights), where).values;
    const exact = points.map(([x = 0, t = 0]) => temperature(x, t));
    const square = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value * value, 0);
    const error = square(exact.map((value, at) => value - (expected[at] ?? NaN)));
    expect(Math.sqrt(error / square(exact))).toBeLessThan(0.03);
  });
});

describe('spiking diffusion', () => {
  it('starts each level and each run with neurons at rest', () => {
    const weights = weightsOf(spikingDiffusion);
    const { values } = normal(seededRandom(2), [64]);
    const membranes = new Map<string, Float32Array>();
    const once = (): Float32Array =>
      runMetered(spikingDiffusion, tensorOf(values, [1, 1, 8, 8]), readoutOf('native', CLASSES), {
        weights,
        steps: 4,
        neuron: 'LIFNode',
        membranes,
      }).logits;
    expect(once()).toEqual(once());
  });
});
