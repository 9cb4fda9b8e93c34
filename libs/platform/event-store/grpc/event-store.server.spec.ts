import { once } from 'node:events';
import { connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventStore } from '../event-store.port.js';
import { counted, event, metadata, readLog } from '../event-store.fixture.js';
import { PENDING_APPENDS_MAX, UNFINISHED_APPENDS_MAX } from './batch-append.call.js';
import { failureOf } from './clients.fixture.js';
import { MESSAGE_BYTES_MAX, serveEventStore } from './event-store.server.js';
import { RawClient } from './raw-client.fixture.js';
import { SUBSCRIPTIONS_MAX } from './served-log.js';
import { openServedTestLog, type ServedTestLog } from './served-log.fixture.js';

const { Options } = streams.ReadReq;

const readAllRequest = (subscribe: boolean): Buffer => {
  const options = new Options().setAll(new Options.AllOptions().setStart(new shared.Empty()));
  if (subscribe) options.setSubscription(new Options.SubscriptionOptions());
  else options.setCount(String(Number.MAX_SAFE_INTEGER));
  options.setNoFilter(new shared.Empty()).setUuidOption(new Options.UUIDOption());
  return Buffer.from(new streams.ReadReq().setOptions(options).serializeBinary());
};

const batchRequest = (stream: string, isFinal: boolean): Buffer => {
  const options = new streams.BatchAppendReq.Options().setAny(new shared.Empty());
  options.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)));
  const given = event();
  const proposed = new streams.BatchAppendReq.ProposedMessage();
  proposed.setId(new shared.UUID().setString(given.id)).setData(Buffer.from('{}'));
  proposed.setCustomMetadata(Buffer.from(JSON.stringify(metadata)));
  proposed.getMetadataMap().set('type', 'Counted').set('content-type', 'application/json');
  const request = new streams.BatchAppendReq().setOptions(options).setIsFinal(isFinal);
  request.setCorrelationId(new shared.UUID().setString(given.id)).addProposedMessages(proposed);
  return Buffer.from(request.serializeBinary());
};

/** How a call ended; what it still delivers is thrown away. */
const endOf = async (call: NodeJS.ReadableStream): Promise<{ code?: number; details?: string }> => {
  const ended = once(call, 'error') as Promise<[{ code: number; details: string }]>;
  call.on('data', () => undefined);
  return (await ended)[0];
};

