import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HoldCaptured, type HoldPlaced } from '#events/billing/account.events.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { chatRequest, eventsOf } from '../end-to-end/quipu.harness.js';
import { faultsOf, SECURITY_HEADERS } from './answer-laws.js';
import { type Attacked, startAttacked } from './attacked.harness.js';
import { BODIES, CONNECTIONS, type Row, type Seen, STATUSES, USAGES } from './hostile-answers.js';
import { CHUNKS_OF_STREAMS, ENDS_OF_STREAMS, FRAMINGS } from './hostile-streams.js';
import { type HostileUpstream, startHostileUpstream } from './hostile-upstream.js';

const WHOLE = [...STATUSES, ...BODIES, ...USAGES, ...CONNECTIONS];
const STREAMS = [...FRAMINGS, ...CHUNKS_OF_STREAMS, ...ENDS_OF_STREAMS];
const ROWS = [...WHOLE, ...STREAMS];

/** Requests at a time. */
const LANES = 12;

/** Each row has a rig and a model, so that no rig goes down for another row. */
const catalogOf = (upstream: HostileUpstream): string => {
  const numbers = ROWS.keys().toArray();
  const rigs = numbers.map(
    (n) =>
      `  - { name: rig-${n}, kind: openai, base_url: '${upstream.baseUrlOf(n)}/v1',\n` +
      '      answer_timeout_ms: 1500, idle_timeout_ms: 1500 }',
  );
  const models = numbers.map(
    (n) =>
      `  - { id: hostile/${n}, upstream_id: m, owned_by: acme, rigs: [rig-${n}], context: 8192,\n` +
      '      max_output: 100, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }',
  );
  return ['rigs:', ...rigs, 'models:', ...models, ''].join('\n');
};

interface Exchange {
  readonly requestId: string | null;
  readonly outcome: string;
  /** Laws of an answer that it breaks. */
  readonly faults: readonly string[];
}

describe('a hostile upstream', () => {
  let upstream: HostileUpstream;
  let attacked: Attacked;
  let exchanges: readonly Exchange[];
  let events: readonly RecordedEvent[];

  beforeAll(async () => {
    upstream = await startHostileUpstream(ROWS.map(({ behaviour }) => behaviour));
    attacked = await startAttacked(catalogOf(upstream));
    const found: Exchange[] = [];
    const waiting = ROWS.keys();
    const lane = async (): Promise<void> => {
      for (const n of waiting) found[n] = await ask(n, n >= WHOLE.length);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    exchanges = found;
    events = await attacked.events();
  });

  afterAll(async () => {
    await attacked.close();
    await upstream.close();
  });

  const ask = async (n: number, isStream: boolean): Promise<Exchange> => {
    const response = await fetch(`${attacked.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${attacked.credentials.api_key}`,
      },
      body: JSON.stringify(chatRequest({ model: `hostile/${n}`, stream: isStream })),
    });
    const { status } = response;
    const body = await response.text();
    return {
      requestId: response.headers.get('x-request-id'),
      outcome: outcomeOf(status, body, isStream),
      faults: faultsOf(
        { status, headers: Object.fromEntries(response.headers), body },
        {
          // A status of the request's own is the upstream's; the rest is in the table.
          statuses: new Set([status]),
          serverErrors: [502, 503, 504],
          envelopes: ['openai'],
          mediaTypes: () => [isStream ? 'text/event-stream' : 'application/json'],
          headers: [...SECURITY_HEADERS, 'x-request-id'],
          isHead: false,
        },
      ),
    };
  };

  /** The account's side of a request: one hold, one end, and no charge above the hold. */
  const chargeOf = (requestId: string | null): number => {
    const [placed, ended, ...more] = eventsOf(events, requestId);
    expect(placed?.type).toBe('HoldPlaced');
    expect(ended?.type).toMatch(/^Hold(Captured|Released)$/);
    expect(more).toEqual([]);
    if (ended?.type !== 'HoldCaptured') return 0;
    const { amountMicroUsd: held } = placed?.data as HoldPlaced['data'];
    const { amountMicroUsd: charged } = ended.data as HoldCaptured['data'];
    expect(Number(charged)).toBeLessThanOrEqual(Number(held));
    return Number(charged);
  };

  const tables: readonly (readonly [string, readonly Row[]])[] = [
    ['a status', STATUSES],
    ['a body', BODIES],
    ['a usage', USAGES],
    ['a connection', CONNECTIONS],
    ['a framing of a stream', FRAMINGS],
    ['a chunk of a stream', CHUNKS_OF_STREAMS],
    ['an end of a stream', ENDS_OF_STREAMS],
  ];

  describe.each(tables)('sends %s', (_, rows) => {
    it.each(rows)('$what → $outcome, $charged', ({ outcome, charged, behaviour }) => {
      const exchange = exchanges[ROWS.findIndex((one) => one.behaviour === behaviour)];
      const seen: Seen = {
        outcome: exchange?.outcome ?? 'nothing',
        charged: chargeOf(exchange?.requestId ?? null),
      };
      expect(seen).toEqual({ outcome, charged });
      expect(exchange?.faults).toEqual([]);
    });
  });

  it('leaves the process ready, every hold closed and the ledger balanced', async () => {
    expect(await attacked.wounds()).toEqual([]);
  });
});

interface Failed {
  readonly error?: { readonly code: string };
}

/** `200`, `502 upstream_failed`, `200 done`, `200 upstream_broke_off`. */
const outcomeOf = (status: number, body: string, isStream: boolean): string => {
  if (status !== 200) return `${status} ${(JSON.parse(body) as Failed).error?.code ?? ''}`;
  if (!isStream) return (JSON.parse(body) as Failed).error ? '200 with an error' : '200';
  const data = body
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice('data: '.length));
  if (data.at(-1) === '[DONE]' && data.indexOf('[DONE]') === data.length - 1) {
    const isBroken = data.some((one) => one.startsWith('{"error"'));
    if (!isBroken) return '200 done';
  }
  const failed = data.find((one) => one.startsWith('{"error"'));
  return `200 ${failed ? ((JSON.parse(failed) as Failed).error?.code ?? '') : 'cut'}`;
};
