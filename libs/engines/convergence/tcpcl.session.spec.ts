import { afterEach, describe, expect, it } from '@jest/globals';
import { duplexPair } from 'node:stream';
import { connect } from 'node:net';
import { once } from 'node:events';
import { type ConvergenceError } from './convergence.errors.js';
import { ManualTimers } from './manual-timers.fixture.js';
import { CERTIFICATES } from './certificates.fixture.js';
import { MessageDecoder } from './tcpcl.decoder.js';
import {
  encodeContact,
  encodeMessage,
  lengthItem,
  type Message,
  REFUSE_REASONS,
} from './tcpcl.messages.js';
import { connectTcpcl, serveTcpcl, type TcpclServer } from './tcpcl.js';
import { type SessionOptions, TcpclSession } from './tcpcl.session.js';
import { systemTimers } from './timers.js';

const MRU = 1_000;
const LOCAL = '127.0.0.1';

const optionsOf = (node: string, more: Partial<SessionOptions> = {}): SessionOptions => ({
  ...{ node, role: 'active', keepaliveSec: 0, segmentMru: MRU, transferMru: 100_000, tls: null },
  ...{ timers: systemTimers, take: () => Promise.resolve(null) },
  ...more,
});

const bytesOf = (length: number, seed: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, at) => (at * 31 + seed) % 256));

const servers: TcpclServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const pair = async (
  server: Partial<SessionOptions>,
  client: Partial<SessionOptions> = {},
): Promise<{ client: TcpclSession; session: TcpclSession; faults: ConvergenceError[] }> => {
  const opened = Promise.withResolvers<TcpclSession>();
  const faults: ConvergenceError[] = [];
  const served = await serveTcpcl(
    { host: LOCAL, port: 0 },
    {
      ...optionsOf('dtn://server/', server),
      ...{ onSession: opened.resolve, onFault: (fault) => faults.push(fault), connectionsMax: 4 },
    },
  );
  servers.push(served);
  const address = { host: LOCAL, port: served.port };
  const session = await connectTcpcl(address, optionsOf('dtn://client/', client));
  return { client: session, session: await opened.promise, faults };
};