describe('the event store server', () => {
  let log: ServedTestLog;
  let client: RawClient;

  beforeEach(async () => {
    log = await openServedTestLog();
    client = new RawClient(log.port);
  });

  afterEach(async () => {
    client.close();
    await log.dispose();
  });

  it.each(['0.0.0.0', '::', '192.168.1.1', '128.0.0.1', 'example.org'])(
    'serves no plain text on %s',
    async (host) => {
      const serving = serveEventStore({
        eventStore: log.direct,
        host,
        port: 0,
        transport: { kind: 'insecure' },
      });
      await expect(serving).rejects.toThrow(`${host} is no loopback address`);
    },
  );

  it.each(['localhost', '127.0.0.2', '::1'])('serves plain text on %s', async (host) => {
    const server = await serveEventStore({
      eventStore: log.direct,
      host,
      port: 0,
      transport: { kind: 'insecure' },
    });
    expect(server.port).toBeGreaterThan(0);
    await server.close();
  });

  it('says when its port is taken', async () => {
    const options = { eventStore: log.direct, host: '127.0.0.1' } as const;
    const transport = { kind: 'insecure' } as const;
    const first = await serveEventStore({ ...options, port: 0, transport });
    await expect(serveEventStore({ ...options, port: first.port, transport })).rejects.toThrow(
      /EADDRINUSE/,
    );
    await first.close();
  });

  it('rejects a certificate that is none', async () => {
    const serving = serveEventStore({
      eventStore: log.direct,
      host: '127.0.0.1',
      port: 0,
      transport: {
        kind: 'tls',
        certificate: Buffer.from('certificate'),
        key: Buffer.from('key'),
        authenticate: () => Promise.resolve(false),
      },
    });
    await expect(serving).rejects.toThrow();
  });

  describe('given what is no request', () => {
    const nonsense = Buffer.from('nonsense');

    it('rejects it by name', async () => {
      const invalid = { code: status.INVALID_ARGUMENT };
      expect(await failureOf(client.append(nonsense))).toMatchObject(invalid);
      expect(await failureOf(client.append())).toMatchObject(invalid);
      expect(await endOf(client.read(nonsense))).toMatchObject(invalid);
      const batch = client.batchAppend();
      batch.write(nonsense);
      expect(await endOf(batch)).toMatchObject(invalid);
    });

    it('rejects a message that is too long', async () => {
      const batch = client.batchAppend();
      batch.write(Buffer.alloc(MESSAGE_BYTES_MAX + 1));
      expect(await endOf(batch)).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
    });
  });

  it('tells its owner of a defect, and the caller nothing about it', async () => {
    const defects: unknown[] = [];
    const broken = Object.assign(Object.create(log.direct) as EventStore, {
      append: () => Promise.reject(new TypeError('secret')),
    });
    const server = await serveEventStore({
      eventStore: broken,
      host: '127.0.0.1',
      port: 0,
      transport: { kind: 'insecure' },
      onDefect: (error) => defects.push(error),
    });
    const peer = new RawClient(server.port);
    const batch = peer.batchAppend();
    const answer = once(batch, 'data') as Promise<[Buffer]>;
    batch.write(batchRequest('job-1', true));
    const error = streams.BatchAppendResp.deserializeBinary((await answer)[0]).getError();
    expect(error?.getCode()).toBe(status.INTERNAL);
    expect(error?.getMessage()).toBe('the event store failed');
    expect(defects).toEqual([new TypeError('secret')]);
    batch.end();
    await once(batch, 'end');
    peer.close();
    await server.close();
  });

  describe('given readers who do not read', () => {
    const EVENTS = 20_000;

    beforeEach(async () => {
      for (let from = 0; from < EVENTS; from += 500) {
        const events = counted(500, from).map((one) => ({
          ...one,
          data: { ...one.data, text: 'x'.repeat(1_000) },
        }));
        await log.direct.append('job-1', events, 'any');
      }
    });

    // A bare HTTP/2 stream: the client library reads ahead of its caller without a bound.
    it.each([
      ['a reading', false],
      ['a subscription', true],
    ])('reads no more events for %s than its window takes', async (_case, subscribe) => {
      const session = connect(`http://${log.address}`);
      const call = session.request({
        ':method': 'POST',
        ':path': '/event_store.client.streams.Streams/Read',
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      const before = log.faulty.pages;
      const request = readAllRequest(subscribe);
      call.end(Buffer.concat([Buffer.from([0, 0, 0, 0, request.length]), request]));
      await sleep(700);
      expect(log.faulty.pages - before).toBeLessThanOrEqual(2);
      let bytes = 0;
      const whole = new Promise<void>((resolve) => {
        call.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > EVENTS * 1_000) resolve();
        });
      });
      await whole;
      session.destroy();
    });
  });

  it(`answers at most ${PENDING_APPENDS_MAX} appends of one call at a time`, async () => {
    log.faulty.failNext(
      ...Array.from({ length: PENDING_APPENDS_MAX }, () => ({ kind: 'held' as const })),
    );
    const before = log.faulty.appends;
    const batch = client.batchAppend();
    let answers = 0;
    const total = PENDING_APPENDS_MAX + 500;
    const answered = new Promise<void>((resolve) => {
      batch.on('data', () => {
        answers += 1;
        if (answers === total) resolve();
      });
    });
    for (let index = 0; index < total; index += 1) batch.write(batchRequest('job-1', true));
    // A busy machine may need longer to hand over what may be handed over; no more may follow.
    while (log.faulty.appends - before < PENDING_APPENDS_MAX) await sleep(20);
    await sleep(500);
    expect(log.faulty.appends - before).toBe(PENDING_APPENDS_MAX);
    log.faulty.release();
    await answered;
    batch.end();
    await once(batch, 'end');
    expect(await readLog(log.direct)).toHaveLength(total);
  });

  it(`keeps at most ${UNFINISHED_APPENDS_MAX} appends of one call that are not whole`, async () => {
    const batch = client.batchAppend();
    const rejected = once(batch, 'data') as Promise<[Buffer]>;
    for (let index = 0; index <= UNFINISHED_APPENDS_MAX; index += 1) {
      batch.write(batchRequest('job-1', false));
    }
    const answer = streams.BatchAppendResp.deserializeBinary((await rejected)[0]);
    expect(answer.getError()?.getMessage()).toMatch(/waiting for their last part/);
    batch.end();
    await once(batch, 'end');
    expect(await readLog(log.direct)).toEqual([]);
  });

  it(`takes at most ${SUBSCRIPTIONS_MAX} subscriptions, and one more once one ends`, async () => {
    const subscribe = async () => {
      const call = client.read(readAllRequest(true));
      call.on('error', () => undefined);
      await once(call, 'data');
      return call;
    };
    const calls = await Promise.all(Array.from({ length: SUBSCRIPTIONS_MAX }, subscribe));
    expect(await endOf(client.read(readAllRequest(true)))).toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
    });
    calls[0]?.cancel();
    await sleep(100);
    await subscribe();
    for (const call of calls) call.cancel();
  });

  describe('closing', () => {
    const open = (eventStore: EventStore) =>
      serveEventStore({
        eventStore,
        host: '127.0.0.1',
        port: 0,
        transport: { kind: 'insecure' },
      });

    it('ends subscriptions, answers what was begun, and leaves the store open', async () => {
      const server = await open(log.faulty);
      const peer = new RawClient(server.port);
      const subscription = peer.read(readAllRequest(true));
      const ended = endOf(subscription);
      log.faulty.failNext({ kind: 'held' });
      const batch = peer.batchAppend();
      const answer = once(batch, 'data') as Promise<[Buffer]>;
      batch.write(batchRequest('job-1', true));
      await sleep(100);
      const over = endOf(batch);
      let closed = false;
      const closing = server.close().then(() => (closed = true));
      expect(await ended).toMatchObject({ code: status.UNAVAILABLE });
      await sleep(100);
      expect(closed).toBe(false);
      log.faulty.release();
      const [bytes] = await answer;
      expect(streams.BatchAppendResp.deserializeBinary(bytes).hasSuccess()).toBe(true);
      expect(await over).toMatchObject({ code: status.UNAVAILABLE });
      await closing;
      await server.close();
      expect(await readLog(log.direct)).toHaveLength(1);
      peer.close();
    });

    it('does not wait for a peer who takes nothing', async () => {
      for (let from = 0; from < 10; from += 1) {
        await log.direct.append('job-1', [event('Sized', { text: 'x'.repeat(500_000) })], 'any');
      }
      const server = await open(log.direct);
      const peer = new RawClient(server.port);
      const call = peer.read(readAllRequest(true));
      call.on('error', () => undefined);
      call.pause();
      await sleep(200);
      const startedAt = Date.now();
      await server.close();
      expect(Date.now() - startedAt).toBeLessThan(2_000);
      peer.close();
    });
  });
});
