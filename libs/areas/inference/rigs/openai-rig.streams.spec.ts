import { type ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type OpenAiRigOptions } from './openai-rig.js';
import {
  chunksOf,
  completionOf,
  deltaOf,
  DONE,
  drain,
  eventOf,
  json,
  never,
  requestOf,
  type Script,
  sse,
  statement,
  textOf,
  usageChunkOf,
} from './upstream.fake.js';
import { failureOf, rigAt, rigFor } from './openai-rig.fixture.js';

describe('a stream', () => {
  const chunks = chunksOf('Hel', 'lo', '!');
  const usageChunk = usageChunkOf(statement(7, 3));
  const provider = { promptTokens: 7, completionTokens: 3, source: 'provider' };

  it('gives the chunks, and returns the usage it always asks for', async () => {
    const { rig, upstream } = await rigFor(sse([...chunks, usageChunk].map(eventOf).concat(DONE)));
    const streamed = await drain(rig.stream(requestOf(), never));
    expect(streamed).toEqual({ chunks, usage: provider });
    expect(upstream.received[0]?.body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('gives the usage chunk to a caller who asked for it', async () => {
    const { rig } = await rigFor(sse([...chunks, usageChunk].map(eventOf).concat(DONE)));
    const request = requestOf({ stream_options: { include_usage: true } });
    const streamed = await drain(rig.stream(request, never));
    expect(streamed).toEqual({ chunks: [...chunks, usageChunk], usage: provider });
  });

  it('takes the usage field off chunks of a caller who did not ask', async () => {
    const sent = [...chunks.map((chunk) => ({ ...chunk, usage: null })), usageChunk];
    const { rig } = await rigFor(sse(sent.map(eventOf).concat(DONE)));
    expect(await drain(rig.stream(requestOf(), never))).toEqual({ chunks, usage: provider });
  });

  it('gives all chunks of one read in one page', async () => {
    const { rig } = await rigFor(sse([[...chunks, usageChunk].map(eventOf).join('') + DONE]));
    const pages = rig.stream(requestOf(), never);
    expect(await pages.next()).toEqual({ done: false, value: chunks });
    expect(await pages.next()).toEqual({ done: true, value: provider });
  });

  it('reads the same wherever the network cuts it', async () => {
    const words = ['ñ', '漢字', '🧶'];
    const sent = [...chunksOf(...words), usageChunk].map(eventOf).join('') + DONE;
    const bytes = Buffer.from(sent.replaceAll('\n', '\r\n'));
    let cuts: readonly number[] = [];
    const { rig } = await rigFor((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      cuts.forEach((cut, index) => response.write(bytes.subarray(cuts[index - 1] ?? 0, cut)));
      response.end(bytes.subarray(cuts.at(-1) ?? 0));
    });
    const cutsOfBytes = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), {
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(cutsOfBytes, async (at) => {
        cuts = at.sort((a, b) => a - b);
        const streamed = await drain(rig.stream(requestOf(), never));
        expect(streamed).toEqual({ chunks: chunksOf(...words), usage: provider });
      }),
      { numRuns: 50 },
    );
    cuts = Array.from(bytes.keys()).slice(1);
    expect(textOf((await drain(rig.stream(requestOf(), never))).chunks)).toBe(words.join(''));
  });

  it('without usage counts a token for each delta that carries something', async () => {
    const tool = deltaOf({ tool_calls: [{ index: 0, function: { arguments: '{' } }] });
    const sent = [...chunksOf('a', 'b'), tool, deltaOf({ content: '', tool_calls: [] })];
    const { rig } = await rigFor(sse(sent.map(eventOf).concat(DONE)));
    const { usage } = await drain(rig.stream(requestOf(), never));
    expect(usage).toEqual({ promptTokens: 2, completionTokens: 3, source: 'counted' });
  });

  it('adds the usage chunk when the caller asked and the upstream sent no valid one', async () => {
    const hostile = usageChunkOf(statement(-1_000, 3));
    const { rig } = await rigFor(sse([...chunks, hostile].map(eventOf).concat(DONE)));
    const request = requestOf({ stream_options: { include_usage: true } });
    const streamed = await drain(rig.stream(request, never));
    const written = usageChunkOf({ ...statement(2, 3), total_tokens: 5 });
    expect(streamed.chunks).toEqual([...chunks, written]);
    expect(streamed.usage).toEqual({ promptTokens: 2, completionTokens: 3, source: 'counted' });
  });

  it('adds its own count of the chunks after the last stated usage', async () => {
    const early = { ...deltaOf({ role: 'assistant' }), usage: statement(9, 0) };
    const { rig } = await rigFor(sse([early, ...chunksOf('a', 'b')].map(eventOf).concat(DONE)));
    const { usage } = await drain(rig.stream(requestOf(), never));
    expect(usage).toEqual({ promptTokens: 9, completionTokens: 2, source: 'counted' });
  });

  it('is whole without [DONE] when it gave a finish reason', async () => {
    const { rig } = await rigFor(sse(chunks.map(eventOf)));
    expect(textOf((await drain(rig.stream(requestOf(), never))).chunks)).toBe('Hello!');
  });

  it('is over at [DONE], even if the server never hangs up', async () => {
    const { rig } = await rigFor(sse([...chunks, usageChunk].map(eventOf).concat(DONE), 'hang'));
    expect(await drain(rig.stream(requestOf(), never))).toEqual({ chunks, usage: provider });
  });

  it('loses the connection of a server that talks on after [DONE]', async () => {
    const { rig, upstream } = await rigFor((response, received) => {
      sse([...chunks.map(eventOf), DONE], 'hang')(response, received);
      const talk = setInterval(() => response.write(': still here\n'), 10);
      response.on('close', () => {
        clearInterval(talk);
      });
    });
    await drain(rig.stream(requestOf(), never));
    expect(await upstream.received[0]?.left).toBeGreaterThan(0);
  });
});

describe('a stream that breaks', () => {
  const opening = chunksOf('Hel', 'lo').slice(0, -1).map(eventOf);
  const used = { promptTokens: 2, completionTokens: 2, source: 'counted' };

  const breaking = async (script: Script, options: Partial<OpenAiRigOptions> = {}) => {
    const { rig } = await rigFor(script, options);
    return failureOf(drain(rig.stream(requestOf(), never)));
  };

  it.each([
    ['is cut off', sse(opening, 'destroy')],
    ['ends without [DONE] and finish reason', sse(opening)],
    ['sends an error chunk', sse([...opening, eventOf({ error: { message: 'out of memory' } })])],
  ])('is broken-off with its usage when it %s', async (_, script) => {
    const error = await breaking(script);
    expect(error).toMatchObject({ kind: 'broken-off', details: { used } });
  });

  it('is timed-out with its usage when nothing more comes', async () => {
    const error = await breaking(sse(opening, 'hang'), { idleTimeoutMs: 50 });
    expect(error).toMatchObject({ kind: 'timed-out', details: { used } });
  });

  it.each([
    ['not JSON', 'data: {"choices":[\n\n'],
    ['not an object', 'data: 7\n\n'],
    ['without choices', 'data: {"id":"x"}\n\n'],
    ['nested deeper than 64', `data: {"choices":${'['.repeat(64)}${']'.repeat(64)}}\n\n`],
  ])('is malformed, not skipped, at a chunk that is %s', async (_, text) => {
    const error = await breaking(sse([...opening, text, ...chunksOf('x').map(eventOf), DONE]));
    expect(error).toMatchObject({ kind: 'malformed', details: { used } });
  });

  it('delivers the chunks before the fault', async () => {
    const { rig } = await rigFor(sse([opening.join('') + 'data: x\n\n']));
    const pages = rig.stream(requestOf(), never);
    const first = await pages.next();
    expect(textOf(first.value as [])).toBe('Hello');
    expect((await failureOf(pages.next())).kind).toBe('malformed');
  });

  it('is malformed when an event exceeds the limit', async () => {
    const error = await breaking(sse([`data: ${'x'.repeat(5_000)}`], 'hang'), {
      answerBytesMax: 4_096,
    });
    expect(error.kind).toBe('malformed');
  });

  it.each([
    ['no chunk at all', sse([DONE]), 'malformed'],
    ['JSON in place of a stream', json(200, completionOf('Hi')), 'malformed'],
    ['status 500', json(500, {}), 'failed'],
    ['status 400', json(400, { error: { message: 'no' } }), 'refused'],
    ['an error chunk first', sse([eventOf({ error: { message: 'no' } })]), 'failed'],
    ['an error chunk of code 400', sse([eventOf({ error: { code: 400 } })]), 'refused'],
  ] as const)('has used nothing with %s', async (_, script, kind) => {
    const error = await breaking(script);
    expect(error.kind).toBe(kind);
    expect(error.details.used).toBeUndefined();
  });
});

describe('a stream whose caller leaves', () => {
  const opening = chunksOf('Hel', 'lo').slice(0, -1).map(eventOf).join('');

  it('returns the usage of the delivered part and leaves the upstream within 100 ms', async () => {
    const { rig, upstream } = await rigFor(sse([opening], 'hang'));
    const caller = new AbortController();
    const pages = rig.stream(requestOf(), caller.signal);
    await pages.next();
    const next = pages.next();
    const cancelledAt = performance.now();
    caller.abort();
    const usage = { promptTokens: 2, completionTokens: 2, source: 'counted' };
    expect(await next).toEqual({ done: true, value: usage });
    const leftAt = await upstream.received[0]?.left;
    expect((leftAt ?? Infinity) - cancelledAt).toBeLessThan(100);
  });

  it('hands out and charges the chunks in flight', async () => {
    let answer: ServerResponse | undefined;
    const { rig } = await rigFor((response, received) => {
      sse([opening], 'hang')(response, received);
      answer = response;
    });
    const caller = new AbortController();
    const pages = rig.stream(requestOf(), caller.signal);
    await pages.next();
    const unseen = eventOf(deltaOf({ content: 'unseen' }));
    await new Promise((resolve) => answer?.write(unseen, resolve));
    // It is in the socket by now: this process reads it within a turn.
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    caller.abort();
    const rest = await drain(pages);
    expect(textOf(rest.chunks)).toBe('unseen');
    expect(rest.usage).toEqual({ promptTokens: 2, completionTokens: 3, source: 'counted' });
  });

  it.each([
    [null, { promptTokens: 2, completionTokens: 0, source: 'counted' }],
    [200, { promptTokens: 2, completionTokens: 0, source: 'counted' }],
    [500, undefined],
  ])('is cancelled after status %i with the usage %j', async (status, used) => {
    const caller = new AbortController();
    const { rig } = await rigFor((response) => {
      if (status !== null) {
        response.writeHead(status, { 'content-type': 'text/event-stream' });
        response.write(': the prompt is being read\n\n');
      }
      setTimeout(() => {
        caller.abort();
      }, 50);
    });
    const error = await failureOf(rig.stream(requestOf(), caller.signal).next());
    expect(error.kind).toBe('cancelled');
    expect(error.details.used).toEqual(used);
  });

  it('is cancelled while it still connects', async () => {
    // Reserved for documentation: no route leads there, so the connection hangs or fails.
    const rig = rigAt('http://192.0.2.1:9/v1');
    const next = failureOf(rig.stream(requestOf(), AbortSignal.timeout(20)).next());
    expect(['cancelled', 'unreachable']).toContain((await next).kind);
  });

  it('leaves the upstream when its generator is returned', async () => {
    const { rig, upstream } = await rigFor(sse([opening], 'hang'));
    const pages = rig.stream(requestOf(), never);
    await pages.next();
    await pages.return({ promptTokens: 0, completionTokens: 0, source: 'counted' });
    expect(await upstream.received[0]?.left).toBeGreaterThan(0);
  });
});

describe('a slow consumer', () => {
  it('stops the upstream until it takes more, and misses nothing', async () => {
    const words = Array.from({ length: 4_000 }, (_, index) => `${index} ${'x'.repeat(4_000)}`);
    let written = 0;
    const { rig } = await rigFor((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const write = (): void => {
        while (written < words.length) {
          written += 1;
          const chunk = deltaOf({ content: words[written - 1] });
          if (!response.write(eventOf(chunk))) {
            response.once('drain', write);
            return;
          }
        }
        response.end(eventOf(deltaOf({}, 'stop')) + DONE);
      };
      write();
    });
    const pages = rig.stream(requestOf(), never);
    const first = await pages.next();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const writtenWhileWaiting = written;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(written).toBe(writtenWhileWaiting);
    // Sixteen megabytes are on offer; only the content of the sockets' buffers was sent.
    expect(written).toBeLessThan(words.length);
    const rest = await drain(pages);
    expect(textOf(first.value as []) + textOf(rest.chunks)).toBe(words.join(''));
    expect(rest.usage.completionTokens).toBe(words.length);
  });
});
