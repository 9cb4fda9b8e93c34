import { type AppendResult, type ExpectedRevision, type StreamName } from '../event-store.port.js';
import { type MessageReader } from './protobuf.reader.js';
import { MessageWriter } from './protobuf.writer.js';
import { type BatchFailure } from './call-errors.js';
import {
  readEntry,
  readStreamName,
  readUuid,
  required,
  writePosition,
  writeStreamName,
} from './shared.messages.js';

/** An event as a client sends it: nothing of it has been looked at yet. */
export interface ProposedEvent {
  readonly id: string;
  /** From the system metadata; null where the client gave none. */
  readonly type: string | null;
  readonly contentType: string | null;
  readonly data: Buffer;
  readonly metadata: Buffer;
  /** Of the whole message. */
  readonly bytes: number;
}

export interface AppendTarget {
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
}

/** Messages of a call to Append: the target comes first, then one message per event. */
export type AppendRequest =
  | { readonly kind: 'target'; readonly target: AppendTarget }
  | { readonly kind: 'event'; readonly event: ProposedEvent };

/** @throws MalformedMessageError */
export const decodeAppendRequest = (reader: MessageReader): AppendRequest => {
  let request: AppendRequest | undefined;
  while (reader.next()) {
    if (reader.field === 1) {
      request = { kind: 'target', target: readTarget(reader.message()).target };
    } else if (reader.field === 2) {
      request = { kind: 'event', event: readProposed(reader.message()) };
    } else reader.skip();
  }
  return required('content', request);
};

export interface BatchAppendRequest {
  /** The client's own name for the append, as it came. */
  readonly correlationId: Buffer;
  /** Null in all but the first part of an append. */
  readonly options: (AppendTarget & { readonly deadlineAt: number }) | null;
  readonly events: readonly ProposedEvent[];
  readonly isFinal: boolean;
}

/**
 * @param now milliseconds since the Unix epoch, for deadlines that are given as a duration
 * @throws MalformedMessageError
 */
export const decodeBatchAppendRequest = (
  reader: MessageReader,
  now: number,
): BatchAppendRequest => {
  let correlationId: Buffer | undefined;
  let options: BatchAppendRequest['options'] = null;
  const events: ProposedEvent[] = [];
  let isFinal = false;
  while (reader.next()) {
    if (reader.field === 1) correlationId = reader.bytes();
    else if (reader.field === 2) {
      const { target, deadlineAt, timeoutMs } = readTarget(reader.message());
      options = { ...target, deadlineAt: deadlineAt ?? now + timeoutMs };
    } else if (reader.field === 3) events.push(readProposed(reader.message()));
    else if (reader.field === 4) isFinal = reader.bool();
    else reader.skip();
  }
  return { correlationId: required('correlation id', correlationId), options, events, isFinal };
};

interface TargetOptions {
  readonly target: AppendTarget;
  /** Milliseconds since the Unix epoch, or null where no instant was given. */
  readonly deadlineAt: number | null;
  readonly timeoutMs: number;
}

/** Append and BatchAppend number their options alike; only the second knows deadlines. */
const readTarget = (reader: MessageReader): TargetOptions => {
  let stream: StreamName | undefined;
  let expected: ExpectedRevision | undefined;
  let deadlineAt: number | null = null;
  let timeoutMs = Infinity;
  while (reader.next()) {
    if (reader.field === 1) stream = readStreamName(reader.message());
    else if (reader.field === 2) expected = reader.uint64();
    else if (reader.field === 6) deadlineAt = readMilliseconds(reader.message());
    else if (reader.field === 7) timeoutMs = readMilliseconds(reader.message());
    else {
      expected = EXPECTED_BY_FIELD[reader.field] ?? expected;
      reader.skip();
    }
  }
  const target = {
    stream: required('stream identifier', stream),
    expected: required('expected revision', expected),
  };
  return { target, deadlineAt, timeoutMs };
};

const EXPECTED_BY_FIELD: Readonly<Record<number, ExpectedRevision>> = {
  3: 'no-stream',
  4: 'any',
  5: 'stream-exists',
};

/** Seconds and nanoseconds, of an instant or of a duration. */
const readMilliseconds = (reader: MessageReader): number => {
  let milliseconds = 0;
  while (reader.next()) {
    if (reader.field === 1) milliseconds += Number(reader.int64()) * 1_000;
    else if (reader.field === 2) milliseconds += Number(reader.int64()) / 1_000_000;
    else reader.skip();
  }
  return milliseconds;
};

const readProposed = (reader: MessageReader): ProposedEvent => {
  let id = '';
  let type: string | null = null;
  let contentType: string | null = null;
  let data: Buffer = NOTHING;
  let metadata: Buffer = NOTHING;
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        id = readUuid(reader.message());
        break;
      case 2: {
        const { key, value } = readEntry(reader.message());
        if (key === 'type') type = value;
        else if (key === 'content-type') contentType = value;
        break;
      }
      case 3:
        metadata = reader.bytes();
        break;
      case 4:
        data = reader.bytes();
        break;
      default:
        reader.skip();
    }
  }
  return { id, type, contentType, data, metadata, bytes: reader.size };
};

const NOTHING = Buffer.alloc(0);

const writer = new MessageWriter();

const writeSuccess = (field: number, { revision, position }: AppendResult): void =>
  writer.message(field, () => {
    writer.uint(1, revision);
    writePosition(writer, 3, position);
  });

export const encodeAppended = (result: AppendResult): Buffer => {
  writeSuccess(1, result);
  return writer.finish();
};

/** @param actual the stream's last revision, or null where there is no stream */
export const encodeWrongExpectedVersion = (
  expected: ExpectedRevision,
  actual: bigint | null,
): Buffer => {
  writer.message(2, () => {
    if (actual === null) writer.empty(7);
    else writer.uint(6, actual);
    if (typeof expected === 'bigint') writer.uint(8, expected);
    else writer.empty(EXPECTED_FIELD[expected]);
  });
  return writer.finish();
};

const EXPECTED_FIELD = { any: 9, 'stream-exists': 10, 'no-stream': 11 } as const;

export const encodeBatchAppended = (
  { correlationId, stream }: BatchAddress,
  result: AppendResult,
): Buffer => {
  writer.bytes(1, correlationId);
  writeSuccess(3, result);
  writeStreamName(writer, 4, stream);
  return writer.finish();
};

export interface BatchAddress {
  readonly correlationId: Buffer;
  readonly stream: StreamName;
}

export const encodeBatchFailure = (
  { correlationId, stream }: BatchAddress,
  { code, message, details }: BatchFailure,
): Buffer => {
  writer.bytes(1, correlationId);
  writer.message(2, () => {
    writer.uint(1, code);
    writer.text(2, message);
    writer.message(3, () => {
      writer.text(1, `type.googleapis.com/${details.type}`);
      writer.bytes(2, details.value);
    });
  });
  writeStreamName(writer, 4, stream);
  return writer.finish();
};
