/**
 * The multiplications of the ANN baseline of every network, counted by hand: one pass for an input
 * that does not change, one for each element of a sequence.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { encodeArray } from '../encoders/array.encoder.js';
import { encodeText } from '../encoders/input.encoder.js';
import { readoutOf } from '../heads.js';
import { storedModels, weightsOf, type StoredModel } from '../model-store.js';
import { type Head } from '../model.js';
import { countsOf } from '../telemetry/counts.js';
import { runMetered, type RunResult } from '../run.js';
import { ARCHITECTURES } from './architectures.js';

const MODELS = fileURLToPath(new URL('../../../../models', import.meta.url));
const stored = await storedModels([MODELS]);

const run = async (model: StoredModel, head: Head, steps: number): Promise<RunResult> => {
  const { card } = model;
  const architecture = ARCHITECTURES.find(({ slug }) => slug === card.slug);
  if (architecture === undefined) throw new Error(`no architecture ${card.slug}`);
  const x =
    head === 'native'
      ? encodeArray(architecture, card.exampleInput, steps)
      : encodeText(architecture, 'A pension fund buys bonds.', steps);
  const weights = await weightsOf(model);
  const neuron = architecture.neuron.model;
  const readout = readoutOf(head, card.native.classes.length);
  return runMetered(architecture, x, readout, { weights, steps, neuron });
};

const annOf = ({ layers }: RunResult) => countsOf(layers, null).ann;

/** In-bounds taps along one axis of `length`: each of the ends lacks one tap of three. */
const taps = (length: number): number => 3 * length - 2;

/** The layer of se3-equivariant-gnn: 24 points, 576 pairs, 16 features, 4 bells. */
const EGNN =
  576 * 4 + // the bells of each distance
  2 * 24 * 16 * 16 + // from, to
  576 * (4 * 16 + 16 * 16 + 16) + // distance, message, pull
  576 * 3 + // differences along the pulls
  24 * 16 + // means of the sound
  24 * 32 * 16 + // update
  24 * 3; // means of the pulls

/** The block of linear-attention-rwkv, for each step; token shifts multiply by a share. */
const RWKV =
  3 * (64 + 64 * 64) + // key, value, receptance
  2 * 3 * 64 + // the state is extended twice, by three products each
  2 * 64 + // the quotient of numerator and denominator
  64 + // the gate
  64 * 64 + // out
  (64 + 64 * 128) + // wide
  (64 + 64 * 64) + // gate
  128 * 64 + // narrow
  64; // its gate

