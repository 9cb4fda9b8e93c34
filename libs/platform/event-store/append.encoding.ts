import { AppendTooLargeError, InvalidAppendError } from './event-store.errors.js';
import { type EventToAppend, type ExpectedRevision, type StreamName } from './event-store.port.js';
import { isInstant } from './said-metadata.js';

export const EVENTS_PER_APPEND_MAX = 1_000;

/** The default of EventStoreDB and KurrentDB up to 25.0: what fits here fits there. */
export const APPEND_BYTES_MAX = 1_048_576;
/**
 * What an event takes beside its data, metadata and type: its id, the instant and the framing.
 * Some servers count two bytes for each character of the type, some the message of the event.
 */
export const EVENT_OVERHEAD_BYTES = 256;
const BYTES_PER_TYPE_CHARACTER = 2;

// Printable ASCII without spaces: URLs, labels and lists of prefixes contain the name unescaped.
const STREAM_NAME = /^[!-#%-,./-~][!-,./-~]*-[!-~]+$/;
const STREAM_NAME_LENGTH_MAX = 200;
const EVENT_TYPE = /^[!-~]{1,200}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** UTF-8 never takes more than this for one UTF-16 unit, so most sizes need no counting. */
const UTF8_BYTES_PER_UNIT_MAX = 3;

export interface EncodedAppend {
  /** Id, type, data and metadata of one event after another; the last two as JSON. */
  readonly fields: readonly string[];
  /** UTF-16 units of all fields: a cheap bound for buffers, not the size that is limited. */
  readonly units: number;
}
export const FIELDS_PER_EVENT = 4;
export const METADATA_FIELD = 3;

/**
 * Checks one append against the limits of the port, which no adapter may widen, and encodes it.
 * @throws InvalidAppendError, AppendTooLargeError
 */
export const encodeAppend = (
  stream: StreamName,
  events: readonly EventToAppend[],
  expected: ExpectedRevision,
): EncodedAppend => {
  checkTarget(stream, expected);
  if (events.length === 0) throw new InvalidAppendError('an append needs at least one event');
  if (events.length > EVENTS_PER_APPEND_MAX) {
    throw new AppendTooLargeError(
      `${events.length} events in one append, at most ${EVENTS_PER_APPEND_MAX}`,
    );
  }
  const fields = new Array<string>(events.length * FIELDS_PER_EVENT);
  let units = 0;
  let at = 0;
  for (const { id, type, data, metadata, recordedAt } of events) {
    if (!UUID.test(id)) throw new InvalidAppendError(`not a UUID in lower case: ${id}`);
    if (!isEventType(type)) throw new InvalidAppendError(`not an event type: ${type}`);
    if (recordedAt !== undefined && !isInstant(recordedAt)) {
      throw new InvalidAppendError(`not an instant in UTC with milliseconds: ${recordedAt}`);
    }
    const json = jsonObject('data', data);
    const metadataJson = jsonObject('metadata', metadata);
    fields[at] = id;
    fields[at + 1] = type;
    fields[at + 2] = json;
    fields[at + METADATA_FIELD] = metadataJson;
    at += FIELDS_PER_EVENT;
    units += id.length + type.length + json.length + metadataJson.length;
  }
  checkIdsDiffer(events);
  const framing = events.length * EVENT_OVERHEAD_BYTES;
  if (units * UTF8_BYTES_PER_UNIT_MAX + framing > APPEND_BYTES_MAX) checkSize(events, fields);
  return { fields, units };
};

export const isStreamName = (name: string): boolean =>
  name.length <= STREAM_NAME_LENGTH_MAX && STREAM_NAME.test(name);

export const isEventType = (type: string): boolean => EVENT_TYPE.test(type);

const checkTarget = (stream: StreamName, expected: ExpectedRevision): void => {
  if (!isStreamName(stream)) {
    throw new InvalidAppendError(
      `not a stream name (<category>-<id>, printable ASCII, at most ${STREAM_NAME_LENGTH_MAX} ` +
        `characters, no $ in front): ${stream.slice(0, STREAM_NAME_LENGTH_MAX)}`,
    );
  }
  if (typeof expected === 'bigint' && expected < 0n) {
    throw new InvalidAppendError(`not a revision: ${expected}`);
  }
};

/** An object whose `toJSON` gives nothing has no JSON, whatever the library's types say. */
const stringify: (value: object) => string | undefined = JSON.stringify;

const jsonObject = (name: string, value: object): string => {
  let json: string | undefined;
  try {
    json = stringify(value);
  } catch (error) {
    throw new InvalidAppendError(`${name} is not JSON`, { cause: error });
  }
  // A Date becomes a string and a function nothing at all: neither reads back as an object.
  if (json?.charCodeAt(0) !== OPENING_BRACE) {
    throw new InvalidAppendError(`${name} is not a JSON object`);
  }
  return json;
};

const OPENING_BRACE = 0x7b;

const checkIdsDiffer = (events: readonly EventToAppend[]): void => {
  if (events.length > 1 && new Set(events.map(({ id }) => id)).size < events.length) {
    throw new InvalidAppendError('two events of one append have the same id');
  }
};

const checkSize = (events: readonly EventToAppend[], fields: readonly string[]): void => {
  const json = fields.reduce(
    (sum, field, index) =>
      index % FIELDS_PER_EVENT < FIRST_JSON_FIELD ? sum : sum + Buffer.byteLength(field),
    0,
  );
  const bytes = events.reduce(
    (sum, { type }) => sum + BYTES_PER_TYPE_CHARACTER * type.length + EVENT_OVERHEAD_BYTES,
    json,
  );
  if (bytes > APPEND_BYTES_MAX) {
    throw new AppendTooLargeError(`${bytes} bytes in one append, at most ${APPEND_BYTES_MAX}`);
  }
};

const FIRST_JSON_FIELD = 2;
