import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/kernel/domain-error.js';
import { STEP_METER } from '../workflow.product.js';
import { ESTIMATED_BYTES_MAX, FirstEstimate } from './first-estimate.js';
import { control, node, orderOf } from './workflow-run.fixture.js';

const PRICE = { unitPriceMicroUsd: '5', perUnits: 1 };
const TEXT = 'x'.repeat(1_000_000);
const nodes = Array.from({ length: 10 }, (_, n) => node(`n${n}`, [], { attemptsMax: 2 }));
const order = orderOf(...nodes, control('map', 'each'));
const texts = {
  document: {
    nodes: nodes.map(({ name }) => ({ name, parameters: { prompt: '{{ inputs.text }}' } })),
  },
  inputs: { text: TEXT },
} as never;

/** @param isPriced whether attempts have a price */
const estimateOf = (isPriced: boolean, demandFunds: () => Promise<void>) => {
  const made: unknown[] = [];
  const tools = {
    estimate: (_: string, input: unknown) => {
      made.push(input);
      const line = { meter: 'knots', quantity: 1, ...PRICE };
      return Promise.resolve({ lines: [line], rateCardVersion: 1 });
    },
  };
  const prices = { rateCardVersion: 1, prices: new Map(isPriced ? [[STEP_METER, PRICE]] : []) };
  const list = { inForce: () => prices };
  const estimate = new FirstEstimate(tools as never, list, { demandFunds } as never);
  return { made, need: estimate.of(order, texts) };
};

describe('the estimate of a run that starts', () => {
  it('has the attempts of all nodes and items, and calls up to a size of inputs', async () => {
    const { made, need } = estimateOf(true, () => Promise.resolve());
    const { lines = [] } = (await need) ?? {};
    const [steps, ...calls] = lines;
    // Ten nodes with two attempts each, and a map of 500 items.
    expect(steps).toEqual({ meter: STEP_METER, quantity: 521, ...PRICE });
    expect(calls.map(({ step }) => step)).toEqual(['n0', 'n1', 'n2', 'n3']);
    expect(made).toHaveLength(Math.floor(ESTIMATED_BYTES_MAX / TEXT.length));
  });

  it('makes no input for an account without money', async () => {
    const rejection = new DomainError('insufficient_balance');
    const { made, need } = estimateOf(true, () => Promise.reject(rejection));
    await expect(need).rejects.toBe(rejection);
    expect(made).toEqual([]);
  });

  it('asks for no money where attempts are free', async () => {
    const { need } = estimateOf(false, () => Promise.reject(new Error('asked')));
    expect((await need)?.lines).toHaveLength(4);
  });
});