/** By network: `T` is its timesteps, `notes` what depends on the input. */
const BY_HAND: Readonly<Record<string, (T: number, notes: (name: string) => number[]) => number>> =
  {
    'closed-form-continuous': (T) => {
      const cell = 32 * 32 + 2 * 32 + 4 * 32 * 24 + 2 * 24;
      return T * (8 + cell + 24 * 48 + 48 * 4) + 4;
    },
    'continuous-neural-ode': (_, notes) => {
      const [evaluations = 0] = notes('solver');
      const field = 24 + 12 * 24 + 24 * 12;
      // Stages of 1, 2, 3, 4, 5 and 5 terms, and an error of 6.
      const attempts = ((evaluations - 1) / 6) * 26 * 12;
      // The solution is read once, at its end.
      return 2 * 12 + evaluations * field + attempts + 12 + 12 * 48 + 48 * 3;
    },
    'dvs-convnet': (T) => {
      const filter = taps(16) ** 2 * 2 * 2 + 16 * 16 * 2;
      const convolutions = (3 * 8 - 1) ** 2 * 2 * 8 + (3 * 4 - 1) ** 2 * 8 * 16;
      return T * (filter + convolutions + 256 * 64 + 64 * 6) + 6;
    },
    'dynamic-hypernetwork': () => {
      const generated = 8 * 4 + 4 * 32 + 32 + 1 + 32 * 3;
      return 6 * 32 + 2 * 8 + 32 * 48 + 48 * generated + 8 * 4 + 4 * 32 + 32 * 3;
    },
    'hybrid-cnn': () => {
      const convolutions = (3 * 8 - 1) ** 2 * 8 + (3 * 4 - 1) ** 2 * 8 * 8;
      return convolutions + 128 * 64 + 64 * 64 + 64 * 6;
    },
    'hybrid-gnn': () => {
      const rounds = 16 * 8 * 32 + 16 * 32 * 32 + 2 * 16 * 32;
      return rounds + 2 * 32 + 64 * 5;
    },
    'hybrid-kan': () => 2 * 12 + 2 * 11 * 48 + 48 * 48 + 48 * 3,
    'hybrid-lsm': (T) => {
      // 725 wires from the twelve channels, 1,306 within the reservoir.
      const substeps = 4 * T;
      return substeps * (725 + 1_306) + (substeps - 1) * 200 + 4 * 200 + 800 * 4;
    },
    'hybrid-rl': () => {
      const critic = 32 * 32 + 32 + 1;
      return 4 + 32 + critic + 32 * 32 + 32 * 2;
    },
    'hybrid-rnn': (T) => {
      const cell = (24 + 32) * 4 * 32 + 3 * 32;
      return T * (9 * 24 + cell + 32 * 64 + 64 * 5) + (T - 1) * 5;
    },
    'hybrid-ssm': (T) => {
      // Numbers of 24 states: the zero-order hold, then two and four products for each sample.
      const samples = 8 * T;
      const hold = (1 + 2 + 1 + 2 + 2 + 4) * 24;
      return hold + samples * (6 * 24 + 48 * 64 + 64 * 64 + 64 * 5) + 5;
    },
    'hybrid-vit': () => {
      const attention = 4 * 16 * 32 * 32 + 2 * 16 * 16 * 32 + 16 * 32;
      return 16 * 16 * 32 + attention + 2 * 16 * 32 * 64 + 32 + 32 * 4;
    },
    'linear-attention-rwkv': (T) => T * (96 * 64 + 2 * RWKV + 64 * 96),
    'modern-hopfield': (_, notes) => {
      const updates = notes('energies').length - 1;
      return 64 + updates * (2 * 64 * 8 + 8) + 64 * 8 + 8 + 8 * 8;
    },
    'neuro-symbolic-ltn': () => 10 * 120 + 120 + 11,
    'pattern-ann-snn': () => 32 * 48 + 48 * 48 + 48 * 32 + 32 * 6 + 6,
    'pattern-snn-ann': () => 64 + 64 * 64 + 64 + 64 * 48 + 48 * 10,
    'pattern-spiking-transformer': () => {
      const attention = 3 * 16 * 32 * 32 + 2 * 16 * 32 + 16 * 32 * 32;
      return 16 * 16 * 32 + attention + 2 * 16 * 32 * 64 + 32 * 4;
    },
    'physics-informed-pinn': () => {
      const solution = 16 * (2 * 20 + 20 * 20 + 20);
      return solution + 16 * 3 * 12 + 12 + 12 * 32 + 32 * 4;
    },
    'se3-equivariant-gnn': () => 2 * EGNN + 24 * 16 * 16 + 16 + 16 * 48 + 48 * 5,
    'spatio-temporal-gnn': (T) => {
      // Own state, messages and means of neighbours, of one feature and of eight.
      const frame = 20 * (8 + 8 + 8) + 20 * (64 + 64 + 8);
      return T * frame + 160 + 3 * 160 * 32 + 32 * 4;
    },
    'spiking-diffusion': () => {
      const denoiser = 64 * 96 + 96 * 96 + 192 + 192 * 64 + 64 * 64;
      // Each level scales the noise and the picture, and all but the last mix them again.
      return 8 * denoiser + (8 + 7) * 2 * 64 + 64 * 32 + 32 * 5;
    },
    'spiking-resnet50': () => {
      // The kernel of five reaches over the edge at the first of four places only.
      const stem = (3 + 5 + 5 + 5) ** 2 * 24;
      return stem + 6 * taps(4) ** 2 * 24 * 24 + (4 + 1) * 24 + 24 * 8;
    },
  };

describe('the ANN baseline', () => {
  it('is counted by hand for every network', () => {
    expect(Object.keys(BY_HAND)).toEqual(stored.map(({ card }) => card.name));
    expect(stored).toHaveLength(23);
  });

  it.each(stored.map((model) => [model.card.name, model] as const))(
    'of %s has the multiplications of the count by hand',
    async (name, model) => {
      const { timesteps, inputKind } = model.card;
      for (const steps of inputKind === 'static' ? [1, 8, 64] : [timesteps]) {
        const result = await run(model, 'native', steps);
        const expected = BY_HAND[name]?.(steps, (note) => [...(result.notes.get(note) ?? [])]);
        expect([steps, annOf(result).macs]).toEqual([steps, expected]);
      }
    },
  );

  const constant = stored.filter(({ card }) => card.inputKind === 'static');
  it.each(constant.map((model) => [model.card.name, model] as const))(
    'of %s is one pass, whatever the timesteps',
    async (_, model) => {
      for (const head of ['native', 'text'] as const) {
        const one = annOf(await run(model, head, 1));
        for (const steps of [2, 8, 64]) {
          expect(annOf(await run(model, head, steps))).toEqual(one);
        }
      }
    },
  );
});
