import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { storedModels } from './model-store.js';
import { SpikingRunner } from './spiking-runner.js';
import { type SpikingEnd } from './spiking.protocol.js';

const MODELS = [fileURLToPath(new URL('../../../models', import.meta.url))];
const CARDS = (await storedModels(MODELS)).map(({ card }) => card);

describe('a batch of one network', () => {
  const [together, alone] = [new SpikingRunner(MODELS), new SpikingRunner(MODELS)];
  const untimed = (end: SpikingEnd): SpikingEnd => ({ ...end, latencyMs: 0 });

  it('counts and answers each input as a run of its own does, beside any others', async () => {
    const network = fc.constantFrom(...CARDS).chain((card) =>
      fc.record({
        slug: fc.constant(card.slug),
        timesteps: fc.integer({ min: 1, max: 6 }),
        neuron: fc.constantFrom(null, ...card.neuronModels),
        inputs: fc.array(
          fc.oneof(
            fc.string({ minLength: 1, maxLength: 40 }),
            fc.constant(card.exampleInput),
            // No network reads six axes.
            fc.constant([[[[[[1]]]]]]),
          ),
          { minLength: 2, maxLength: 4 },
        ),
      }),
    );
    await fc.assert(
      fc.asyncProperty(network, async ({ inputs, ...options }) => {
        const outcomes = await together.runMany({ ...options, inputs });
        expect(outcomes).toHaveLength(inputs.length);
        for (const [place, inputData] of inputs.entries()) {
          const outcome = outcomes[place];
          const own = alone.run({ ...options, inputData, raster: false, session: null });
          if (outcome !== undefined && 'end' in outcome) {
            expect(untimed(outcome.end)).toEqual(untimed(await own));
          } else {
            await expect(own).rejects.toMatchObject({ message: outcome?.rejection });
          }
        }
      }),
      { numRuns: 40, seed: 17 },
    );
  });
});
