import { randomUUID } from 'node:crypto';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import timestamp from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { AppendTooLargeError, StaleRevisionError } from '../event-store.errors.js';
import { type ExpectedRevision, type RecordedEvent } from '../event-store.port.js';
import { metadata } from '../event-store.fixture.js';
import {
  decodeAppendRequest,
  decodeBatchAppendRequest,
  encodeAppended,
  encodeBatchAppended,
  encodeBatchFailure,
  encodeWrongExpectedVersion,
} from './append.messages.js';
import { MalformedMessageError, MessageReader } from './protobuf.reader.js';
import { MessageWriter } from './protobuf.writer.js';
import { decodeReadRequest, encodeCheckpoint, encodeEvent } from './read.messages.js';
import { batchFailureOf, timedOut } from './call-errors.js';

/** The stubs that the official client was generated with: what they say is the protocol. */
const read = (message: { serializeBinary(): Uint8Array }): MessageReader =>
  new MessageReader(Buffer.from(message.serializeBinary()));

const identifier = (stream: string) => {
  const message = new shared.StreamIdentifier();
  return message.setStreamName(Uint8Array.from(Buffer.from(stream)));
};

const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

/** Long enough that lengths of one, two and three bytes occur. */
const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(126, 127, 128, 129, 16_383, 16_384, 70_000).map((length) => 'é'.repeat(length)),
);

const EXPECTED = ['any', 'no-stream', 'stream-exists'] as const;
const expectations: fc.Arbitrary<ExpectedRevision> = fc.oneof(uint64, fc.constantFrom(...EXPECTED));

