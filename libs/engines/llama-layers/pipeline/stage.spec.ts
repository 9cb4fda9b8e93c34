/** One stage in this process, on a real WebSocket that the spec drives by hand. */
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { encodeFrame, type Frame } from './frame.js';
import { FrameLink, type OutgoingFrame, type ReceivedFrame } from './frame-link.js';
import { NANO } from './pipeline.fixture.js';
import { callingHeaders, drawSecret } from './pipeline-secret.js';
import { Stage } from './stage.js';

const step: OutgoingFrame = {
  kind: 'step',
  request: 1,
  position: 0,
  count: 2,
  wantsLogits: true,
  payload: Int32Array.of(5, 6),
};
const bytesOf = (sequence: number, frame: Partial<Frame> = {}): Buffer =>
  encodeFrame({ ...step, sequence, sentAtNs: 0n, ...frame });

describe('a stage', () => {
  const secret = drawSecret();
  let stage: Stage;
  let port: number;
  let sockets: WebSocket[];

  beforeEach(async () => {
    sockets = [];
    ({ stage, port } = await Stage.listen({ secret, host: '127.0.0.1' }));
  });

  afterEach(() => {
    for (const socket of sockets) socket.terminate();
    stage.close();
  });

  const connect = async (at: 'head' | 'stage', shown = secret): Promise<WebSocket> => {
    const headers = callingHeaders(shown);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/${at}`, { headers });
    sockets.push(socket);
    await once(socket, 'open');
    return socket;
  };

  const call = async (socket: WebSocket, said: object): Promise<unknown> => {
    socket.send(JSON.stringify(said));
    for (;;) {
      const [data, isBinary] = (await once(socket, 'message')) as [Buffer, boolean];
      if (!isBinary) return JSON.parse(data.toString()) as unknown;
    }
  };

  it.each(['head', 'stage'] as const)('does not open %s without its secret', async (at) => {
    await expect(connect(at, drawSecret())).rejects.toThrow('401');
    await expect(connect(at, '')).rejects.toThrow('401');
    const bare = new WebSocket(`ws://127.0.0.1:${port}/${at}`);
    await expect(once(bare, 'open')).rejects.toThrow('401');
  });

  it('answers plain HTTP with nothing', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/head`);
    expect([answer.status, await answer.text()]).toEqual([426, '']);
  });

  it.each([
    ['a repeat', [bytesOf(0), bytesOf(0)], /0 came again/],
    ['a loss', [bytesOf(0), bytesOf(2)], /2 came where 1 was due/],
    ['damage', [bytesOf(0).fill(7, 40, 41)], /checksum/],
    ['other bytes', [Buffer.from('hello')], /5 bytes/],
  ])('ends a link that shows %s', async (_, frames, reason) => {
    const socket = await connect('stage');
    const closed = once(socket, 'close') as Promise<[number, Buffer]>;
    for (const bytes of frames) socket.send(bytes);
    const [code, said] = await closed;
    expect(code).toBe(4_400);
    expect(said.toString()).toMatch(reason);
  });

  it('passes over positions that do not continue what it has', async () => {
    const socket = await connect('head');
    const results: ReceivedFrame[] = [];
    const link = new FrameLink(socket, true, (frame) => void results.push(frame));
    const range = { first: 0, last: 3 };
    expect(await call(socket, { call: 'load', modelFile: NANO, range })).toEqual({ ok: true });
    expect(await call(socket, { call: 'connect', url: null })).toEqual({ ok: true });
    await link.send({ ...step, position: 4 });
    await link.send(step);
    await link.send({ ...step, position: 1 });
    await link.send({ ...step, position: 2, count: 1, payload: Int32Array.of(9) });
    await link.send({ ...step, kind: 'release', position: 0, payload: '[]' });
    while (results.length < 3) await setTimeout(1);
    expect(results.map(({ kind, position }) => [kind, position])).toEqual([
      ['step', 0],
      ['step', 2],
      ['release', 0],
    ]);
    expect(JSON.parse(String(results[2]?.payload))).toMatchObject([{ frames: 2 }]);
  });

  it('says what it cannot load', async () => {
    const socket = await connect('head');
    const range = { first: 0, last: 3 };
    const answer = call(socket, { call: 'load', modelFile: `${NANO}.absent`, range });
    expect(await answer).toMatchObject({
      ok: false,
      code: 'model_failed',
      message: expect.stringContaining('absent'),
    });
  });
});

describe('a link', () => {
  it('holds frames back while too many bytes are not handled', async () => {
    const { stage, port } = await Stage.listen({ secret: 's', host: '127.0.0.1' });
    const socket = new WebSocket(`ws://127.0.0.1:${port}/stage`, { headers: callingHeaders('s') });
    await once(socket, 'open');
    const bytesMax = 1_000;
    const link = new FrameLink(socket, true, () => undefined, bytesMax);
    const large = { ...step, count: 200, payload: new Int32Array(200) };
    let sent = 0;
    let most = 0;
    const sending = (async () => {
      for (; sent < 50; sent += 1) {
        await link.send(large);
        most = Math.max(most, link.bytesInFlight);
      }
    })();
    await Promise.resolve();
    expect(sent).toBeLessThan(5);
    await sending;
    // Below the limit one more frame may go.
    expect(most).toBeGreaterThan(bytesMax);
    expect(most).toBeLessThan(bytesMax + 840);
    while (link.bytesInFlight > 0) await setTimeout(1);
    socket.terminate();
    stage.close();
  });
});
