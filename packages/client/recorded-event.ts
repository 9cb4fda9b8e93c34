import { type Fields, fieldsOf } from './fields.js';
import { demand, ProofError } from './proof.error.js';

/** An event as its canonical bytes say it is. */
export interface RecordedEvent {
  readonly revision: bigint;
  readonly recordedAtMs: bigint;
  readonly stream: string;
  readonly type: string;
  readonly id: string;
  readonly data: Fields;
  readonly metadata: Fields;
}

const ENCODING_VERSION = 1;
/** A version, the revision and the instant. */
const HEAD_BYTES = 1 + 8 + 8;
const LENGTH_BYTES = 4;
const TEXTS = 5;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws ProofError */
export const decodeEvent = (encoding: Uint8Array): RecordedEvent => {
  demand(encoding.length > HEAD_BYTES, 'the encoding of the event is cut short');
  const view = new DataView(encoding.buffer, encoding.byteOffset, encoding.byteLength);
  demand(view.getUint8(0) === ENCODING_VERSION, 'the encoding of the event has another version');
  const texts = textsIn(encoding, view);
  const [stream = '', type = '', id = '', data = '', metadata = ''] = texts;
  demand(texts.length === TEXTS, 'the encoding of the event has not five texts');
  return {
    revision: view.getBigInt64(1),
    recordedAtMs: view.getBigInt64(9),
    stream,
    type,
    id,
    data: parsed(data, 'the data of the event'),
    metadata: parsed(metadata, 'the metadata of the event'),
  };
};

/** Each text is preceded by its length. */
const textsIn = (encoding: Uint8Array, view: DataView): readonly string[] => {
  const texts: string[] = [];
  let at = HEAD_BYTES;
  while (at < encoding.length) {
    demand(at + LENGTH_BYTES <= encoding.length, 'the encoding of the event is cut short');
    const begin = at + LENGTH_BYTES;
    at = begin + view.getUint32(at);
    demand(at <= encoding.length, 'the encoding of the event is cut short');
    texts.push(orProofError(() => UTF8.decode(encoding.subarray(begin, at)), 'a text', 'UTF-8'));
  }
  return texts;
};

const parsed = (text: string, what: string): Fields =>
  fieldsOf(
    orProofError((): unknown => JSON.parse(text), what, 'JSON'),
    what,
  );

const orProofError = <Result>(read: () => Result, what: string, form: string): Result => {
  try {
    return read();
  } catch (error) {
    throw new ProofError(`${what} is no ${form}`, { cause: error });
  }
};
