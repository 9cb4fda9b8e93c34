import { randomUUID } from 'node:crypto';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import converting from '@eventstore/db-client/dist/utils/convertGrpcEvent.js';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { metadata } from '../event-store.fixture.js';
import {
  decodeReadAnswer,
  encodeLogPage,
  encodeStreamPage,
  encodeSubscription,
} from './read.messages.js';

const { ReadReq, ReadResp } = streams;
const { convertGrpcEvent } = converting;

const optionsOf = (bytes: Buffer) => {
  const options = ReadReq.deserializeBinary(bytes).getOptions();
  if (!options) throw new Error('no options');
  return options;
};

describe('a request to read, as the package reads it', () => {
  const page = { direction: 'forwards', from: null, maxCount: 512 } as const;

  it('names the stream, its place, direction and count, and wants ids as text', () => {
    const options = optionsOf(encodeStreamPage('job-ü', { ...page, from: 7n }));
    const name = options.getStream()?.getStreamIdentifier()?.getStreamName_asU8() ?? [];
    expect(Buffer.from(name).toString()).toBe('job-ü');
    expect(options.getStream()?.getRevision()).toBe('7');
    expect(options.getReadDirection()).toBe(0);
    expect(options.getCount()).toBe('512');
    expect(options.hasNoFilter()).toBe(true);
    expect(options.getUuidOption()?.hasString()).toBe(true);
  });

  it('begins at either end', () => {
    const backwards = { ...page, direction: 'backwards' } as const;
    expect(optionsOf(encodeStreamPage('a', page)).getStream()?.hasStart()).toBe(true);
    expect(optionsOf(encodeStreamPage('a', backwards)).getStream()?.hasEnd()).toBe(true);
    expect(optionsOf(encodeLogPage(page, undefined)).getAll()?.hasStart()).toBe(true);
    const last = optionsOf(encodeLogPage(backwards, undefined));
    expect(last.getAll()?.hasEnd()).toBe(true);
    expect(last.getReadDirection()).toBe(1);
  });

  it('names a place in the log, however large', () => {
    const from = 2n ** 63n - 1n;
    const position = optionsOf(encodeLogPage({ ...page, from }, undefined))
      .getAll()
      ?.getPosition();
    expect(position?.getCommitPosition()).toBe(String(from));
    expect(position?.getPreparePosition()).toBe(String(from));
  });

  it.each(['stream', 'type'] as const)('filters by %s', (by) => {
    const prefixes = ['account-', 'job-ü'];
    const filter = optionsOf(encodeLogPage(page, { by, prefixes })).getFilter();
    const expression = by === 'stream' ? filter?.getStreamIdentifier() : filter?.getEventType();
    expect(expression?.getPrefixList()).toEqual(prefixes);
    expect(filter?.hasCount()).toBe(true);
    expect(filter?.getCheckpointintervalmultiplier()).toBe(1);
  });

  it('follows the whole log', () => {
    const all = optionsOf(encodeSubscription(0n));
    expect([all.hasSubscription(), all.hasNoFilter(), all.getAll()?.hasStart()]).toEqual([
      true,
      true,
      true,
    ]);
    const later = optionsOf(encodeSubscription(77n));
    expect(later.getAll()?.getPosition()?.getCommitPosition()).toBe('77');
  });
});

