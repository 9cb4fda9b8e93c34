import { describe, expect, it } from '@jest/globals';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type ChatBackend, type ChatChunk } from './chat-backend.js';
import { createOpenAiRig } from './openai-rig.js';
import {
  chunksOf,
  completionOf,
  DONE,
  drain,
  eventOf,
  json,
  never,
  requestOf,
  type Script,
  sse,
  startUpstream,
  statement,
  textOf,
} from './upstream.fake.js';
import { USAGE, failing, routerOf, scripted, settle } from './rig-router.fixture.js';

describe('a routed stream', () => {
  const order = { model: 'llama', needs: [], request: () => requestOf() };

  const broken = (): ChatBackend => ({
    ...scripted().backend,
    async *stream() {
      await Promise.resolve();
      throw failing('failed', { status: 500 });
    },
  });

  it('gives all pages, returns the usage and then frees the slot', async () => {
    const { router } = routerOf({ rigsOf: { a: scripted().backend } });
    const { pages, rig, attempts } = await router.stream(order, never);
    expect([rig, attempts.length, router.status()[0]?.inFlight]).toEqual(['a', 1, 1]);
    expect(await drain(pages)).toEqual({ chunks: chunksOf('Hi'), usage: USAGE });
    expect(router.status()[0]?.inFlight).toBe(0);
  });

  it('falls back to another rig before the first page', async () => {
    const { router } = routerOf({
      rigsOf: { a: broken(), b: scripted().backend },
      random: () => 0.99,
    });
    const { pages, rig, attempts } = await router.stream(order, never);
    expect(rig).toBe('b');
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['failed', 'answered']);
    expect(textOf((await drain(pages)).chunks)).toBe('Hi');
  });

  it('does not fall back afterwards, and counts against the rig', async () => {
    const breaking: ChatBackend = {
      ...scripted().backend,
      async *stream() {
        await Promise.resolve();
        yield chunksOf('Hi');
        throw failing('broken-off', { used: USAGE });
      },
    };
    const b = scripted();
    const { router } = routerOf({
      rigsOf: { a: breaking, b: b.backend },
      random: () => 0.99,
    });
    const { pages } = await router.stream(order, never);
    await expect(drain(pages)).rejects.toMatchObject({ kind: 'broken-off' });
    expect(b.asked).toHaveLength(0);
    expect(router.status()[0]).toMatchObject({ inFlight: 0, lastFailure: 'broken-off' });
  });

  it('frees the slot when its generator is returned unread', async () => {
    let ended = false;
    const endless: ChatBackend = {
      ...scripted().backend,
      async *stream(): AsyncGenerator<readonly ChatChunk[], Usage, void> {
        try {
          for (;;) {
            await settle();
            yield chunksOf('Hi');
          }
        } finally {
          ended = true;
        }
      },
    };
    const { router } = routerOf({ rigsOf: { a: endless } });
    const { pages } = await router.stream(order, never);
    await pages.return(USAGE);
    expect(ended).toBe(true);
    expect(router.status()[0]?.inFlight).toBe(0);
    expect(await pages.next()).toEqual({ done: true, value: undefined });
  });
});

describe('with real upstreams', () => {
  const routed = async (scripts: readonly Script[], work: (url: string) => Promise<void>) => {
    const upstream = await startUpstream(...scripts);
    try {
      await work(upstream.baseUrl);
    } finally {
      await upstream.close();
    }
  };

  const rigAt = (name: string, baseUrl: string) =>
    createOpenAiRig({ name, baseUrl, maxConcurrency: 2 });

  it('a 500 is followed by an answer', async () => {
    const scripts = [json(500, {}), json(200, completionOf('Hi', statement(1, 1)))];
    await routed(scripts, async (url) => {
      const { complete, router, pauses } = routerOf({ rigsOf: { a: rigAt('a', url) } });
      const { answer, attempts } = await complete();
      expect(answer.usage).toEqual(USAGE);
      expect(attempts.map(({ status }) => status)).toEqual([500, undefined]);
      expect(pauses).toEqual([50]);
      await router.close();
    });
  });

  it('a 429 is waited for as long as it says', async () => {
    const scripts = [
      json(429, {}, { 'retry-after': '2' }),
      json(200, completionOf('Hi', statement(1, 1))),
    ];
    await routed(scripts, async (url) => {
      const { complete, router, pauses } = routerOf({ rigsOf: { a: rigAt('a', url) } });
      await complete();
      expect(pauses).toEqual([2_000]);
      await router.close();
    });
  });

  it('a stream falls back from a rig without a listener', async () => {
    const gone = await startUpstream();
    await gone.close();
    await routed([sse([...chunksOf('Hi').map(eventOf), DONE])], async (url) => {
      const { router } = routerOf({
        rigsOf: { a: rigAt('a', gone.baseUrl), b: rigAt('b', url) },
        random: () => 0.99,
      });
      const order = { model: 'llama', needs: [], request: () => requestOf() };
      const { pages, attempts } = await router.stream(order, never);
      expect(attempts.map(({ outcome }) => outcome)).toEqual(['unreachable', 'answered']);
      expect(textOf((await drain(pages)).chunks)).toBe('Hi');
      await router.close();
    });
  });
});
