import { demand } from './proof.error.js';
import { type Fields, parseFields } from './json-fields.js';

/** An event as its canonical bytes say it is: see `event.chain.ts` of the event store. */
export interface DecodedEvent {
  readonly revision: bigint;
  readonly recordedAtMs: bigint;
  readonly stream: string;
  readonly type: string;
  readonly id: string;
  readonly data: Fields;
  readonly metadata: Fields;
}

const ENCODING_VERSION = 1;
const INTEGERS = 2;
const INTEGER_BYTES = 8;
const LENGTH_BYTES = 4;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws ProofError */
export const decodeEvent = (encoding: Buffer): DecodedEvent => {
  const what = 'the encoding of an event';
  demand(encoding[0] === ENCODING_VERSION, `${what} has an unknown version`);
  let at = 1 + INTEGERS * INTEGER_BYTES;
  demand(encoding.length > at, `${what} is cut short`);
  const texts: string[] = [];
  while (at < encoding.length) {
    demand(at + LENGTH_BYTES <= encoding.length, `${what} is cut short`);
    const begin = at + LENGTH_BYTES;
    at = begin + encoding.readUInt32BE(at);
    demand(at <= encoding.length, `${what} is cut short`);
    texts.push(utf8(encoding.subarray(begin, at), what));
  }
  const [stream, type, id, data, metadata, ...rest] = texts;
  demand(metadata !== undefined && rest.length === 0, `${what} has not five texts`);
  return {
    revision: encoding.readBigInt64BE(1),
    recordedAtMs: encoding.readBigInt64BE(1 + INTEGER_BYTES),
    stream: stream ?? '',
    type: type ?? '',
    id: id ?? '',
    data: parseFields(data ?? '', 'the data of an event'),
    metadata: parseFields(metadata, 'the metadata of an event'),
  };
};

const utf8 = (bytes: Buffer, what: string): string => {
  try {
    return UTF8.decode(bytes);
  } catch {
    demand(false, `${what} is no UTF-8`);
    return '';
  }
};
