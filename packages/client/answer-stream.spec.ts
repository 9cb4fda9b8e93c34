import { describe, expect, it } from '@jest/globals';
import { AnswerStream, type StreamEvent } from './answer-stream.js';

const ID = '01980000-0000-7000-8000-000000000001';

const chunk = (n: number, data = `"chunk ${n}"`): string => `id: ${ID}-${n}\ndata: ${data}\n\n`;

/** An answer in these pieces; without a clean end it breaks. */
const answered = (pieces: readonly string[], end: 'clean' | 'broken' = 'clean'): Response => {
  const left = [...pieces];
  const body = new ReadableStream({
    pull: (controller) => {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
      else if (end === 'clean') controller.close();
      else controller.error(new TypeError('reset'));
    },
  });
  return new Response(body, { headers: { 'x-request-id': ID, 'x-quipu-resumable': 'true' } });
};

const reading = (first: Response, resumed: readonly Response[] = [], retriesMax = 2) => {
  const asked: (readonly [string, string | null])[] = [];
  const left = [...resumed];
  const stream = new AnswerStream({
    response: first,
    retriesMax,
    resume: (streamId, lastEventId) => {
      asked.push([streamId, lastEventId]);
      return Promise.resolve(left.shift() ?? answered([]));
    },
  });
  return { asked, stream };
};

const eventsOf = async (stream: AnswerStream): Promise<readonly string[]> => {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events.map(({ data }) => data);
};

describe('the stream of an answer', () => {
  it('is read on where its connection broke, in the middle of an event', async () => {
    const { asked, stream } = reading(answered([chunk(1), chunk(2).slice(0, 20)], 'broken'), [
      answered([chunk(2)]),
      answered([': cost\n\n', chunk(3, '[DONE]')]),
    ]);
    expect(await eventsOf(stream)).toEqual(['"chunk 1"', '"chunk 2"', '[DONE]']);
    expect(asked).toEqual([
      [ID, `${ID}-1`],
      [ID, `${ID}-2`],
    ]);
    expect(stream.lastEventId).toBe(`${ID}-3`);
  });

  it('is read from its first event if it broke before', async () => {
    const { asked, stream } = reading(answered([], 'broken'), [answered([chunk(1, '[DONE]')])]);
    expect(await eventsOf(stream)).toEqual(['[DONE]']);
    expect(asked).toEqual([[ID, null]]);
  });

  it.each(['response.completed', 'response.incomplete', 'response.failed', 'message_stop'])(
    'ends with the event %s',
    async (event) => {
      const { asked, stream } = reading(answered([`event: ${event}\nid: ${ID}-1\ndata: {}\n\n`]));
      expect(await eventsOf(stream)).toEqual(['{}']);
      expect(asked).toEqual([]);
    },
  );

  it('fails after connections in succession that bring nothing', async () => {
    const { asked, stream } = reading(answered([chunk(1)], 'broken'));
    await expect(eventsOf(stream)).rejects.toMatchObject({ code: 'stream_broken', requestId: ID });
    expect(asked).toHaveLength(2);
  });

  it('fails at once if the gateway does not keep it', async () => {
    const response = answered(['data: 1\n\n'], 'broken');
    response.headers.delete('x-quipu-resumable');
    const { asked, stream } = reading(response);
    await expect(eventsOf(stream)).rejects.toThrow('the stream broke off: reset');
    expect(asked).toEqual([]);
  });

  it.each([
    ['data: {"error":{"code":"stream_lost","message":"gone"}}\n\n', 'stream_lost'],
    ['event: error\ndata: {"type":"error","error":{"type":"api_error"}}\n\n', 'api_error'],
  ])('fails with the error that it contains: %j', async (text, code) => {
    const { stream } = reading(answered([chunk(1), text]));
    await expect(eventsOf(stream)).rejects.toMatchObject({ name: 'QuipuError', code });
  });
});
