import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type OpenAnswer, openAnswer } from './open-answer.fixture.js';
import { comment, dataEvent, DONE, KEEP_ALIVE, SseWriter } from './sse.js';

/** More bytes than the buffers of both ends of a socket. */
const TOO_MUCH = 'x'.repeat(32 << 20);

describe('server-sent events', () => {
  it('carry JSON on one line', () => {
    expect(dataEvent({ text: 'a\nb' })).toBe('data: {"text":"a\\nb"}\n\n');
    expect(comment('a=b')).toBe(': a=b\n\n');
  });
});

describe('the writer of server-sent events', () => {
  let answer: OpenAnswer;
  let incoming: IncomingMessage;
  let response: ServerResponse;
  const controller = () => new AbortController();

  beforeEach(async () => {
    answer = await openAnswer();
    ({ response, incoming } = answer);
  });

  afterEach(async () => {
    await answer.close();
  });

  const received = async (): Promise<string> => {
    let text = '';
    for await (const chunk of incoming) text += String(chunk);
    return text;
  };

  it('writes the bytes and passes them to the tap', async () => {
    const tapped: string[] = [];
    const writer = new SseWriter(response, 60_000, controller().signal, (text) =>
      tapped.push(text),
    );
    const text = received();
    await writer.write(dataEvent({ a: 1 }));
    await writer.write(DONE);
    writer.end();
    expect(await text).toBe(`data: {"a":1}\n\n${DONE}`);
    expect(tapped.join('')).toBe(await text);
  });

  it('sends comments during silence, which are not part of the answer', async () => {
    const tapped: string[] = [];
    const writer = new SseWriter(response, 20, controller().signal, (text) => tapped.push(text));
    const [first] = (await once(incoming, 'data')) as [Buffer];
    expect(String(first)).toContain(KEEP_ALIVE);
    writer.end();
    expect(tapped).toEqual([]);
  });

  it('waits for a slow reader and removes its listeners', async () => {
    const writer = new SseWriter(response, 60_000, controller().signal);
    const before = response.listenerCount('close');
    const written = [writer.write(TOO_MUCH), writer.write('more')];
    incoming.resume();
    await Promise.all(written);
    expect(response.listenerCount('drain')).toBe(0);
    expect(response.listenerCount('close')).toBe(before);
    writer.end();
  });

  it('stops waiting when the reader leaves', async () => {
    const writer = new SseWriter(response, 60_000, controller().signal);
    const last = writer.write(TOO_MUCH);
    incoming.destroy();
    await last;
    await writer.write('more');
    writer.end();
  });

  it('stops waiting when the request is cut, and closes the blocked socket', async () => {
    const cut = controller();
    const writer = new SseWriter(response, 60_000, cut.signal);
    const last = writer.write(TOO_MUCH);
    cut.abort();
    await last;
    await writer.write('more');
    writer.end();
    expect(response.destroyed).toBe(true);
  });
});
