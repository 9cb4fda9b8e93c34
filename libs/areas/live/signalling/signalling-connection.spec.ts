import { afterEach, describe, expect, it } from '@jest/globals';
import { closeLive, openLive, ScriptedSocket } from '../live.fixture.js';
import { PeerError } from '../peers.engine.js';
import { SDP_LENGTH_MAX } from './client-messages.js';
import { MESSAGES_PER_SECOND_MAX, OFFERS_MAX } from './signalling-connection.js';

const connected = async () => {
  const live = openLive();
  const socket = new ScriptedSocket();
  const connection = await live.sessions.connect(await live.open(), socket);
  const tell = (message: unknown) => connection.receive(JSON.stringify(message));
  return { ...live, socket, connection, tell };
};
const offerOf = (sdp: string) => ({ type: 'offer', sdp });

describe('a signalling connection', () => {
  afterEach(closeLive);

  it('says first how the session is, and answers an offer', async () => {
    const { socket, tell } = await connected();
    await tell(offerOf('v=0'));
    expect(socket.heard).toEqual([
      {
        ...{
          type: 'ready',
          width: 64,
          height: 64,
          target_fps: 4,
          needs_prompt: false,
          video: null,
        },
        held_until: '2026-11-26T05:01:00.000Z',
        expires_at: '2026-11-26T05:10:00.000Z',
      },
      { type: 'answer', sdp: 'v=0' },
    ]);
  });

  it.each([
    ['no JSON', 'v=0', 'the message: expected JSON'],
    ['bytes', null, 'the message: expected text'],
    ['another type', '{"type":"hello"}', 'type: '],
    ['a field too many', '{"type":"bye","now":true}', 'the message: '],
    ['a long offer', JSON.stringify(offerOf('v'.repeat(SDP_LENGTH_MAX + 1))), 'sdp: '],
    ['a long prompt', JSON.stringify({ type: 'prompt', prompt: 'x'.repeat(4_001) }), 'prompt: '],
  ])('names the fault of %s', async (_, text, fault) => {
    const { socket, connection } = await connected();
    await connection.receive(text);
    expect(socket.heard.at(-1)).toEqual({
      ...{ type: 'error', code: 'invalid_message' },
      message: expect.stringContaining(fault),
    });
  });

  it('accepts candidates, which an ICE-lite agent does not need', async () => {
    const { socket, tell } = await connected();
    await tell({ type: 'candidate', candidate: { candidate: 'candidate:1 1 udp 1 a.local 9' } });
    await tell({ type: 'candidate', candidate: null });
    expect(socket.heard).toHaveLength(1);
  });

  it('answers one offer after the other, and no more than 16', async () => {
    const { socket, tell, peers } = await connected();
    const pending = Promise.withResolvers<string>();
    peers.answer = () => pending.promise;
    const first = tell(offerOf('v=0'));
    await tell(offerOf('v=0'));
    expect(socket.heard.at(-1)).toMatchObject({ type: 'error', code: 'offer_pending' });
    pending.resolve('v=1');
    await first;
    peers.answer = () => Promise.resolve('v=0');
    for (let offers = 1; offers < OFFERS_MAX; offers += 1) await tell(offerOf('v=0'));
    expect(socket.closedWith).toBeNull();
    await tell(offerOf('v=0'));
    expect(socket.closedWith).toEqual({ code: 1_008, reason: 'too many offers' });
  });

  it('says that an offer cannot be answered', async () => {
    const { socket, tell, peers } = await connected();
    peers.failure = new PeerError('sdp', 'the offer cannot be answered');
    await tell(offerOf('nonsense'));
    expect(socket.heard.at(-1)).toMatchObject({ type: 'error', code: 'invalid_sdp' });
  });

  it('ends under a flood of messages', async () => {
    const { socket, tell } = await connected();
    for (let message = 0; message <= MESSAGES_PER_SECOND_MAX; message += 1) {
      await tell({ type: 'candidate', candidate: null });
    }
    expect(socket.closedWith).toEqual({ code: 1_008, reason: 'too many messages' });
  });

  it('tells the client its ping, once for each that it answers', async () => {
    const { connection, socket, clock } = await connected();
    expect(socket.pings).toBe(1);
    clock.atMs += 30;
    connection.alive();
    clock.atMs += 500;
    connection.alive();
    const pings = socket.heard.filter(({ type }) => type === 'ping');
    expect(pings).toEqual([{ type: 'ping', client_ping_ms: 30 }]);
  });

  it('ends without an offer, and without a sign of life', async () => {
    const idle = await connected();
    for (let seconds = 0; seconds < 31; seconds += 1) {
      idle.connection.alive();
      await idle.pass(1);
    }
    expect(idle.socket.closedWith).toEqual({ code: 1_008, reason: 'no offer has come' });
    const silent = await connected();
    await silent.tell(offerOf('v=0'));
    await silent.pass(12);
    expect(silent.socket.pings).toBeGreaterThan(1);
    expect(silent.socket.closedWith).toEqual({ code: 4_000, reason: 'the client is silent' });
  });
});
