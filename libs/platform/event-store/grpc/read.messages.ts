import { type Direction, type Position, type RecordedEvent } from '../event-store.port.js';
import { MalformedMessageError, type MessageReader } from './protobuf.reader.js';
import { withInstant } from '../said-metadata.js';
import { MessageWriter } from './protobuf.writer.js';
import {
  readPosition,
  readStreamName,
  required,
  type UuidForm,
  writeEntry,
  writePosition,
  writeStreamName,
  writeUuid,
} from './shared.messages.js';

export type Place = 'start' | 'end' | bigint;

/** One or the other: an expression that is empty is rejected when it is compiled. */
export interface FilterExpression {
  readonly by: 'stream' | 'type';
  readonly regex: string;
  readonly prefixes: readonly string[];
  /** A checkpoint is due after this many times 32 positions. */
  readonly checkpointMultiplier: number;
}

export interface ReadRequest {
  readonly target:
    | { readonly kind: 'stream'; readonly stream: string; readonly from: Place }
    | { readonly kind: 'all'; readonly from: Place; readonly filter: FilterExpression | null };
  readonly direction: Direction;
  readonly extent: { readonly kind: 'count'; readonly count: number } | { readonly kind: 'follow' };
  readonly uuidForm: UuidForm;
}

/** @throws MalformedMessageError */
export const decodeReadRequest = (reader: MessageReader): ReadRequest => {
  let options: ReadRequest | undefined;
  while (reader.next()) {
    if (reader.field === 1) options = readOptions(reader.message());
    else reader.skip();
  }
  return required('options', options);
};

const readOptions = (reader: MessageReader): ReadRequest => {
  let target: ReadRequest['target'] | undefined;
  let filter: FilterExpression | null = null;
  let direction: Direction = 'forwards';
  let extent: ReadRequest['extent'] | undefined;
  let uuidForm: UuidForm = 'structured';
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        target = readStreamOptions(reader.message());
        break;
      case 2:
        target = { kind: 'all', from: readAllOptions(reader.message()), filter: null };
        break;
      case 3:
        direction = reader.uint32() === 0 ? 'forwards' : 'backwards';
        break;
      case 5:
        extent = { kind: 'count', count: countOf(reader.uint64()) };
        break;
      case 6:
        reader.skip();
        extent = { kind: 'follow' };
        break;
      case 7:
        filter = readFilter(reader.message());
        break;
      case 9:
        uuidForm = readUuidForm(reader.message());
        break;
      default:
        // Resolving links (4) changes nothing: this log has none.
        reader.skip();
    }
  }
  const found = required('stream option', target);
  if (filter !== null && found.kind === 'stream') {
    throw new MalformedMessageError('a filter goes with $all only');
  }
  return {
    target: found.kind === 'all' ? { ...found, filter } : found,
    direction,
    extent: required('count option', extent),
    uuidForm,
  };
};

const countOf = (count: bigint): number =>
  count >= BigInt(Number.MAX_SAFE_INTEGER) ? Infinity : Number(count);

const readStreamOptions = (reader: MessageReader): ReadRequest['target'] => {
  let stream: string | undefined;
  let from: Place | undefined;
  while (reader.next()) {
    if (reader.field === 1) stream = readStreamName(reader.message());
    else if (reader.field === 2) from = reader.uint64();
    else from = readEdge(reader, 3, 4) ?? from;
  }
  return {
    kind: 'stream',
    stream: required('stream identifier', stream),
    from: required('revision option', from),
  };
};

const readAllOptions = (reader: MessageReader): Place => {
  let from: Place | undefined;
  while (reader.next()) {
    if (reader.field === 1) from = readPosition(reader.message());
    else from = readEdge(reader, 2, 3) ?? from;
  }
  return required('all option', from);
};

const readEdge = (
  reader: MessageReader,
  start: number,
  end: number,
): 'start' | 'end' | undefined => {
  reader.skip();
  if (reader.field === start) return 'start';
  return reader.field === end ? 'end' : undefined;
};

const readFilter = (reader: MessageReader): FilterExpression => {
  let expression: Omit<FilterExpression, 'checkpointMultiplier'> | undefined;
  let checkpointMultiplier = 1;
  while (reader.next()) {
    if (reader.field === 1) expression = readExpression(reader.message(), 'stream');
    else if (reader.field === 2) expression = readExpression(reader.message(), 'type');
    else if (reader.field === 5) checkpointMultiplier = reader.uint32();
    // The search window (3 and 4) bounds a page of the server's own reading: ours is bounded
    // anyway.
    else reader.skip();
  }
  return { ...required('filter expression', expression), checkpointMultiplier };
};

const readExpression = (
  reader: MessageReader,
  by: 'stream' | 'type',
): Omit<FilterExpression, 'checkpointMultiplier'> => {
  let regex = '';
  const prefixes: string[] = [];
  while (reader.next()) {
    if (reader.field === 1) regex = reader.text();
    else if (reader.field === 2) prefixes.push(reader.text());
    else reader.skip();
  }
  return { by, regex, prefixes };
};

const readUuidForm = (reader: MessageReader): UuidForm => {
  let form: UuidForm = 'structured';
  while (reader.next()) {
    if (reader.field === 2) form = 'string';
    reader.skip();
  }
  return form;
};

const writer = new MessageWriter();

const TICKS_PER_MILLISECOND = 10_000;

/** Field 1 of an answer: an event with its system metadata. */
export const encodeEvent = (event: RecordedEvent, uuidForm: UuidForm): Buffer => {
  writer.message(1, () => {
    writer.message(1, () => writeRecorded(event, uuidForm));
    writer.uint(3, event.position);
  });
  return writer.finish();
};

const writeRecorded = (event: RecordedEvent, uuidForm: UuidForm): void => {
  writeUuid(writer, 1, event.id, uuidForm);
  writeStreamName(writer, 2, event.stream);
  writer.uint(3, event.revision);
  writer.uint(4, event.position);
  writer.uint(5, event.position);
  writeEntry(writer, 6, 'type', event.type);
  writeEntry(writer, 6, 'created', String(Date.parse(event.recordedAt) * TICKS_PER_MILLISECOND));
  const isBinary = event.data instanceof Uint8Array;
  writeEntry(writer, 6, 'content-type', isBinary ? BINARY : 'application/json');
  writer.text(7, withInstant(JSON.stringify(event.metadata), event.recordedAt));
  if (isBinary) writer.bytes(8, event.data);
  else writer.text(8, JSON.stringify(event.data));
};

/** Only of an event of another program. */
const BINARY = 'application/octet-stream';

export const encodeConfirmation = (subscriptionId: string): Buffer => {
  writer.message(2, () => writer.text(1, subscriptionId));
  return writer.finish();
};

export const encodeCheckpoint = (position: Position): Buffer => {
  writePosition(writer, 3, position);
  return writer.finish();
};

export const encodeStreamNotFound = (stream: string): Buffer => {
  writer.message(4, () => writeStreamName(writer, 1, stream));
  return writer.finish();
};

export const encodeCaughtUp = (): Buffer => {
  writer.empty(8);
  return writer.finish();
};

export const encodeFellBehind = (): Buffer => {
  writer.empty(9);
  return writer.finish();
};