describe('two peers of TCPCLv4', () => {
  it('exchange bundles of one and of many segments in both directions at once', async () => {
    const taken: [string, Buffer][] = [];
    const take = (bundle: Uint8Array, peer: string) => {
      taken.push([peer, Buffer.from(bundle)]);
      return Promise.resolve(null);
    };
    const { client, session } = await pair({ take }, { take });
    expect([client.peer.node, session.peer.node]).toEqual(['dtn://server/', 'dtn://client/']);
    const bundles = [0, 1, MRU, MRU + 1, 10 * MRU, 99_999].map((length, seed) =>
      bytesOf(length, seed),
    );
    await Promise.all(bundles.flatMap((one) => [client.send(one), session.send(one)]));
    for (const peer of ['dtn://client/', 'dtn://server/']) {
      expect(taken.filter(([from]) => from === peer).map(([, one]) => one)).toEqual(bundles);
    }
    await client.end();
    expect(await Promise.all([client.ended, session.ended])).toEqual([null, null]);
  });

  it('acknowledge a bundle when it is stored, and not before', async () => {
    const stored = Promise.withResolvers<null>();
    const { client } = await pair({ take: () => stored.promise });
    let isSent = false;
    const sending = client.send(bytesOf(10, 1)).then(() => (isSent = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isSent).toBe(false);
    stored.resolve(null);
    await sending;
  });

  it('refuse a bundle with a reason, and go on', async () => {
    const { client } = await pair({
      take: (bundle) => Promise.resolve(bundle.length > 5 ? REFUSE_REASONS.notAcceptable : null),
    });
    const refused = { code: 'refused', reason: REFUSE_REASONS.notAcceptable };
    await expect(client.send(bytesOf(6, 1))).rejects.toMatchObject(refused);
    await client.send(bytesOf(5, 1));
    await expect(client.send(bytesOf(100_001, 1))).rejects.toMatchObject({ code: 'too_large' });
  });
});

describe('TLS between two peers', () => {
  const { server, client, foreign } = CERTIFICATES;

  it('protects a session whose peers have certificates of one authority', async () => {
    const { client: session } = await pair({ tls: server }, { tls: client });
    expect(session.peer.isSecure).toBe(true);
    await session.send(bytesOf(5_000, 1));
  });

  it.each([
    ['offers none', null],
    ['has a certificate of another authority', foreign],
  ])('ends the session where the active peer %s', async (_, tls) => {
    const opening = pair({ tls: server }, { tls });
    await expect(opening).rejects.toMatchObject({ name: 'ConvergenceError' });
  });
});

const START = 1_000;

/** A session whose peer is the test. */
const against = (more: Partial<SessionOptions> = {}) => {
  const [own, far] = duplexPair();
  const timers = new ManualTimers(START);
  const opening = TcpclSession.open(
    own,
    optionsOf('dtn://here/', { role: 'passive', timers, ...more }),
  );
  const decoder = new MessageDecoder(MRU);
  const heard: Message[] = [];
  let isContact = true;
  far.on('data', (chunk: Buffer) => {
    decoder.push(isContact ? chunk.subarray(6) : chunk);
    isContact = false;
    for (let next = decoder.next(); next; next = decoder.next()) heard.push(next);
  });
  const say = async (...messages: readonly Message[]) => {
    for (const message of messages) far.write(encodeMessage(message));
    await timers.settle();
  };
  const init = async () => {
    far.write(encodeContact(false));
    await say({
      ...{ type: 'init', node: 'dtn://far/', keepaliveSec: 30, items: [] },
      ...{ segmentMru: MRU, transferMru: MRU },
    });
    return opening;
  };
  return { opening, timers, heard, say, init, own, far };
};

const segment = (transfer: number, text: string, more: object = {}): Message => ({
  ...{ type: 'segment', isStart: true, isEnd: true, transfer, items: [] },
  ...{ data: Buffer.from(text) },
  ...more,
});

describe('a session of TCPCLv4', () => {
  it('sends keepalives, and ends when its peer is silent for two intervals', async () => {
    const { timers, heard, init } = against({ keepaliveSec: 60 });
    const session = await init();
    await timers.pass(31_000);
    expect(heard.at(-1)).toEqual({ type: 'keepalive' });
    await timers.pass(31_000);
    expect(heard.at(-1)).toEqual({ type: 'term', isReply: false, reason: 1 });
    expect(await session.ended).toMatchObject({ code: 'timed_out' });
  });

  it('lasts while its peer sends keepalives', async () => {
    const { timers, say, init } = against({ keepaliveSec: 60 });
    const session = await init();
    for (let n = 0; n < 20; n += 1) {
      await timers.pass(25_000);
      await say({ type: 'keepalive' });
    }
    expect(session.isOpen).toBe(true);
  });

  it('acknowledges each segment, and refuses what it did not announce to take', async () => {
    const { heard, say, init } = against({ transferMru: 8 });
    await init();
    heard.length = 0;
    const critical = { isCritical: true, type: 99, value: Buffer.of(1) };
    await say(
      segment(0, 'abc', { isEnd: false, items: [lengthItem(5)] }),
      segment(0, 'de', { isStart: false }),
      segment(1, 'abc', { isEnd: false, items: [lengthItem(9)] }),
      segment(1, 'def', { isStart: false }),
      segment(2, 'abcdefghi'),
      segment(3, 'abc', { items: [lengthItem(4)] }),
      segment(4, 'abc', { items: [critical] }),
      segment(5, 'abc', { items: [{ ...critical, isCritical: false }] }),
    );
    expect(heard).toEqual([
      { type: 'ack', isStart: true, isEnd: false, transfer: 0, length: 3 },
      { type: 'ack', isStart: false, isEnd: true, transfer: 0, length: 5 },
      { type: 'refuse', transfer: 1, reason: REFUSE_REASONS.noResources },
      { type: 'refuse', transfer: 2, reason: REFUSE_REASONS.noResources },
      { type: 'refuse', transfer: 3, reason: REFUSE_REASONS.notAcceptable },
      { type: 'refuse', transfer: 4, reason: REFUSE_REASONS.extensionFailure },
      { type: 'ack', isStart: true, isEnd: true, transfer: 5, length: 3 },
    ]);
  });

  it('lets its peer end it, after the answers', async () => {
    const { heard, say, init } = against();
    const session = await init();
    heard.length = 0;
    await say(segment(0, 'a'), { type: 'term', isReply: false, reason: 3 });
    expect(heard).toEqual([
      { type: 'ack', isStart: true, isEnd: true, transfer: 0, length: 1 },
      { type: 'term', isReply: true, reason: 3 },
    ]);
    expect(await session.ended).toBeNull();
  });

  it('acknowledges what it is storing before it ends', async () => {
    const stored = Promise.withResolvers<null>();
    const { heard, say, init } = against({ take: () => stored.promise });
    const session = await init();
    heard.length = 0;
    await say(segment(0, 'a'), { type: 'term', isReply: false, reason: 0 });
    stored.resolve(null);
    expect(await session.ended).toBeNull();
    expect(heard).toEqual([
      { type: 'term', isReply: true, reason: 0 },
      { type: 'ack', isStart: true, isEnd: true, transfer: 0, length: 1 },
    ]);
  });

  it.each<readonly [string, Message, object]>([
    ['a segment of no transfer', segment(3, 'a', { isStart: false }), { reason: 3, header: 1 }],
    [
      'a second initiation',
      {
        ...{ type: 'init', node: 'dtn://far/', keepaliveSec: 0, items: [] },
        ...{ segmentMru: 1, transferMru: 1 },
      },
      { reason: 3, header: 7 },
    ],
  ])('rejects %s, and ends', async (_, message, rejection) => {
    const { heard, say, init } = against();
    const session = await init();
    await say(message);
    expect(heard.at(-1)).toEqual({ type: 'reject', ...rejection });
    expect(await session.ended).toMatchObject({ code: 'malformed' });
  });

  it('fails what is under way when the connection breaks', async () => {
    const { init, own } = against();
    const session = await init();
    const failure = expect(session.send(bytesOf(10, 1))).rejects.toMatchObject({ code: 'closed' });
    own.destroy();
    await failure;
  });

  it('ends for an acknowledgement of bytes that were not sent', async () => {
    const { say, init } = against();
    const session = await init();
    await say({ type: 'ack', isStart: true, isEnd: true, transfer: 9, length: 1 });
    expect(await session.ended).toMatchObject({ code: 'malformed' });
  });

  it('does not begin with another version, other bytes or an unknown critical item', async () => {
    const version = against();
    version.far.write(Buffer.from('64746e210300', 'hex'));
    await expect(version.opening).rejects.toMatchObject({ code: 'unsupported' });
    const bytes = against();
    bytes.far.write(Buffer.from('GET / HTTP/1.1'));
    await expect(bytes.opening).rejects.toMatchObject({ code: 'malformed' });
    const silent = against();
    const late = expect(silent.opening).rejects.toMatchObject({ code: 'timed_out' });
    await silent.timers.pass(15_000);
    await late;
  });
});

it('a connection that is no session does not stop the server', async () => {
  const { client, faults } = await pair({});
  const port = servers[0]?.port ?? 0;
  const socket = connect(port, LOCAL);
  socket.on('error', () => undefined);
  socket.resume().end('GET / HTTP/1.1');
  await once(socket, 'close');
  await client.send(bytesOf(10, 1));
  expect(faults).toMatchObject([{ code: 'malformed' }]);
});
