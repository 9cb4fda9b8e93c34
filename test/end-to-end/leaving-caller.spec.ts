import { afterEach, describe, expect, it } from '@jest/globals';
import { deltaOf, eventOf, type Script, sse } from '#areas/inference/rigs/upstream.fake.js';
import {
  chatRequest,
  eventually,
  scriptedCatalog,
  startWorld,
  type World,
} from './quipu.harness.js';

/** The prompt of `chatRequest` has 17 bytes, counted at 8 a token; a token costs a micro-dollar. */
const PROMPT_MICRO_USD = '3';

/** The first chunk has a role and no token; then the model thinks. */
const thinking = sse([eventOf(deltaOf({ role: 'assistant', content: '' }))], 'hang');

const silent: Script = () => undefined;

describe('a caller that leaves before the first token', () => {
  let world: World;

  afterEach(() => world.close());

  /** Streams a chat and leaves at the first chunk, or once the upstream has the request. */
  const leave = async (at: 'chunk' | 'request'): Promise<void> => {
    const caller = new AbortController();
    const answer = fetch(`${world.quipu.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${world.credentials.api_key}`,
      },
      body: JSON.stringify(chatRequest({ stream: true })),
      signal: caller.signal,
    });
    if (at === 'chunk') await (await answer).body?.getReader().read();
    else await eventually(() => world.upstream.received.length === 1);
    caller.abort();
    await answer.catch(() => undefined);
  };

  const lastEvent = async () => {
    const ended = async () =>
      (await world.events()).at(-1)?.type.startsWith('HoldPlaced') === false;
    await eventually(ended);
    return (await world.events()).at(-1);
  };

  it('pays for the prompt once the upstream has accepted the request', async () => {
    world = await startWorld([thinking]);
    const placed = (await world.events()).length;
    await leave('chunk');
    expect(await lastEvent()).toMatchObject({
      type: 'HoldCaptured',
      data: {
        outcome: 'client_gone',
        amountMicroUsd: PROMPT_MICRO_USD,
        availableMicroUsd: String(10_000_000 - Number(PROMPT_MICRO_USD)),
        usageSource: 'counted',
        rig: 'scripted',
        evidence: { attempts: 1 },
      },
    });
    expect(await world.events()).toHaveLength(placed + 2);
  });

  it('pays nothing before that', async () => {
    world = await startWorld([silent]);
    await leave('request');
    expect(await lastEvent()).toMatchObject({
      type: 'HoldReleased',
      data: { reason: 'client_gone', availableMicroUsd: '10000000' },
    });
  });

  it('pays nothing for a model with charge_cancelled: false', async () => {
    world = await startWorld([thinking], {
      catalogOf: (baseUrl) =>
        scriptedCatalog(baseUrl).replace('max_output', 'charge_cancelled: false, max_output'),
    });
    await leave('chunk');
    expect(await lastEvent()).toMatchObject({
      type: 'HoldReleased',
      data: { reason: 'client_gone' },
    });
  });
});
