import { describe, expect, it } from '@jest/globals';
import { HoldCaptured, HoldExpired, HoldReleased } from '#events/billing/account.events.js';
import { RigAttemptsRecorded, type RigWork } from '#events/costs/rig-attempt.events.js';
import { type Span, spansOf } from './spans.js';

const HOLD = '0b0e7d10-3c5f-7b0e-9d5a-6a1f5c1f7a11';
const REQUEST_SPAN = '9d5a6a1f5c1f7a11';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const EVENT = '3f0d4b8e-2a1c-5d6e-8f90-123456789abc';

const origin = {
  accountId: '7',
  holdId: HOLD,
  purpose: 'chat_completion',
  placedAt: '2026-11-26T10:00:00.000Z',
  mode: 'auto',
  model: 'acme/llama-70b',
  key: '2b9ac6a26d6d9ca1',
  tags: ['project=a=b'],
};
const price = { unitPriceMicroUsd: '1', perUnits: 1 };
const captured = HoldCaptured.of({
  ...origin,
  rig: 'rack',
  lines: [
    { meter: 'input_tokens', quantity: 100, ...price },
    { meter: 'cache_read_tokens', quantity: 900, ...price },
    { meter: 'output_tokens', quantity: 40, ...price },
    { meter: 'reasoning_tokens', quantity: 2, ...price },
    { meter: 'searches', quantity: 1, ...price },
  ],
  usageSource: 'provider',
  excess: [],
  outcome: 'completed',
  evidence: {},
  capturedAt: '2026-11-26T10:00:01.250Z',
  group: 'inference',
  rateCardVersion: 1,
  amountMicroUsd: '1043',
  releasedMicroUsd: '0',
  availableMicroUsd: '0',
  bytesOut: 10,
  firstByteMs: 412,
});
const SINCE = '2026-11-26T10:00:00.000Z';
/** One attempt. */
const attempt: RigWork = {
  model: 'acme/llama-70b',
  sent: 'llama-70b',
  rig: 'rack',
  outcome: 'overloaded',
  usageSource: null,
  costBasis: null,
  accountIds: ['7'],
  holdIds: [HOLD],
  startedMs: [100],
  tookMs: [100],
  inputTokens: [],
  outputTokens: [],
  picoUsd: [],
};

const only = (spans: readonly Span[]): Span => {
  const [span, ...others] = spans;
  if (!span || others.length > 0) throw new Error(`expected one span, received ${spans.length}`);
  return span;
};
const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]));

describe('the span of a request', () => {
  it('has the tokens of both sides, the charge and the labels', () => {
    const span = only(spansOf(captured, EVENT));
    expect(span).toMatchObject({
      traceId: HOLD.replaceAll('-', ''),
      spanId: REQUEST_SPAN,
      name: 'chat acme/llama-70b',
      kind: 2,
      startTimeUnixNano: `${Date.parse(origin.placedAt)}000000`,
      endTimeUnixNano: `${Date.parse('2026-11-26T10:00:01.250Z')}000000`,
      status: { code: 0 },
    });
    expect(span).not.toHaveProperty('parentSpanId');
    expect(attributesOf(span)).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'quipu',
      'gen_ai.request.model': 'acme/llama-70b',
      'gen_ai.usage.input_tokens': '1000',
      'gen_ai.usage.output_tokens': '42',
      'gen_ai.usage.cost': 0.001043,
      'quipu.rig': 'rack',
      'quipu.outcome': 'completed',
      'quipu.first_byte_ms': '412',
      'quipu.request_id': HOLD,
      'quipu.account': '7',
      'quipu.key': '2b9ac6a26d6d9ca1',
      'quipu.product': 'chat_completion',
      'quipu.mode': 'auto',
      'quipu.tag.project': 'a=b',
    });
  });

  it('is below the span of a caller that named one', () => {
    const data = { ...captured.data, trace: `${TRACE}-${PARENT}` };
    expect(only(spansOf({ ...captured, data }, EVENT))).toMatchObject({
      traceId: TRACE,
      spanId: REQUEST_SPAN,
      parentSpanId: PARENT,
    });
  });

  it.each([
    [
      HoldReleased.of({
        ...origin,
        amountMicroUsd: '1',
        reason: 'timed_out',
        releasedAt: '2026-11-26T10:05:00.000Z',
        availableMicroUsd: '0',
      }),
      'timed_out',
    ],
    [
      HoldExpired.of({
        ...origin,
        amountMicroUsd: '1',
        expiredAt: '2026-11-26T10:05:00.000Z',
        availableMicroUsd: '0',
      }),
      'expired',
    ],
  ])('is an error without a charge: %#', (event, error) => {
    const span = only(spansOf(event, EVENT));
    expect(span.status).toEqual({ code: 2, message: error });
    expect(attributesOf(span)).toMatchObject({ 'error.type': error });
    expect(attributesOf(span)).not.toHaveProperty('gen_ai.usage.cost');
  });

  it('has no model where the work asks none', () => {
    const data = { ...captured.data, purpose: 'rental', lines: [] };
    const { model: _, ...without } = data;
    const span = only(spansOf({ ...captured, data: without }, EVENT));
    expect(span.name).toBe('rental');
    expect(attributesOf(span)).not.toHaveProperty('gen_ai.usage.input_tokens');
  });
});

describe('the span of an attempt', () => {
  const recorded = (...work: RigWork[]) =>
    RigAttemptsRecorded.of({ work, since: SINCE, lost: 0, recordedAt: SINCE });

  it('is below the span of its request, with ids of its own', () => {
    const answered: RigWork = {
      ...attempt,
      outcome: 'answered',
      usageSource: 'provider',
      costBasis: 'stated',
      inputTokens: [1_000],
      outputTokens: [42],
      picoUsd: ['123400000'],
    };
    const spans = spansOf(recorded(attempt, answered), EVENT);
    expect(spans).toEqual(spansOf(recorded(attempt, answered), EVENT));
    const [failed, last] = spans;
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(2);
    expect(failed).toMatchObject({
      traceId: HOLD.replaceAll('-', ''),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      parentSpanId: REQUEST_SPAN,
      name: 'llama-70b at rack',
      kind: 3,
      startTimeUnixNano: `${Date.parse('2026-11-26T10:00:00.100Z')}000000`,
      endTimeUnixNano: `${Date.parse('2026-11-26T10:00:00.200Z')}000000`,
      status: { code: 2, message: 'overloaded' },
    });
    expect(last && attributesOf(last)).toMatchObject({
      'gen_ai.usage.input_tokens': '1000',
      'quipu.purchase_cost_usd': 0.0001234,
      'quipu.purchase_cost_basis': 'stated',
    });
  });

  it('belongs to the trace of the caller, or to one of its own without a hold', () => {
    const both: RigWork = {
      ...attempt,
      accountIds: ['7', '7'],
      holdIds: [HOLD, null],
      startedMs: [100, 150],
      tookMs: [100, 10],
      traces: [`${TRACE}-${PARENT}`, null],
    };
    const [ofCaller, alone] = spansOf(recorded(both), EVENT);
    expect(ofCaller).toMatchObject({ traceId: TRACE, parentSpanId: REQUEST_SPAN });
    expect(alone?.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(alone).not.toHaveProperty('parentSpanId');
  });
});