describe('requests', () => {
  it('reads readings of a stream as the generated stubs write them', () => {
    const { Options } = streams.ReadReq;
    fc.assert(
      fc.property(texts, uint64, uint64, fc.boolean(), (stream, from, count, backwards) => {
        const target = new Options.StreamOptions();
        target.setStreamIdentifier(identifier(stream)).setRevision(String(from));
        const options = new Options().setStream(target).setCount(String(count));
        options
          .setReadDirection(Options.ReadDirection[backwards ? 'BACKWARDS' : 'FORWARDS'])
          .setNoFilter(new shared.Empty());
        options.setUuidOption(new Options.UUIDOption().setString(new shared.Empty()));
        expect(decodeReadRequest(read(new streams.ReadReq().setOptions(options)))).toEqual({
          target: { kind: 'stream', stream: Buffer.from(stream).toString(), from },
          direction: backwards ? 'backwards' : 'forwards',
          extent: {
            kind: 'count',
            count: count < BigInt(Number.MAX_SAFE_INTEGER) ? Number(count) : Infinity,
          },
          uuidForm: 'string',
        });
      }),
    );
  });

  it('reads filtered subscriptions as the generated stubs write them', () => {
    const { Options } = streams.ReadReq;
    fc.assert(
      fc.property(
        fc.array(texts),
        fc.string(),
        fc.boolean(),
        fc.integer({ min: 1, max: 2 ** 31 - 1 }),
        (prefixes, regex, byType, checkpointMultiplier) => {
          const expression = new Options.FilterOptions.Expression();
          expression.setPrefixList(prefixes).setRegex(regex);
          const filter = new Options.FilterOptions().setMax(12);
          if (byType) filter.setEventType(expression);
          else filter.setStreamIdentifier(expression);
          filter.setCheckpointintervalmultiplier(checkpointMultiplier);
          const options = new Options().setFilter(filter);
          options.setAll(new Options.AllOptions().setEnd(new shared.Empty()));
          options.setSubscription(new Options.SubscriptionOptions());
          options.setUuidOption(new Options.UUIDOption().setStructured(new shared.Empty()));
          const decoded = decodeReadRequest(read(new streams.ReadReq().setOptions(options)));
          expect(decoded).toMatchObject({ extent: { kind: 'follow' }, uuidForm: 'structured' });
          expect(decoded.target).toEqual({
            kind: 'all',
            from: 'end',
            filter: {
              by: byType ? 'type' : 'stream',
              regex,
              prefixes: prefixes.map((prefix) => Buffer.from(prefix).toString()),
              checkpointMultiplier,
            },
          });
        },
      ),
    );
  });

  it('reads positions and edges of the whole log', () => {
    const { Options } = streams.ReadReq;
    const from = (all: InstanceType<typeof Options.AllOptions>) => {
      const options = new Options().setAll(all).setCount('1');
      return decodeReadRequest(read(new streams.ReadReq().setOptions(options))).target.from;
    };
    const place = new Options.Position().setCommitPosition('77').setPreparePosition('77');
    expect(from(new Options.AllOptions().setPosition(place))).toBe(77n);
    expect(from(new Options.AllOptions().setStart(new shared.Empty()))).toBe('start');
    expect(from(new Options.AllOptions().setEnd(new shared.Empty()))).toBe('end');
  });

  it('reads appends of both kinds as the generated stubs write them', () => {
    fc.assert(
      fc.property(texts, expectations, fc.uuid(), texts, (stream, expected, id, data) => {
        const options = new streams.AppendReq.Options().setStreamIdentifier(identifier(stream));
        const batch = new streams.BatchAppendReq.Options().setStreamIdentifier(identifier(stream));
        if (expected === 'any') [options, batch].forEach((one) => one.setAny(new shared.Empty()));
        else if (expected === 'no-stream') options.setNoStream(new shared.Empty());
        else if (expected === 'stream-exists') options.setStreamExists(new shared.Empty());
        else options.setRevision(String(expected));
        batch.setStreamPosition('5');
        const target = { stream: Buffer.from(stream).toString(), expected };
        expect(decodeAppendRequest(read(new streams.AppendReq().setOptions(options)))).toEqual({
          kind: 'target',
          target,
        });
        const proposed = new streams.BatchAppendReq.ProposedMessage();
        proposed.setId(new shared.UUID().setString(id.toUpperCase()));
        proposed.getMetadataMap().set('type', 'Counted').set('content-type', 'application/json');
        proposed.setData(Buffer.from(data)).setCustomMetadata(Buffer.from('{}'));
        const request = new streams.BatchAppendReq().setOptions(batch).setIsFinal(true);
        request.setCorrelationId(new shared.UUID().setString(id)).addProposedMessages(proposed);
        const decoded = decodeBatchAppendRequest(read(request), 0);
        expect(decoded).toMatchObject({
          isFinal: true,
          options: { ...target, expected: 5n, deadlineAt: Infinity },
          events: [{ id, type: 'Counted', contentType: 'application/json' }],
        });
        expect(decoded.events[0]?.data.toString()).toBe(Buffer.from(data).toString());
        expect(decoded.events[0]?.metadata.toString()).toBe('{}');
      }),
    );
  });

  it('reads a deadline as an instant, and as the duration of newer clients', () => {
    const instant = new timestamp.Timestamp();
    instant.fromDate(new Date(1_700_000_000_123));
    const older = new streams.BatchAppendReq.Options().setStreamIdentifier(identifier('job-1'));
    const request = new streams.BatchAppendReq().setOptions(
      older.setAny(new shared.Empty()).setDeadline(instant),
    );
    request.setCorrelationId(new shared.UUID().setString(randomUUID()));
    expect(decodeBatchAppendRequest(read(request), 1_000).options?.deadlineAt).toBe(
      1_700_000_000_123,
    );
    // These stubs do not know the duration: field 7 of the options, with seconds and nanoseconds.
    const writer = new MessageWriter();
    writer.bytes(1, Buffer.alloc(0));
    writer.message(2, () => {
      writer.message(1, () => writer.text(3, 'job-1'));
      writer.empty(4);
      writer.message(7, () => {
        writer.uint(1, 10);
        writer.uint(2, 5_000_000);
      });
    });
    const newer = decodeBatchAppendRequest(new MessageReader(writer.finish()), 1_000);
    expect(newer.options?.deadlineAt).toBe(11_005);
  });

  it('rejects bytes that are no message, and nothing else happens', () => {
    const options = new streams.BatchAppendReq.Options().setStreamIdentifier(identifier('job-1'));
    const whole = new streams.BatchAppendReq().setOptions(options.setStreamPosition('300'));
    const bytes = Buffer.from(whole.serializeBinary());
    const damaged = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((random) => Buffer.from(random)),
      fc.nat({ max: bytes.length }).map((length) => bytes.subarray(0, length)),
    );
    const decoders = [
      (reader: MessageReader) => decodeBatchAppendRequest(reader, 0),
      decodeAppendRequest,
      decodeReadRequest,
    ];
    fc.assert(
      fc.property(damaged, fc.constantFrom(...decoders), (message, decode) => {
        try {
          decode(new MessageReader(message));
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessageError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('answers', () => {
  const recorded = (data: object, position: bigint): RecordedEvent => ({
    id: '6f1e9a3c-5b0d-8a63-9d53-9a5ab0a1e001',
    type: 'Counted',
    data,
    metadata,
    stream: 'job-1',
    revision: position,
    position,
    recordedAt: '2026-01-02T03:04:05.006Z',
  });

  it('writes events that the generated stubs read', () => {
    fc.assert(
      fc.property(texts, uint64, (text, position) => {
        const event = recorded({ text }, position);
        const answer = streams.ReadResp.deserializeBinary(encodeEvent(event, 'string'));
        const read = answer.getEvent()?.getEvent();
        expect(answer.getEvent()?.getCommitPosition()).toBe(String(position));
        expect(read?.getId()?.getString()).toBe(event.id);
        expect(read?.getCommitPosition()).toBe(String(position));
        expect(read?.getPreparePosition()).toBe(String(position));
        expect(read?.getStreamRevision()).toBe(String(position));
        expect(Buffer.from(read?.getData_asU8() ?? []).toString()).toBe(
          Buffer.from(JSON.stringify({ text })).toString(),
        );
        expect(Buffer.from(read?.getCustomMetadata_asU8() ?? []).toString()).toBe(
          JSON.stringify({ ...metadata, recordedAt: '2026-01-02T03:04:05.006Z' }),
        );
        expect(new Map(read?.getMetadataMap().toArray())).toEqual(
          new Map([
            ['type', 'Counted'],
            ['created', '17673230450060000'],
            ['content-type', 'application/json'],
          ]),
        );
      }),
    );
  });

  it('writes ids in halves where they are asked for so', () => {
    const answer = streams.ReadResp.deserializeBinary(encodeEvent(recorded({}, 1n), 'structured'));
    const halves = answer.getEvent()?.getEvent()?.getId()?.getStructured();
    expect(BigInt.asUintN(64, BigInt(halves?.getMostSignificantBits() ?? 0))).toBe(
      0x6f1e9a3c5b0d8a63n,
    );
    expect(BigInt.asUintN(64, BigInt(halves?.getLeastSignificantBits() ?? 0))).toBe(
      0x9d539a5ab0a1e001n,
    );
  });

  it('writes checkpoints and results', () => {
    const checkpoint = streams.ReadResp.deserializeBinary(encodeCheckpoint(2n ** 63n));
    expect(checkpoint.getCheckpoint()?.toObject()).toEqual({
      commitPosition: '9223372036854775808',
      preparePosition: '9223372036854775808',
    });
    const result = { revision: 4n, position: 99n };
    const appended = streams.AppendResp.deserializeBinary(encodeAppended(result));
    expect(appended.getSuccess()?.getCurrentRevision()).toBe('4');
    const correlation = new shared.UUID().setString(randomUUID());
    const address = { correlationId: Buffer.from(correlation.serializeBinary()), stream: 'job-1' };
    const batch = streams.BatchAppendResp.deserializeBinary(encodeBatchAppended(address, result));
    expect(batch.getCorrelationId()?.toObject()).toEqual(correlation.toObject());
    expect(batch.getSuccess()?.getPosition()?.getCommitPosition()).toBe('99');
    expect(batch.getStreamIdentifier()?.getStreamName_asU8()).toEqual(
      Uint8Array.from(Buffer.from('job-1')),
    );
  });

  it('writes what a stale revision was, in both kinds of answer', () => {
    fc.assert(
      fc.property(expectations, fc.option(uint64), (expected, actual) => {
        const one = streams.AppendResp.deserializeBinary(
          encodeWrongExpectedVersion(expected, actual),
        ).getWrongExpectedVersion();
        expect(one?.hasCurrentNoStream()).toBe(actual === null);
        expect(one?.hasExpectedNoStream()).toBe(expected === 'no-stream');
        expect(one?.hasExpectedAny()).toBe(expected === 'any');
        expect(one?.hasExpectedStreamExists()).toBe(expected === 'stream-exists');
        const failure = batchFailureOf(new StaleRevisionError('job-1', expected, actual));
        const many = shared.WrongExpectedVersion.deserializeBinary(failure.details.value);
        expect(many.hasCurrentNoStream()).toBe(actual === null);
        expect(many.hasExpectedNoStream()).toBe(expected === 'no-stream');
        expect(many.hasExpectedAny()).toBe(expected === 'any');
        expect(many.hasExpectedStreamExists()).toBe(expected === 'stream-exists');
        if (actual !== null) {
          expect(one?.getCurrentRevision()).toBe(String(actual));
          expect(many.getCurrentStreamRevision()).toBe(String(actual));
        }
        if (typeof expected === 'bigint') {
          expect(one?.getExpectedRevision()).toBe(String(expected));
          expect(many.getExpectedStreamPosition()).toBe(String(expected));
        }
      }),
    );
  });

  it('names the kind of a failure so that the generated stubs unpack it', () => {
    const address = { correlationId: Buffer.alloc(0), stream: 'job-1' };
    const detailsOf = (failure: ReturnType<typeof timedOut>) =>
      streams.BatchAppendResp.deserializeBinary(encodeBatchFailure(address, failure))
        .getError()
        ?.getDetails();
    expect(detailsOf(timedOut('late'))?.getTypeName()).toBe('event_store.client.Timeout');
    const tooLarge = detailsOf(batchFailureOf(new AppendTooLargeError('too large')));
    const unpacked = tooLarge?.unpack(
      (bytes) => shared.MaximumAppendSizeExceeded.deserializeBinary(bytes),
      'event_store.client.MaximumAppendSizeExceeded',
    );
    expect(unpacked?.getMaxappendsize()).toBe(1_048_576);
  });
});
