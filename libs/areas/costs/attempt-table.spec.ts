import { describe, expect, it } from '@jest/globals';
import { type ObservedAttempt, tableOf } from './attempt-table.js';
import { observedAttempt, START_MS } from './observed-attempt.fixture.js';

const attempt = (more: Partial<ObservedAttempt> = {}): ObservedAttempt =>
  observedAttempt({
    usage: { promptTokens: 10, completionTokens: 2, source: 'provider' },
    cost: { basis: 'computed', picoUsd: 1_500_000n },
    endedAtMs: START_MS + 700,
    ...more,
  });

const names = {
  model: 'acme/m',
  sent: 'm',
  rig: 'rack',
  outcome: 'answered',
  usageSource: 'provider',
  costBasis: 'computed',
};

describe('the table of attempts', () => {
  it('has their names once, and a list for each field that differs', () => {
    const other = attempt({
      account: null,
      usage: { promptTokens: 20, completionTokens: 3, source: 'provider' },
      cost: { basis: 'computed', picoUsd: 7n },
      startedAtMs: START_MS - 250,
    });
    expect(tableOf([attempt(), other])).toEqual({
      since: '2026-11-25T17:59:58.750Z',
      work: [
        {
          ...names,
          accountIds: ['7', null],
          holdIds: [null, null],
          startedMs: [250, 0],
          tookMs: [700, 950],
          inputTokens: [10, 20],
          outputTokens: [2, 3],
          picoUsd: ['1500000', '7'],
        },
      ],
    });
  });

  it.each([
    ['model', { model: 'acme/n' }],
    ['model that was sent', { sent: 'n' }],
    ['rig', { rig: 'mill' }],
    ['outcome', { outcome: 'failed' as const }],
    ['source of usage', { usage: { promptTokens: 1, completionTokens: 1, source: 'counted' } }],
    ['basis of cost', { cost: { basis: 'stated', picoUsd: 1n } }],
  ] as readonly (readonly [string, Partial<ObservedAttempt>])[])(
    'keeps attempts apart by their %s',
    (_, more) => {
      const { work } = tableOf([attempt(), attempt(more), attempt()]);
      expect(work.map(({ accountIds }) => accountIds.length)).toEqual([2, 1]);
    },
  );

  it('has no tokens and costs of attempts without', () => {
    const { work } = tableOf([attempt({ usage: null, cost: null })]);
    expect(work).toMatchObject([
      { usageSource: null, costBasis: null, inputTokens: [], outputTokens: [], picoUsd: [] },
    ]);
  });

  it('has parts and traces once an attempt has some, in the order of the attempts', () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7';
    const parts = { cache_read_tokens: 4 };
    const usage = { promptTokens: 10, completionTokens: 2, parts, source: 'provider' } as const;
    const { work } = tableOf([attempt(), attempt({ usage }), attempt({ trace }), attempt()]);
    expect(work).toMatchObject([
      { parts: [null, parts, null, null], traces: [null, null, trace, null] },
    ]);
    expect(tableOf([attempt()]).work[0]).not.toHaveProperty('parts');
  });

  it('has no attempt that ends before it starts, where a clock was set back', () => {
    expect(tableOf([attempt({ endedAtMs: START_MS - 5 })]).work).toMatchObject([{ tookMs: [0] }]);
  });

  it('cuts the name of a model that a rig would reject anyway', () => {
    expect(tableOf([attempt({ sent: 'm'.repeat(300) })]).work[0]?.sent).toHaveLength(256);
  });
});
