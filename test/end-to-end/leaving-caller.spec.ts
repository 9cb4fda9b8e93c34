import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  completionOf,
  deltaOf,
  eventOf,
  json,
  type Script,
  sse,
  statement,
} from '#areas/inference/rigs/upstream.fake.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import {
  chatRequest,
  eventually,
  MODEL,
  scriptedCatalog,
  startWorld,
  type World,
} from './quipu.harness.js';

/** The prompt of `chatRequest` has 17 bytes, counted at 8 a token; a token costs a micro-dollar. */
const PROMPT = 'Tell me of knots.';
const PROMPT_MICRO_USD = '3';

const SWARM = 'other';
const FREE_WHEN_LEFT = 'acme/free-when-left';

/** With a model for embeddings, one for a consensus, and one that is free without an answer. */
const catalogOf = (baseUrl: string): string => `${scriptedCatalog(baseUrl)}
  - { id: vectors, kind: embedding, owned_by: acme, rigs: [scripted], context: 8192,
      price: { input_usd_per_mtok: 1 } }
  - { id: ${SWARM}, owned_by: acme, rigs: [scripted], context: 8192, max_output: 100,
      price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
  - { id: ${FREE_WHEN_LEFT}, owned_by: acme, rigs: [scripted], context: 8192, max_output: 100,
      charge_cancelled: false, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
`;

/** The first chunk has a role and no token; then the model thinks. */
const thinking = sse([eventOf(deltaOf({ role: 'assistant', content: '' }))], 'hang');

const silent: Script = () => undefined;

/** The other model answers, and is done before its caller leaves. */
const oneMemberAnswers: Script = (response, received) => {
  if (received.body['model'] !== SWARM) return;
  json(200, completionOf('A record of knots.', statement(9, 4)))(response, received);
};

const MEMBERS = { fanout_nodes: 2, member_models: [MODEL, SWARM], synthesis_model: MODEL };

describe('a caller that leaves before the first token', () => {
  let world: World;
  /** Of the upstream, until the next test. */
  let script: Script;

  beforeAll(async () => {
    world = await startWorld([(response, received) => script(response, received)], { catalogOf });
  });

  afterAll(() => world.close());

  const accountEvents = async (): Promise<readonly RecordedEvent[]> =>
    (await world.events()).filter(({ stream }) => stream.startsWith('account-'));

  /**
   * Leaves at the first chunk, or once the upstream has the requests.
   * @returns the events of the account behind the hold of the request, once it has ended
   */
  const leave = async (
    at: 'chunk' | number,
    path: string,
    body: object,
  ): Promise<readonly RecordedEvent[]> => {
    const placed = (await accountEvents()).length;
    const received = world.upstream.received.length;
    const caller = new AbortController();
    const answer = fetch(`${world.quipu.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${world.credentials.api_key}`,
      },
      body: JSON.stringify(body),
      signal: caller.signal,
    });
    answer.catch(() => undefined);
    if (at === 'chunk') await (await answer).body?.getReader().read();
    else await eventually(() => world.upstream.received.length === received + at);
    caller.abort();
    let ended: readonly RecordedEvent[] = [];
    await eventually(async () => {
      ended = (await accountEvents()).slice(placed + 1);
      return ended.length > 0;
    });
    return ended;
  };

  const leaveStream = (model: string) =>
    leave('chunk', '/v1/chat/completions', chatRequest({ model, stream: true }));

  it('pays for the prompt of a stream, with one charge', async () => {
    script = thinking;
    expect(await leaveStream(MODEL)).toMatchObject([
      {
        type: 'HoldCaptured',
        data: {
          outcome: 'client_gone',
          amountMicroUsd: PROMPT_MICRO_USD,
          availableMicroUsd: String(10_000_000 - Number(PROMPT_MICRO_USD)),
          usageSource: 'counted',
          rig: 'scripted',
          evidence: { attempts: 1 },
        },
      },
    ]);
  });

  const messages = [{ role: 'user', content: PROMPT }];

  it.each([
    ['/v1/chat/completions', chatRequest()],
    ['/v1/chat/completions', chatRequest({ stream: true })],
    ['/v1/completions', { model: MODEL, prompt: PROMPT }],
    ['/v1/responses', { model: MODEL, input: PROMPT }],
    ['/v1/messages', { model: MODEL, max_tokens: 10, messages }],
    ['/v1/embeddings', { model: 'vectors', input: PROMPT }],
    ['/api/v1/swarm/vllm_orchestrate', { model: MODEL, messages }],
  ])('pays for the prompt once a silent upstream has it: %s', async (path, body) => {
    script = silent;
    expect(await leave(1, path, body)).toMatchObject([
      {
        type: 'HoldCaptured',
        data: { outcome: 'client_gone', amountMicroUsd: PROMPT_MICRO_USD, rig: 'scripted' },
      },
    ]);
  });

  it('pays for the members of a consensus, finished or not', async () => {
    script = oneMemberAnswers;
    const ended = await leave(2, '/api/v1/swarm/moa_consensus', { messages, ...MEMBERS });
    expect(ended).toMatchObject([{ data: { outcome: 'client_gone', usageSource: 'counted' } }]);
    const { lines } = ended[0]?.data as { lines: { step: string; quantity: number }[] };
    expect(lines.map(({ step, quantity }) => [step, quantity])).toEqual([
      ['branch-1', 3],
      ['branch-1', 0],
      ['branch-2', 9],
      ['branch-2', 4],
    ]);
  });

  it('pays nothing for a model with charge_cancelled: false', async () => {
    script = thinking;
    expect(await leaveStream(FREE_WHEN_LEFT)).toMatchObject([
      { type: 'HoldReleased', data: { reason: 'client_gone' } },
    ]);
  });
});
