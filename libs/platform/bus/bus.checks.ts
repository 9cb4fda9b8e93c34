/** The checks that every adapter runs before it accepts messages, so that all adapters agree. */
import { BusError } from './bus.errors.js';
import { type BusMessage, type ConsumerOptions } from './bus.port.js';

const NAME = /^[a-z][a-z0-9.-]{0,127}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
export const KEY_BYTES_MAX = 512;
export const MESSAGE_BYTES_MAX = 1_000_000;
export const ATTEMPTS_DEFAULT = 5;
const ATTEMPTS_MAX = 100;
const REASON_CHARACTERS_MAX = 1_000;

/** A message as it is sent: its data is JSON text. */
export interface EncodedMessage extends Omit<BusMessage, 'data'> {
  readonly json: string;
}

export const checkName = (role: 'topic' | 'group', name: string): void => {
  if (NAME.test(name)) return;
  throw new BusError('invalid-options', `${JSON.stringify(name)} is not the name of a ${role}`);
};

export const checkConsumer = ({ topic, group, attemptsMax }: ConsumerOptions): void => {
  checkName('topic', topic);
  checkName('group', group);
  const attempts = attemptsMax ?? ATTEMPTS_DEFAULT;
  if (Number.isInteger(attempts) && attempts >= 1 && attempts <= ATTEMPTS_MAX) return;
  throw new BusError('invalid-options', `attemptsMax ${attempts} is not 1 to ${ATTEMPTS_MAX}`);
};

/** Also copies the message: its sender may change `data` afterwards. */
export const encodeMessage = ({ key, id, headers, data }: BusMessage): EncodedMessage => {
  const keyBytes = Buffer.byteLength(key);
  if (keyBytes < 1 || keyBytes > KEY_BYTES_MAX || !key.isWellFormed()) {
    const detail = `a key of ${keyBytes} bytes; it takes 1 to ${KEY_BYTES_MAX}, well-formed`;
    throw new BusError('invalid-message', detail);
  }
  if (!UUID.test(id)) {
    throw new BusError('invalid-message', `the id ${JSON.stringify(id)} is not a UUID`);
  }
  const json = toJson(id, data);
  const headerBytes = Object.entries(headers).reduce(
    (bytes, [name, value]) => bytes + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  );
  const bytes = keyBytes + headerBytes + Buffer.byteLength(json);
  if (bytes > MESSAGE_BYTES_MAX) {
    const detail = `message ${id} has ${bytes} bytes; it takes ${MESSAGE_BYTES_MAX}`;
    throw new BusError('message-too-large', detail);
  }
  return { key, id, headers: { ...headers }, json };
};

/** Its declared type omits `undefined`, which it returns for a function and for undefined. */
const stringify: (data: unknown) => string | undefined = JSON.stringify;

const toJson = (id: string, data: unknown): string => {
  const detail = `the data of message ${id} cannot be written as JSON`;
  let json: string | undefined;
  try {
    json = stringify(data);
  } catch (cause) {
    throw new BusError('invalid-message', detail, { cause });
  }
  if (json === undefined) throw new BusError('invalid-message', detail);
  return json;
};

/** A new copy for each handler: a change in one is invisible to the others. */
export const decodeMessage = ({ key, id, headers, json }: EncodedMessage): BusMessage => ({
  key,
  id,
  headers: { ...headers },
  data: JSON.parse(json) as unknown,
});

/** By shape: an error of another realm is not an `instanceof Error`. */
export const reasonOf = (failure: unknown): string => {
  const hasMessage = typeof failure === 'object' && failure !== null && 'message' in failure;
  return String(hasMessage ? failure.message : failure).slice(0, REASON_CHARACTERS_MAX);
};
