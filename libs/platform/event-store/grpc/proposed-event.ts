import { isUtf8 } from 'node:buffer';
import { InvalidAppendError } from '../event-store.errors.js';
import { type EventMetadata, type EventToAppend } from '../event-store.port.js';
import { isInstant, wrongFieldOf } from '../said-metadata.js';
import { type ProposedEvent } from './append.messages.js';

const JSON_CONTENT = 'application/json';

/**
 * A client's proposed event, as the port accepts it. Other clients may propose events that this log
 * could not read back as its own, so the metadata is checked as well: without it the actor of the
 * event is unknown. The store runs the other checks.
 * @param index the event's place in its append, for the message
 * @throws InvalidAppendError
 */
export const toEventToAppend = (proposed: ProposedEvent, index: number): EventToAppend => {
  const { id, type, contentType } = proposed;
  if (type === null) throw new InvalidAppendError(`event ${index}: metadata "type" is missing`);
  if (contentType !== JSON_CONTENT) {
    throw new InvalidAppendError(
      `event ${index}: metadata "content-type" is ${contentType ?? 'missing'}, not ${JSON_CONTENT}`,
    );
  }
  return {
    id,
    type,
    data: parseObject(`event ${index}: data`, proposed.data),
    ...saidIn(`event ${index}: custom metadata`, proposed.metadata),
  };
};

/** Without an instant of the client, the store's clock says when it was. */
const saidIn = (
  name: string,
  json: Buffer,
): Pick<EventToAppend, 'metadata'> & { readonly recordedAt?: string } => {
  const said = parseObject(name, json);
  const wrong = wrongFieldOf(said);
  if (wrong === 'version') {
    throw new InvalidAppendError(`${name}: version is not a positive integer`);
  }
  if (wrong !== undefined) throw new InvalidAppendError(`${name}: ${wrong} is not a string`);
  const { recordedAt, ...metadata } = said as EventMetadata & { readonly recordedAt?: string };
  if (recordedAt === undefined) return { metadata };
  if (!isInstant(recordedAt)) {
    throw new InvalidAppendError(`${name}: recordedAt is not an instant in UTC with milliseconds`);
  }
  return { metadata, recordedAt };
};

const parseObject = (name: string, json: Buffer): object => {
  if (!isUtf8(json)) throw new InvalidAppendError(`${name} is not UTF-8`);
  const value = parse(name, json.toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidAppendError(`${name} is not a JSON object`);
  }
  return value;
};

const parse = (name: string, json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new InvalidAppendError(`${name} is not JSON`, { cause: error });
  }
};
