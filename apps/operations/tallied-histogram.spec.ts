import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AggregatorRegistry, Histogram, Registry } from 'prom-client';
import { TalliedHistogram } from './tallied-histogram.js';

const description = {
  name: 'knots',
  help: 'Knots of a cord.',
  labelNames: ['cord', 'colour'],
  buckets: [0.5, 1, 64],
};

const registries = () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const tallied = new TalliedHistogram({ ...description, registers: [ours] });
  const reference = new Histogram({ ...description, registers: [theirs] });
  return { ours, theirs, tallied, reference };
};

describe('a tallied histogram', () => {
  it('has the text and the values of the package’s own', async () => {
    const value = fc.oneof(
      fc.constantFrom(0, 0.5, 1, 64, 65),
      fc.double({ noNaN: true, min: -9, max: 99 }),
    );
    const label = fc.constantFrom('a', 'b"\n', '');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(label, label, value)), async (observations) => {
        const { ours, theirs, tallied, reference } = registries();
        for (const [cord, colour, knots] of observations) {
          tallied.labels(cord, colour).observe(knots);
          reference.labels(cord, colour).observe(knots);
        }
        expect(await ours.metrics()).toBe(await theirs.metrics());
        expect(await theirs.getMetricsAsJSON()).toMatchObject(await ours.getMetricsAsJSON());
      }),
    );
  });

  it('is added up over the processes of one port', async () => {
    const of = async (knots: number) => {
      const { ours, tallied } = registries();
      tallied.labels('a', 'red').observe(knots);
      return ours.getMetricsAsJSON();
    };
    const text = await AggregatorRegistry.aggregate([await of(1), await of(2)]).metrics();
    expect(text).toContain('knots_sum{cord="a",colour="red"} 3');
    expect(text).toContain('knots_bucket{le="1",cord="a",colour="red"} 1');
  });

  it('is empty after a reset', async () => {
    const { ours, tallied } = registries();
    tallied.labels('a', 'red').observe(1);
    ours.resetMetrics();
    expect(await ours.metrics()).not.toContain('red');
  });
});
