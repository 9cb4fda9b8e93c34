import { type EncodedAppend, FIELDS_PER_EVENT } from '../append.encoding.js';
import { type ExpectedRevision, type StreamName } from '../event-store.port.js';
import { MessageReader } from '../grpc/protobuf.reader.js';
import { MessageWriter } from '../grpc/protobuf.writer.js';
import {
  readPosition,
  readUuid,
  writeEntry,
  writeStreamName,
  writeUuid,
} from '../grpc/shared.messages.js';
import { type ClientAppendResult } from './log-client.js';

/**
 * `BatchAppendReq` and `BatchAppendResp` of EventStoreDB's `streams.proto`. The packages know them
 * too, but make every event into JSON, base64 and bytes twice over: three quarters of an append's
 * cost.
 */
const writer = new MessageWriter();

/** @param correlationId a UUID by which the answer is known */
export const encodeBatchAppend = (
  correlationId: string,
  stream: StreamName,
  { fields }: EncodedAppend,
  expected: ExpectedRevision,
  deadlineMs: number,
): Buffer => {
  writeUuid(writer, 1, correlationId, 'string');
  writer.message(2, () => {
    writeStreamName(writer, 1, stream);
    if (typeof expected === 'bigint') writer.uint(2, expected);
    else writer.empty(EXPECTED_FIELD[expected]);
    writer.message(7, () => {
      writer.uint(1, Math.floor(deadlineMs / 1_000));
      writer.uint(2, (deadlineMs % 1_000) * 1_000_000);
    });
  });
  for (let at = 0; at < fields.length; at += FIELDS_PER_EVENT) {
    writer.message(3, () => writeEvent(fields, at));
  }
  writer.bool(4, true);
  return writer.finish();
};

const EXPECTED_FIELD = { 'no-stream': 3, any: 4, 'stream-exists': 5 } as const;

const writeEvent = (fields: readonly string[], at: number): void => {
  const [id = '', type = '', data = '', metadata = ''] = fields.slice(at, at + FIELDS_PER_EVENT);
  writeUuid(writer, 1, id, 'string');
  writeEntry(writer, 2, 'type', type);
  writeEntry(writer, 2, 'content-type', 'application/json');
  writer.text(3, metadata);
  writer.text(4, data);
};

export interface BatchAnswer {
  readonly correlationId: string;
  readonly outcome: ClientAppendResult | BatchError;
}

export interface BatchError {
  /** A status of gRPC. */
  readonly code: number;
  readonly message: string;
  /** The name of the message that says more, without its package. */
  readonly reason: string;
  /** Where the reason is a wrong revision: the stream's last, or null where there is no stream. */
  readonly actual: bigint | null;
}

/** @throws MalformedMessageError */
export const decodeBatchAnswer = (bytes: Buffer): BatchAnswer => {
  const reader = new MessageReader(bytes);
  let correlationId = '';
  let outcome: BatchAnswer['outcome'] = NO_RESULT;
  while (reader.next()) {
    if (reader.field === 1) correlationId = readUuid(reader.message());
    else if (reader.field === 2) outcome = readError(reader.message());
    else if (reader.field === 3) outcome = readSuccess(reader.message());
    else reader.skip();
  }
  return { correlationId, outcome };
};

const UNKNOWN = 2;
const NO_RESULT: BatchError = {
  code: UNKNOWN,
  message: 'no result',
  reason: '',
  actual: null,
};

const readSuccess = (reader: MessageReader): ClientAppendResult => {
  let revision = 0n;
  let position: bigint | null = null;
  while (reader.next()) {
    if (reader.field === 1) revision = reader.uint64();
    else if (reader.field === 3) position = readPosition(reader.message());
    else reader.skip();
  }
  return { revision, position };
};

/** A `google.rpc.Status`, whose details are an `Any`. */
const readError = (reader: MessageReader): BatchError => {
  let code = UNKNOWN;
  let message = '';
  let details: { reason: string; actual: bigint | null } = { reason: '', actual: null };
  while (reader.next()) {
    if (reader.field === 1) code = reader.uint32();
    else if (reader.field === 2) message = reader.text();
    else if (reader.field === 3) details = readDetails(reader.message());
    else reader.skip();
  }
  return { code, message, ...details };
};

const readDetails = (reader: MessageReader): { reason: string; actual: bigint | null } => {
  let reason = '';
  let value: MessageReader | null = null;
  while (reader.next()) {
    if (reader.field === 1) reason = reader.text().replace(/^.*[./]/, '');
    else if (reader.field === 2) value = reader.message();
    else reader.skip();
  }
  if (value === null || reason !== 'WrongExpectedVersion') return { reason, actual: null };
  return { reason, actual: readCurrentRevision(value) };
};

const readCurrentRevision = (reader: MessageReader): bigint | null => {
  let revision: bigint | null = null;
  while (reader.next()) {
    if (reader.field === 1) revision = reader.uint64();
    else reader.skip();
  }
  return revision;
};
