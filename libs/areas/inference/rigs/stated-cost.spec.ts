import { describe, expect, it } from '@jest/globals';
import { type CostSink } from './cost-sink.js';
import { sourceOf } from './json-source.js';
import { takeCost, takeCostIn } from './stated-cost.js';

const sinkAt = (...path: readonly string[]) => {
  const costs: bigint[] = [];
  const sink: CostSink = {
    field: { path, picoPerUnit: 100n },
    stated: (cost) => void costs.push(cost),
  };
  return { sink, costs };
};

describe('the cost that a rig states', () => {
  it('is taken out of an event, also of the response within it', () => {
    const { sink, costs } = sinkAt('usage', 'cost_in_usd_ticks');
    const usage = { input_tokens: 1, cost_in_usd_ticks: 49 };
    const event = { type: 'response.completed', response: { id: 'r', usage } };
    expect(JSON.parse(takeCostIn(JSON.stringify(event), sink))).toEqual({
      type: 'response.completed',
      response: { id: 'r', usage: { input_tokens: 1 } },
    });
    expect(costs).toEqual([4_900n]);
  });

  it('leaves every other text as it is, byte for byte', () => {
    const { sink } = sinkAt('billing', 'ticks');
    for (const data of ['[DONE]', '{ "choices": [],  "usage": null }', '{"text":"\\"cost\\":1"}']) {
      expect(takeCostIn(data, sink)).toBe(data);
    }
  });

  it('is not in the source that an answer keeps', () => {
    const answer = takeCost({ id: 'a', usage: { total_tokens: 1, cost: 0.5 } }, undefined);
    expect(sourceOf(answer)).toBe('{"id":"a","usage":{"total_tokens":1}}');
  });
});
