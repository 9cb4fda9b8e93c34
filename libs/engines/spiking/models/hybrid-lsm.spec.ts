import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { encodeArray } from '../encoders/array.encoder.js';
import { readoutOf } from '../heads.js';
import { storedModels, weightsOf } from '../model-store.js';
import { runMetered } from '../run.js';
import { hybridLsm } from './hybrid-lsm.model.js';
import { inputWeights, NEURONS, recurrentWeights } from './reservoir.wiring.js';

const MODELS = fileURLToPath(new URL('../../../../models', import.meta.url));

/** Wires of each row of `NEURONS` weights. */
const degreesOf = (weights: Float32Array): readonly number[] =>
  Array.from({ length: weights.length / NEURONS }, (_, row) => {
    const own = weights.subarray(row * NEURONS, (row + 1) * NEURONS);
    return own.filter((weight) => weight !== 0).length;
  });

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

describe('the synaptic events of the reservoir', () => {
  it('are spikes times the wires that exist', async () => {
    const model = (await storedModels([MODELS])).find(({ card }) => card.name === 'hybrid-lsm');
    if (model === undefined) throw new Error('no hybrid-lsm');
    const { exampleInput, native } = model.card;
    const x = encodeArray(hybridLsm, exampleInput, 64);
    const { layers, raster } = runMetered(
      hybridLsm,
      x,
      readoutOf('native', native.classes.length),
      {
        weights: await weightsOf(model),
        steps: 64,
        neuron: 'LIFNode',
        raster: true,
      },
    );
    const degrees = degreesOf(recurrentWeights());
    expect(sum(degrees)).toBe(1_306);
    // The spikes of the last step reach nothing any more.
    const echoes = (raster ?? '').split('\n').map((line, neuron) => {
      return (line.slice(0, -1).split('|').length - 1) * (degrees[neuron] ?? 0);
    });
    const reaches = degreesOf(inputWeights(12));
    const given = [...x.values].map((spike, at) => spike * (reaches[at % 12] ?? 0));
    const eventsOf = (name: string) => layers.find((layer) => layer.name === name)?.synapticEvents;
    expect(eventsOf('recurrent')).toBe(sum(echoes));
    expect(eventsOf('input.native')).toBe(sum(given));
    expect(sum(echoes)).toBeGreaterThan(0);
  });
});
