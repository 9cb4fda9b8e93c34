import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { closeLive, openLive, ScriptedSocket } from './live.fixture.js';

const offer = JSON.stringify({ type: 'offer', sdp: 'v=0' });

const connected = async (more: { readonly prompt?: string | null } = {}) => {
  const live = openLive();
  const token = await live.open({ targetFps: 30, ...more });
  const socket = new ScriptedSocket();
  const connection = await live.sessions.connect(token, socket);
  await connection.receive(offer);
  return { ...live, token, socket, connection };
};

const until = async (condition: () => boolean): Promise<void> => {
  for (let tries = 0; tries < 200 && !condition(); tries += 1) await sleep(10);
  expect(condition()).toBe(true);
};

const headerOf = (message: string | Uint8Array | undefined) => {
  const bytes = Buffer.from(message ?? '');
  const text = bytes.subarray(2, 2 + bytes.readUInt16BE(0)).toString();
  return JSON.parse(text) as { readonly frame_id: number; readonly stamp_ms: number };
};

describe('the frames of a session', () => {
  afterEach(closeLive);

  it('start from the frame before, or from the picture of the caller', async () => {
    const { open, draw, maker } = openLive();
    const token = await open();
    await draw(token);
    await draw(token);
    const image = Buffer.from('mine');
    await draw(token, { image });
    await draw(token);
    const starts = maker.orders.map(({ start }) => start);
    expect(starts).toEqual([null, 'frame 1', 'read mine', 'frame 3']);
  });

  it('keep their prompt and terms until others come', async () => {
    const { open, draw, maker } = openLive();
    const token = await open();
    await draw(token, { prompt: 'a blue ring', guidance: 3, strength: 0.2 });
    await draw(token);
    expect(maker.orders[1]).toMatchObject({
      prompt: { stated: { colour: 'blue', shape: 'ring' } },
      guidance: 3,
      strength: 0.2,
    });
  });

  it('hold the frame rate by their steps', async () => {
    const { open, draw } = openLive();
    const token = await open({ targetFps: 30 });
    expect((await draw(token)).frame.steps).toBe(2);
    // 10 ms for 2 steps leave room for 5 of them in 80 % of a thirtieth of a second.
    expect((await draw(token)).frame.steps).toBe(5);
  });

  it('are no more than the held minutes pay for', async () => {
    const { open, draw, pass } = openLive();
    const token = await open({ targetFps: 1 });
    for (let frame = 0; frame < 60; frame += 1) await draw(token);
    await expect(draw(token)).rejects.toMatchObject({ code: 'live_frames_used_up' });
    await pass(46);
    expect((await draw(token)).frame.frameId).toBe(61);
  });

  it('wait for one another, and at most two of them', async () => {
    const { open, draw, maker } = openLive();
    const token = await open();
    maker.isHeld = true;
    const frames = [draw(token), draw(token)];
    await expect(draw(token)).rejects.toMatchObject({ kind: 'busy' });
    await until(() => maker.finish.length === 1);
    maker.isHeld = false;
    maker.finish[0]?.();
    const ids = (await Promise.all(frames)).map(({ frame }) => frame.frameId);
    expect(ids).toEqual([1, 2]);
  });

  it('count only when they were drawn', async () => {
    const { open, draw, maker } = openLive();
    const token = await open();
    maker.failure = new Error('no');
    await expect(draw(token)).rejects.toThrow('no');
    maker.failure = null;
    expect((await draw(token)).frame.frameId).toBe(1);
  });

  it('are streamed while the channel is open, one after the other', async () => {
    const { peers, maker } = await connected();
    peers.only.onChannel(true);
    await until(() => peers.sent.length >= 3);
    peers.only.onChannel(false);
    await sleep(80);
    const drawn = maker.orders.length;
    await sleep(80);
    expect(maker.orders).toHaveLength(drawn);
    expect(headerOf(peers.sent[1]).frame_id).toBe(2);
  });

  it('are shown in the video of the client too', async () => {
    const { peers, draw, token, socket } = await connected({ prompt: null });
    expect(socket.heard).toMatchObject([{ type: 'ready', video: null }, { type: 'answer' }]);
    expect(peers.terms).toEqual({ side: 32, width: 64, height: 64, fps: 30 });
    await draw(token);
    expect(peers.shown).toEqual([]);
    peers.only.onChannel(true);
    await until(() => peers.shown.length > 1);
  });

  it('wait for a prompt where there is none', async () => {
    const { peers, maker, connection, socket } = await connected({ prompt: null });
    expect(socket.heard).toMatchObject([{ type: 'ready', needs_prompt: true }, { type: 'answer' }]);
    peers.only.onChannel(true);
    await sleep(60);
    expect(maker.orders).toEqual([]);
    await connection.receive('{"type":"prompt","prompt":"a green cross"}');
    await until(() => maker.orders.length > 0);
  });

  it('are timed by the stamp that the client echoes, once and unchanged', async () => {
    const { peers, draw, token, clock } = await connected({ prompt: null });
    peers.only.onChannel(true);
    await draw(token);
    const { frame_id, stamp_ms } = headerOf(peers.sent[0]);
    const echo = (stamp: number) => JSON.stringify({ type: 'echo', frame_id, stamp_ms: stamp });
    clock.atMs += 40;
    peers.only.onMessage(echo(stamp_ms - 5_000));
    expect((await draw(token)).frame.glassToGlassMs).toBeNull();
    peers.only.onMessage(echo(stamp_ms));
    clock.atMs += 1_000;
    peers.only.onMessage(echo(stamp_ms));
    expect((await draw(token)).frame.glassToGlassMs).toBe(40);
  });

  it('start from a picture of the client, in a flood from the last one heard', async () => {
    const { peers, draw, token, maker } = await connected({ prompt: null });
    peers.only.onChannel(true);
    for (let message = 0; message < 1_000; message += 1) {
      peers.only.onMessage(Buffer.from(`picture ${message}`));
    }
    await draw(token);
    // 100 messages a second are heard.
    expect(maker.orders.at(-1)?.start).toBe('read picture 99');
  });

  it('survive the thread of the peers: the client hears it, and offers again', async () => {
    const { peers, draw, token, socket, connection } = await connected({ prompt: null });
    peers.only.onChannel(true);
    peers.only.onLost();
    expect(socket.heard.at(-1)).toEqual({ type: 'peer_lost' });
    expect((await draw(token)).frame.isSent).toBe(false);
    await connection.receive(offer);
    peers.only.onChannel(true);
    expect((await draw(token)).frame.isSent).toBe(true);
  });
});
