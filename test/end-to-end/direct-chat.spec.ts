import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json, type Script } from '#areas/inference/rigs/upstream.fake.js';
import {
  answering,
  chatRequest,
  scriptedCatalog,
  startWorld,
  type World,
} from './quipu.harness.js';

const BODY_LIMIT = 4_096;
const DEAR = 'acme/dear';

/** Beside the usual model, one that costs 100 USD for a hundred tokens. */
const catalogOf = (baseUrl: string): string => `${scriptedCatalog(baseUrl)}
  - { id: ${DEAR}, upstream_id: scripted-2, owned_by: acme, rigs: [scripted], context: 8192,
      max_output: 100, price: { input_usd_per_mtok: 0, output_usd_per_mtok: 1000000 } }
`;

/** The field `user` of the chat scripts the rig. */
const scripted: Script = (response, received) => {
  switch (received.body['user']) {
    case 'refuse':
      json(400, { error: { message: 'no knots', type: 'invalid_request_error', code: 'knots' } })(
        response,
        received,
      );
      break;
    case 'fail':
      json(500, { error: { message: 'torn' } })(response, received);
      break;
    case 'garble':
      json(200, { choices: 'none' })(response, received);
      break;
    case 'hang':
      break;
    default:
      answering('A ', 'cord.')(response, received);
  }
};

interface Case {
  readonly what: string;
  readonly status: number;
  readonly body?: string | object;
  readonly headers?: Readonly<Record<string, string>>;
}

const CASES: readonly Case[] = [
  { what: 'a whole answer', status: 200 },
  { what: 'a stream', status: 200, body: { stream: true } },
  {
    what: 'a stream with usage',
    status: 200,
    body: { stream: true, stream_options: { include_usage: true } },
  },
  { what: 'bad JSON', status: 400, body: '{"model":' },
  { what: 'no body', status: 400, body: '' },
  { what: 'a bad field', status: 400, body: { temperature: 3 } },
  { what: 'an unknown mode', status: 400, body: { routing_mode: 'psychic' } },
  { what: 'a field of the operator', status: 400, body: { best_of: 2 } },
  { what: 'too many tokens', status: 400, body: { max_tokens: 9_000 } },
  { what: 'a rejection by the rig', status: 400, body: { user: 'refuse' } },
  { what: 'no credential', status: 401, headers: { authorization: '' } },
  { what: 'an unknown key', status: 401, headers: { authorization: 'Bearer sk-svc-none' } },
  { what: 'a price above the balance', status: 402, body: { model: DEAR, max_tokens: 100 } },
  { what: 'an unknown model', status: 404, body: { model: 'acme/none' } },
  { what: 'an unknown rig', status: 404, body: { routing_mode: 'rig_nowhere' } },
  { what: 'too large a body', status: 413, body: { user: 'u'.repeat(BODY_LIMIT) } },
  { what: 'another media type', status: 415, headers: { 'content-type': 'text/csv' } },
  { what: 'a mode without its room', status: 400, body: { routing_mode: 'cleanroom_fhe_eval' } },
  { what: 'a rig that does not answer in time', status: 504, body: { user: 'hang' } },
  { what: 'a rig that answers nonsense', status: 502, body: { user: 'garble' } },
  { what: 'a rig that fails', status: 502, body: { user: 'fail' } },
  { what: 'a rig that fails again', status: 502, body: { user: 'fail' } },
  { what: 'a rig behind an open breaker', status: 503, body: { user: 'fail' } },
];

/** The headers that differ between any two requests. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'date',
  'x-request-id',
  'x-quipu-overhead-ms',
  'x-quipu-event-id',
  'x-ratelimit-reset-requests',
]);
const OWN_TEXT = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|after \d+ ms|in \d+ s/g;

const answerOf = async (
  { quipu, credentials }: World,
  { body = {}, headers = {} }: Partial<Case>,
  own: Readonly<Record<string, string>>,
) => {
  const response = await fetch(`${quipu.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${credentials.api_key}`,
      ...headers,
      ...own,
    },
    body: typeof body === 'string' ? body : JSON.stringify(chatRequest(body as never)),
  });
  const shown = [...response.headers].filter(([name]) => !OWN_HEADERS.has(name));
  return {
    status: response.status,
    headers: Object.fromEntries(shown),
    text: (await response.text()).replace(OWN_TEXT, '…'),
  };
};

/** The way through Nest is the one of a request with an `Idempotency-Key`. */
const throughNest = () => ({ 'idempotency-key': randomUUID() });

/** Each way has a world of its own, so that both begin with the same balance and breakers. */
const inTwoWorlds = (environment: NodeJS.ProcessEnv) => {
  let direct: World;
  let nest: World;

  beforeAll(async () => {
    direct = await startWorld([scripted], { environment, catalogOf });
    nest = await startWorld([scripted], { environment, catalogOf });
  });

  afterAll(async () => {
    await direct.close();
    await nest.close();
  });

  return async (asked: Partial<Case>) => ({
    direct: await answerOf(direct, asked, {}),
    nest: await answerOf(nest, asked, throughNest()),
  });
};

describe('a chat on the direct route and through Nest', () => {
  const both = inTwoWorlds({
    QUIPU_BODY_LIMIT_BYTES: String(BODY_LIMIT),
    QUIPU_REQUEST_SECONDS: '1',
  });

  it.each(CASES)('is answered alike: $status, $what', async ({ status, ...asked }) => {
    const { direct, nest } = await both(asked);
    expect(direct.status).toBe(status);
    expect(direct).toEqual(nest);
  });
});

describe('a caller above its rate, on both ways', () => {
  const both = inTwoWorlds({ QUIPU_KEY_REQUESTS_PER_MINUTE: '1' });

  it('is answered alike: 429', async () => {
    await both({});
    const { direct, nest } = await both({});
    expect(direct.status).toBe(429);
    expect({ ...direct, headers: null }).toEqual({ ...nest, headers: null });
    expect(Object.keys(direct.headers)).toEqual(Object.keys(nest.headers));
  });
});
