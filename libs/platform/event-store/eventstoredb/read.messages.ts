import { type EventFilter, type StreamName } from '../event-store.port.js';
import { MessageReader } from '../grpc/protobuf.reader.js';
import { MessageWriter } from '../grpc/protobuf.writer.js';
import {
  readEntry,
  readStreamName,
  readUuid,
  writePosition,
  writeStreamName,
} from '../grpc/shared.messages.js';
import { type ClientRecord, type PageToRead } from './log-client.js';

/**
 * `ReadReq` and `ReadResp` of EventStoreDB's `streams.proto`. The packages decode them too, but
 * build an object for every part of an event first, which is half of the cost of a replay.
 */
const writer = new MessageWriter();

export const encodeStreamPage = (stream: StreamName, page: PageToRead): Buffer =>
  encodeRequest(page, () =>
    writer.message(1, () => {
      writeStreamName(writer, 1, stream);
      if (page.from !== null) writer.uint(2, page.from);
      else writer.empty(page.direction === 'forwards' ? 3 : 4);
    }),
  );

export const encodeLogPage = (page: PageToRead, filter: EventFilter | undefined): Buffer =>
  encodeRequest(page, () => writePlaceInLog(page.from, page.direction), filter);

/** Every event after the position, live; 0n for all. */
export const encodeSubscription = (after: bigint): Buffer =>
  encodeRequest('follow', () => writePlaceInLog(after === 0n ? null : after, 'forwards'));

const encodeRequest = (
  extent: PageToRead | 'follow',
  writeTarget: () => void,
  filter?: EventFilter,
): Buffer => {
  writer.message(1, () => {
    writeTarget();
    if (extent === 'follow') writer.empty(6);
    else {
      writer.uint(3, extent.direction === 'forwards' ? 0 : 1);
      writer.uint(5, extent.maxCount);
    }
    if (filter === undefined) writer.empty(8);
    else writeFilter(filter);
    // Ids as text.
    writer.message(9, () => writer.empty(2));
  });
  return writer.finish();
};

const writePlaceInLog = (from: bigint | null, direction: PageToRead['direction']): void =>
  writer.message(2, () => {
    if (from !== null) writePosition(writer, 1, from);
    else writer.empty(direction === 'forwards' ? 2 : 3);
  });

const writeFilter = ({ by, prefixes }: EventFilter): void =>
  writer.message(7, () => {
    writer.message(by === 'stream' ? 1 : 2, () => {
      for (const prefix of prefixes) writer.text(2, prefix);
    });
    // No limit on the server's search; checkpoints as often as possible.
    writer.empty(4);
    writer.uint(5, 1);
  });

/** Null for a message without an event: a confirmation, a checkpoint, the end of the log. */
export type ReadAnswer = ClientRecord | 'stream-not-found' | null;

/** @throws MalformedMessageError */
export const decodeReadAnswer = (bytes: Buffer): ReadAnswer => {
  const reader = new MessageReader(bytes);
  let answer: ReadAnswer = null;
  while (reader.next()) {
    if (reader.field === 1) answer = readEvent(reader.message());
    else {
      if (reader.field === 4) answer = 'stream-not-found';
      reader.skip();
    }
  }
  return answer;
};

/** The message may also have the link that resolved to the event. */
const readEvent = (reader: MessageReader): ClientRecord | null => {
  let record: ClientRecord | null = null;
  while (reader.next()) {
    if (reader.field === 1) record = readRecord(reader.message());
    else reader.skip();
  }
  return record;
};

const TICKS_PER_MILLISECOND = 10_000n;
const NOTHING = Buffer.alloc(0);

const readRecord = (reader: MessageReader): ClientRecord => {
  let id = '';
  let streamId = '';
  let revision = 0n;
  let commit = 0n;
  let data: Buffer = NOTHING;
  let metadata: Buffer = NOTHING;
  let type = '';
  let contentType = '';
  let created = '0';
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        id = readUuid(reader.message());
        break;
      case 2:
        streamId = readStreamName(reader.message());
        break;
      case 3:
        revision = reader.uint64();
        break;
      case 5:
        commit = reader.uint64();
        break;
      case 6: {
        const { key, value } = readEntry(reader.message());
        if (key === 'type') type = value;
        else if (key === 'content-type') contentType = value;
        else if (key === 'created') created = value;
        break;
      }
      case 7:
        metadata = reader.bytes();
        break;
      case 8:
        data = reader.bytes();
        break;
      default:
        // The prepare position (4) adds nothing to the commit position.
        reader.skip();
    }
  }
  const isJson = contentType === 'application/json';
  return {
    streamId,
    id,
    revision,
    type,
    data: isJson ? parsedOrText(data) : data,
    metadata: metadata.length === 0 ? undefined : parsedOrText(metadata),
    isJson,
    created: new Date(Number(BigInt(created) / TICKS_PER_MILLISECOND)),
    position: { commit },
  };
};

/** Data of another program may be declared as JSON and be invalid. */
const parsedOrText = (bytes: Buffer): unknown => {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
