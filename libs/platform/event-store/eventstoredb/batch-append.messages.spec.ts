import { randomUUID } from 'node:crypto';
import code from '@eventstore/db-client/generated/code_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from '@jest/globals';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import { encodeAppend } from '../append.encoding.js';
import { type ExpectedRevision } from '../event-store.port.js';
import { event, metadata } from '../event-store.fixture.js';
import { decodeBatchAnswer, encodeBatchAppend } from './batch-append.messages.js';

const { BatchAppendReq, BatchAppendResp } = streams;

/** Field 7 is newer than the package's copy of the protocol, so it is not looked at here. */
describe('a request to append, as the package reads it', () => {
  const correlationId = randomUUID();
  const events = [event('JobSubmitted', { text: 'Zoë 🧶' }), event('JobStarted')];
  const read = (expected: ExpectedRevision) => {
    const encoded = encodeAppend('job-1', events, expected);
    const bytes = encodeBatchAppend(correlationId, 'job-1', encoded, expected, 2_500);
    return BatchAppendReq.deserializeBinary(bytes);
  };

  it('says which append it is, of which stream, and that it is all', () => {
    const request = read('no-stream');
    expect(request.getCorrelationId()?.getString()).toBe(correlationId);
    const stream = request.getOptions()?.getStreamIdentifier()?.getStreamName_asU8() ?? [];
    expect(Buffer.from(stream).toString()).toBe('job-1');
    expect(request.getIsFinal()).toBe(true);
  });

  it('says what is expected', () => {
    expect(read('no-stream').getOptions()?.hasNoStream()).toBe(true);
    expect(read('any').getOptions()?.hasAny()).toBe(true);
    expect(read('stream-exists').getOptions()?.hasStreamExists()).toBe(true);
    expect(read(0n).getOptions()?.getStreamPosition()).toBe('0');
    expect(
      read(2n ** 60n)
        .getOptions()
        ?.getStreamPosition(),
    ).toBe('1152921504606846976');
  });

  it('holds the events as they were encoded', () => {
    const proposed = read(4n).getProposedMessagesList();
    const found = proposed.map((message) => ({
      id: message.getId()?.getString(),
      type: message.getMetadataMap().get('type'),
      contentType: message.getMetadataMap().get('content-type'),
      data: JSON.parse(Buffer.from(message.getData_asU8()).toString()) as object,
      metadata: JSON.parse(Buffer.from(message.getCustomMetadata_asU8()).toString()) as object,
    }));
    const contentType = 'application/json';
    expect(found).toEqual(
      events.map(({ id, type, data }) => ({ id, type, contentType, data, metadata })),
    );
  });
});

describe('an answer, as the package writes it', () => {
  const correlationId = randomUUID();
  const uuid = new shared.UUID().setString(correlationId);
  const decode = (answer: InstanceType<typeof BatchAppendResp>) =>
    decodeBatchAnswer(Buffer.from(answer.setCorrelationId(uuid).serializeBinary()));

  it.each([
    ['a position', '18000000000000000', 18_000_000_000_000_000n],
    ['no position', null, null],
  ])('tells the revision and %s', (_, given, position) => {
    const success = new BatchAppendResp.Success().setCurrentRevision('41');
    if (given === null) success.setNoPosition(new shared.Empty());
    else {
      const place = new shared.AllStreamPosition();
      success.setPosition(place.setCommitPosition(given).setPreparePosition(given));
    }
    const answer = new BatchAppendResp().setSuccess(success);
    expect(decode(answer)).toEqual({ correlationId, outcome: { revision: 41n, position } });
  });

  it('knows its append by a structured id too', () => {
    const structured = new shared.UUID.Structured().setMostSignificantBits('-2');
    structured.setLeastSignificantBits('1');
    const id = new shared.UUID().setStructured(structured);
    const bytes = new BatchAppendResp().setCorrelationId(id).serializeBinary();
    const expected = 'ffffffff-ffff-fffe-0000-000000000001';
    expect(decodeBatchAnswer(Buffer.from(bytes)).correlationId).toBe(expected);
  });

  const errorAnswer = (type: string, value: Uint8Array) => {
    const details = new any.Any();
    details.pack(value, `event_store.client.${type}`);
    const error = new status.Status()
      .setCode(code.Code.FAILED_PRECONDITION)
      .setMessage('refused')
      .setDetails(details);
    return decode(new BatchAppendResp().setError(error)).outcome;
  };

  it.each([
    ['41', 41n],
    [null, null],
  ])('tells a wrong revision, where the stream is at %s', (given, actual) => {
    const wrong = new shared.WrongExpectedVersion().setExpectedStreamPosition('7');
    if (given === null) wrong.setCurrentNoStream(new shared.Empty());
    else wrong.setCurrentStreamRevision(given);
    const outcome = errorAnswer('WrongExpectedVersion', wrong.serializeBinary());
    expect(outcome).toEqual({
      code: 9,
      message: 'refused',
      reason: 'WrongExpectedVersion',
      actual,
    });
  });

  it('tells any other reason by its name', () => {
    const size = new shared.MaximumAppendSizeExceeded().setMaxappendsize(1_048_576);
    expect(errorAnswer('MaximumAppendSizeExceeded', size.serializeBinary())).toMatchObject({
      reason: 'MaximumAppendSizeExceeded',
      actual: null,
    });
    expect(decode(new BatchAppendResp()).outcome).toMatchObject({ code: 2, reason: '' });
  });
});
