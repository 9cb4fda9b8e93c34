import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { type OpenAiRigOptions } from './openai-rig.js';
import { completionOf, json, never, requestOf, type Script, statement } from './upstream.fake.js';
import { closedAfterTest, deadUrl, failureOf, rigAt, rigFor } from './openai-rig.fixture.js';

describe('a whole answer', () => {
  it('is the completion with the usage that the upstream states', async () => {
    const completion = completionOf('Hello', statement(7, 2));
    const { rig } = await rigFor(json(200, completion));
    const usage = { promptTokens: 7, completionTokens: 2, source: 'provider' };
    expect(await rig.complete(requestOf(), never)).toEqual({ completion, usage });
  });

  it('carries the key and the body, unknown fields too, and streams nothing', async () => {
    const { rig, upstream } = await rigFor(json(200, completionOf('Hi', statement(1, 1))), {
      apiKey: 'secret',
    });
    const body = {
      seed: 7,
      tools: [{ type: 'function' }],
      stream_options: { include_usage: true },
    };
    await rig.complete(requestOf(body), never);
    const [received] = upstream.received;
    expect(received?.path).toBe('/v1/chat/completions');
    expect(received?.headers.authorization).toBe('Bearer secret');
    const { messages } = requestOf().body;
    const { seed, tools } = body;
    expect(received?.body).toEqual({ model: 'm', messages, seed, tools, stream: false });
  });

  it.each([
    [{ max_completion_tokens: 5 }, { max_completion_tokens: 5, max_tokens: 5 }],
    [{ max_tokens: 7 }, { max_tokens: 7 }],
  ])('sends %j as %j to a server that reads max_tokens only', async (asked, sent) => {
    const script = json(200, completionOf('Hi', statement(1, 1)));
    const { rig, upstream } = await rigFor(script, { readsMaxTokensOnly: true });
    await rig.complete(requestOf(asked), never);
    const { messages } = requestOf().body;
    expect(upstream.received[0]?.body).toEqual({ model: 'm', messages, ...sent, stream: false });
  });

  it('keeps its connections, no more than may be in use at once', async () => {
    const ports = new Set<number | undefined>();
    const script: Script = (response, received) => {
      ports.add(response.socket?.remotePort);
      json(200, completionOf('Hi', statement(1, 1)))(response, received);
    };
    const { rig } = await rigFor(script, { maxConcurrency: 2 });
    for (let sent = 0; sent < 6; sent += 1) await rig.complete(requestOf(), never);
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('without usage is counted at 8 bytes a token and says so in its own usage', async () => {
    const { rig } = await rigFor(json(200, completionOf('0123456789')));
    const { completion, usage } = await rig.complete(requestOf(), never);
    // 'Tell me more' has 12 bytes, the answer 10.
    expect(usage).toEqual({ promptTokens: 2, completionTokens: 2, source: 'counted' });
    expect(completion['usage']).toEqual({ ...statement(2, 2), total_tokens: 4 });
  });

  it('never counts a prompt above the bound that was held', async () => {
    const { rig } = await rigFor(json(200, completionOf('Hi')));
    const { usage } = await rig.complete(requestOf({}, 1), never);
    expect(usage.promptTokens).toBe(1);
  });

  it.each([
    ['negative', statement(-5, 2)],
    ['fractional', statement(5, 0.5)],
    ['absurd', statement(5, 1e18)],
    ['not a number', statement('5', 2)],
    ['half missing', { prompt_tokens: 5 }],
    ['null', null],
  ])('takes a usage that is %s as not stated', async (_, usage) => {
    const { rig } = await rigFor(json(200, completionOf('Hi', usage)));
    const answer = await rig.complete(requestOf(), never);
    expect(answer.usage).toEqual({ promptTokens: 2, completionTokens: 1, source: 'counted' });
    expect(answer.completion['usage']).toEqual({ ...statement(2, 1), total_tokens: 3 });
  });

  it('believes an explicit zero', async () => {
    const { rig } = await rigFor(json(200, completionOf('Hi', statement(5, 0))));
    const { usage } = await rig.complete(requestOf(), never);
    expect(usage).toEqual({ promptTokens: 5, completionTokens: 0, source: 'provider' });
  });
});

describe('a failure', () => {
  const failing = async (script: Script, options: Partial<OpenAiRigOptions> = {}) => {
    const { rig } = await rigFor(script, options);
    return failureOf(rig.complete(requestOf(), never));
  };

  it('is unreachable without a listener, and shows no address', async () => {
    const rig = rigAt(await deadUrl());
    const error = await failureOf(rig.complete(requestOf(), never));
    expect(error.kind).toBe('unreachable');
    expect(error.message).toBe('rig vllm cannot be reached (ECONNREFUSED)');
  });

  it('is unreachable when the connection is lost before the answer', async () => {
    const error = await failing((response) => response.destroy());
    expect(error.kind).toBe('unreachable');
  });

  it('is unreachable when the connection is lost within the answer', async () => {
    const error = await failing((response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"choices"');
      setTimeout(() => response.destroy(), 20);
    });
    expect(error.kind).toBe('unreachable');
  });

  it('is unreachable when a connection meant to close does so within a chunk', async () => {
    const error = await failing((response) => {
      response.writeHead(200, { connection: 'close' });
      response.write('{"choices"');
      setTimeout(() => response.destroy(), 20);
    });
    expect(error.kind).toBe('unreachable');
  });

  it('is timed-out when no answer begins in time', async () => {
    const error = await failing(() => undefined, { answerTimeoutMs: 50 });
    expect(error.kind).toBe('timed-out');
  });

  it.each([
    [400, 'refused'],
    [422, 'refused'],
    [401, 'failed'],
    [404, 'failed'],
    [408, 'timed-out'],
    [429, 'overloaded'],
    [503, 'overloaded'],
    [500, 'failed'],
    [302, 'failed'],
  ] as const)('of status %i is %s', async (status, kind) => {
    const upstreamError = { message: 'no', type: 't', param: 'temperature', code: 'c' };
    const error = await failing(json(status, { error: upstreamError }));
    expect(error.kind).toBe(kind);
    expect(error.details).toMatchObject({ status, upstreamError });
  });

  it.each([
    ['2', 2_000],
    ['31536000', 31_536_000_000],
    ['99999999', 99_999_999_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['Fri, 01 Jan 2100 00:00:10 GMT', Date.UTC(2100, 0, 1)],
    ['Thu, 01 Jan 1970 00:00:13 GMT', 3_000],
    ['Thu, 01 Jan 1970 00:00:07 GMT', 0],
    ['soon', undefined],
  ])('carries Retry-After %s', async (after, retryAfterMs) => {
    const script = json(429, {}, { 'retry-after': after });
    const error = await failing(script, { clock: { now: () => 10_000 } });
    expect(error.details.retryAfterMs).toBe(retryAfterMs);
  });

  it('carries the finer retry-after-ms', async () => {
    const error = await failing(json(429, {}, { 'retry-after': '9', 'retry-after-ms': '150' }));
    expect(error.details.retryAfterMs).toBe(150);
  });

  it('survives an error page that is not JSON', async () => {
    const error = await failing(json(502, '<html>Bad gateway</html>'));
    expect(error).toMatchObject({ kind: 'failed', details: { status: 502 } });
    expect(error.details.upstreamError).toBeUndefined();
  });

  it('reads no more of an endless error page than it needs', async () => {
    const error = await failing(json(500, 'x'.repeat(10_000_000)));
    expect(error).toMatchObject({ kind: 'failed', details: { status: 500 } });
  });

  it.each([['{"choices":'], ['[]'], ['null'], ['{"id":1}'], ['']])(
    'is malformed for the answer %j',
    async (text) => {
      expect((await failing(json(200, text))).kind).toBe('malformed');
    },
  );

  it.each([65, 200_000])('is malformed when it is nested %i deep', async (levels) => {
    const deep = `${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}`;
    const answer = JSON.stringify(completionOf('Hi', statement(1, 1)));
    const script = json(200, answer.replace('{', `{"extra":${deep},`));
    expect((await failing(script)).kind).toBe('malformed');
  });

  it('is not malformed at 64 levels', async () => {
    const deep = JSON.parse(`${'['.repeat(63)}${']'.repeat(63)}`) as unknown;
    const { rig } = await rigFor(json(200, { ...completionOf('Hi'), extra: deep }));
    expect((await rig.complete(requestOf(), never)).completion['extra']).toEqual(deep);
  });

  it('is malformed beyond the limit of an answer', async () => {
    const script = json(200, completionOf('x'.repeat(5_000), statement(1, 1)));
    expect((await failing(script, { answerBytesMax: 4_096 })).kind).toBe('malformed');
  });

  it('is malformed when the server does not speak HTTP', async () => {
    const server = createServer((socket) => {
      socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closedAfterTest({
      close: async () => {
        await once(server.close(), 'close');
      },
    });
    const { port } = server.address() as { port: number };
    const rig = rigAt(`http://127.0.0.1:${port}/v1`);
    expect((await failureOf(rig.complete(requestOf(), never))).kind).toBe('malformed');
  });

  it('is cancelled without a request when the signal fired before', async () => {
    const { rig, upstream } = await rigFor(json(200, completionOf('Hi')));
    const error = await failureOf(rig.complete(requestOf(), AbortSignal.abort()));
    expect(error.kind).toBe('cancelled');
    expect(error.details.used).toBeUndefined();
    expect(upstream.received).toEqual([]);
  });

  it.each([
    ['has its headers', 200],
    ['has the request', null],
  ])('is cancelled with its prompt once the upstream %s', async (_, status) => {
    const caller = new AbortController();
    const { rig } = await rigFor((response) => {
      if (status !== null) response.writeHead(status).write('{"choices"');
      setTimeout(() => {
        caller.abort();
      }, 50);
    });
    const error = await failureOf(rig.complete(requestOf(), caller.signal));
    expect(error).toMatchObject({
      kind: 'cancelled',
      details: { used: { promptTokens: 2, completionTokens: 0, source: 'counted' } },
    });
  });

  it('is cancelled at once and leaves the upstream within 100 ms', async () => {
    const caller = new AbortController();
    let cancelledAt = 0;
    const { rig, upstream } = await rigFor(() => {
      cancelledAt = performance.now();
      caller.abort();
    });
    const error = await failureOf(rig.complete(requestOf(), caller.signal));
    expect(error.kind).toBe('cancelled');
    const leftAt = await upstream.received[0]?.left;
    expect((leftAt ?? Infinity) - cancelledAt).toBeLessThan(100);
  });
});
