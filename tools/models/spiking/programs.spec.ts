/** Every network runs from its card and its weights alone, as its engine runs it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { readoutOf } from '#engines/spiking/heads.js';
import { storedModels, weightsOf } from '#engines/spiking/model-store.js';
import { runMetered } from '#engines/spiking/run.js';
import { drawInputs } from './examples.js';
import { PLANS } from './plan.js';
import { type Program, runProgram } from './program.interpreter.fixture.js';

const MODELS = fileURLToPath(new URL('../../../models', import.meta.url));
const HEADS = ['native', 'text'] as const;

interface Card {
  readonly name: string;
  readonly programs: Readonly<Record<(typeof HEADS)[number], Program>>;
}

type Header = Readonly<
  Record<string, { readonly shape: number[]; readonly data_offsets: readonly [number, number] }>
>;

/** A file of safetensors: the length of a JSON header, the header, and 32-bit floats. */
const tensorsIn = (file: string) => {
  const bytes = readFileSync(file);
  const start = 8 + Number(bytes.readBigUInt64LE(0));
  const { __metadata__: _, ...header } = JSON.parse(bytes.toString('utf8', 8, start)) as Header;
  return new Map(
    Object.entries(header).map(
      ([
        name,
        {
          shape,
          data_offsets: [from, to],
        },
      ]) => {
        const values = new Float32Array(
          bytes.buffer.slice(bytes.byteOffset + start + from, bytes.byteOffset + start + to),
        );
        return [name, { shape, values }] as const;
      },
    ),
  );
};

const furthest = (one: ArrayLike<number>, other: ArrayLike<number>): number =>
  Array.from(one).reduce((most, value, at) => {
    return Math.max(most, Math.abs(value - (other[at] ?? NaN)));
  }, 0);

const names = PLANS.map(({ architecture }) => architecture.name);

describe('a network from its card and its weights alone', () => {
  it.each(names)('gives the logits of its examples: %s', (name) => {
    const folder = path.join(MODELS, 'spiking', name);
    const card = JSON.parse(readFileSync(path.join(folder, 'card.json'), 'utf8')) as Card;
    const weights = tensorsIn(path.join(folder, 'model.safetensors'));
    for (const head of HEADS) {
      const { example } = card.programs[head];
      const logits = runProgram(card.programs[head], weights);
      expect(logits).toHaveLength(example.logits.length);
      expect([head, furthest(logits, example.logits)]).toEqual([head, expect.closeTo(0, 3)]);
    }
  });

  it('runs as its engine runs it, for another input', async () => {
    for (const model of await storedModels([MODELS])) {
      const { card } = model;
      const plan = PLANS.find(({ architecture }) => architecture.name === card.name);
      if (plan === undefined) throw new Error(`${card.name} has no plan`);
      const weights = await weightsOf(model);
      const { architecture, steps, seed } = plan;
      for (const head of HEADS) {
        const [x] = drawInputs(plan, head, 'held-out', seed + 7, 1);
        if (x === undefined) throw new Error('the task gives no example');
        const readout = readoutOf(head, card.native.classes.length);
        const neuron = architecture.neuron.model;
        const options = { weights, steps, neuron, exhaustive: true };
        const { logits } = runMetered(architecture, x, readout, options);
        const ran = runProgram(card.programs[head], weights, [...x.values]);
        const difference = furthest(ran, logits);
        expect([card.name, head, difference]).toEqual([card.name, head, expect.closeTo(0, 3)]);
      }
    }
  });
});
