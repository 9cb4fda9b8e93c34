import { describe, expect, it } from '@jest/globals';
import { energyReport } from './energy-report.js';
import { countsOf } from './run-counts.js';
import { card, run } from './spiking-world.fixture.js';
import { statementOf } from './statement.js';

const energy = energyReport(countsOf(run()), 480);

describe('the statement of a run', () => {
  it('says what was classified, counted and modelled', () => {
    expect(statementOf({ card, run: run(), energy })).toBe(
      'Knots (snnlib/knots) classified the input as "code" with a confidence of 75.0 % ' +
        '(read-out: prompt-domains). Counted over 8 timesteps with LIFNode: 6 spikes of 4 ' +
        'neurons, 30 synaptic events, 120 multiply-accumulates. Modelled compute energy: ' +
        '5.82e-10 J, -15.7 % against the same network without spikes in 32-bit floats, ' +
        '+1586.1 % in 8-bit integers.',
    );
  });

  it('says what a network that acts would do', () => {
    const actions = [
      { action: 'push-left', probability: 0.25 },
      { action: 'push-right', probability: 0.75 },
    ];
    const classification = { topClass: 'push-right', confidence: 0.75, domain: 'cart-pole' };
    const acted = { ...run(), classification, policy: { actions, value: 61.26 } };
    expect(statementOf({ card, run: acted, energy })).toMatch(
      /"push-right" with a probability of 75\.0 %.+ expects a discounted return of 61\.3\. Counted/,
    );
  });

  it('is the continuation of a language model', () => {
    const model = { ...card, routingMode: 'hybrid_linear_rwkv' as const };
    expect(statementOf({ card: model, run: run(), energy })).toBe('a sentence');
  });
});