interface Given {
  readonly id: string;
  readonly isIdText: boolean;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly type: string;
  readonly contentType: string;
  readonly createdMs: number;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

/** An answer as a server would make it with the package's messages. */
const answerOf = (given: Given) => {
  const id = new shared.UUID();
  if (given.isIdText) id.setString(given.id);
  else {
    const halves = Buffer.from(given.id.replaceAll('-', ''), 'hex');
    const structured = new shared.UUID.Structured();
    structured.setMostSignificantBits(String(halves.readBigInt64BE(0)));
    structured.setLeastSignificantBits(String(halves.readBigInt64BE(8)));
    id.setStructured(structured);
  }
  const record = new ReadResp.ReadEvent.RecordedEvent();
  record.setId(id);
  const stream = new shared.StreamIdentifier();
  stream.setStreamName(Buffer.from(given.stream));
  record.setStreamIdentifier(stream);
  record.setStreamRevision(String(given.revision));
  record.setCommitPosition(String(given.position));
  record.setPreparePosition(String(given.position));
  record.getMetadataMap().set('type', given.type);
  record.getMetadataMap().set('content-type', given.contentType);
  record.getMetadataMap().set('created', `${given.createdMs}0000`);
  record.setCustomMetadata(given.metadata);
  record.setData(given.data);
  const event = new ReadResp.ReadEvent();
  event.setEvent(record);
  event.setCommitPosition(String(given.position));
  const answer = new ReadResp();
  answer.setEvent(event);
  return answer;
};

const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const given: fc.Arbitrary<Given> = fc.record({
  id: fc.uuid({ version: [1, 2, 3, 4, 5] }),
  isIdText: fc.boolean(),
  stream: fc.string({ minLength: 1, unit: 'grapheme' }),
  revision: uint64,
  position: uint64,
  type: fc.string({ minLength: 1, unit: 'grapheme' }),
  contentType: fc.constantFrom('application/json', 'application/octet-stream'),
  createdMs: fc.integer({ min: 1, max: 4_000_000_000_000 }),
  data: fc
    .oneof(fc.json(), fc.string({ unit: 'grapheme' }), fc.constant('{"text":"Zoë 🧶"}'))
    .map((text) => Buffer.from(text)),
  metadata: fc
    .oneof(fc.constant(''), fc.constant(JSON.stringify(metadata)), fc.json())
    .map((text) => Buffer.from(text)),
});

describe('an answer', () => {
  it('is the event that the package makes of it', () => {
    fc.assert(
      fc.property(given, (event) => {
        const answer = answerOf(event);
        const grpcEvent = answer.getEvent();
        if (!grpcEvent) throw new Error('no event');
        const { event: expected } = convertGrpcEvent(grpcEvent);
        const { position, data, ...rest } = expected ?? {};
        const found = decodeReadAnswer(Buffer.from(answer.serializeBinary()));
        const bytes = data instanceof Uint8Array ? Buffer.from(data) : data;
        expect(found).toEqual({ ...rest, data: bytes, position: { commit: position?.commit } });
      }),
    );
  });

  it('is text where it is no JSON after all', () => {
    const event = {
      id: randomUUID(),
      isIdText: true,
      stream: 'a-1',
      revision: 0n,
      position: 1n,
      type: 'Foreign',
      contentType: 'application/json',
      createdMs: 1,
      data: Buffer.from('{'),
      metadata: Buffer.from('{'),
    };
    const found = decodeReadAnswer(Buffer.from(answerOf(event).serializeBinary()));
    expect(found).toMatchObject({ data: '{', metadata: '{' });
  });

  it('may be that there is no such stream', () => {
    const answer = new ReadResp();
    answer.setStreamNotFound(new ReadResp.StreamNotFound());
    expect(decodeReadAnswer(Buffer.from(answer.serializeBinary()))).toBe('stream-not-found');
  });

  it('may be no event', () => {
    const confirmation = new ReadResp.SubscriptionConfirmation();
    confirmation.setSubscriptionId('one');
    const checkpoint = new ReadResp.Checkpoint();
    checkpoint.setCommitPosition('7');
    const answers = [new ReadResp(), new ReadResp(), new ReadResp()];
    answers[0]?.setConfirmation(confirmation);
    answers[1]?.setCheckpoint(checkpoint);
    for (const answer of answers) {
      expect(decodeReadAnswer(Buffer.from(answer.serializeBinary()))).toBeNull();
    }
  });

  it('that is cut short is rejected', () => {
    const bytes = Buffer.from('0a05', 'hex');
    expect(() => decodeReadAnswer(bytes)).toThrow('cut short');
  });
});
