import { LEVELS_MAX } from '#areas/inference/token-bound.js';
import { type FieldSpan } from '#platform/kernel/json-fields.js';
import { endOfString } from '#platform/kernel/json-strings.js';
import { HttpFailure } from '../errors/http-failure.js';

/** Values in one body. The parser and the validators take up to a microsecond for each. */
export const VALUES_MAX = 16_384;
/**
 * The values that a beginning of objects counts as in addition: `{a,b}` and `{a,c}` have three. The
 * parser makes a hidden class for each, or gives up and makes a table, which takes longer than
 * values.
 */
export const VALUES_OF_SHAPE = 4;
/** The body itself is one level, and each of its fields may have `LEVELS_MAX`. */
const DEPTH_MAX = LEVELS_MAX + 1;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Rejects JSON that is too expensive to parse: too many values, levels or kinds of objects. It
 * reads the bytes, builds nothing and stops at a limit. It does not check the syntax.
 *
 * An empty list or object counts as two values.
 * @returns where the fields of the body itself are, if it is a JSON object
 * @throws HttpFailure 400; for too many levels it names the field
 */
export const rejectUnboundedJson = (
  bytes: Buffer,
  valuesMax = VALUES_MAX,
): readonly FieldSpan[] => {
  const fields = new Fields(bytes);
  let values = 1;
  let depth = 0;
  /** Where the last string in the body's own level begins and ends: before a bracket, a name. */
  let nameFrom = 0;
  let nameTo = 0;
  /** Where the last string begins and ends. */
  let from = 0;
  let to = 0;
  let ofShapes = 0;
  // A byte of a smaller body can be one name at most.
  const shapes = bytes.length * VALUES_OF_SHAPE < VALUES_MAX ? null : new Shapes();
  for (let at = 0; at < bytes.length; at += 1) {
    at = endOfSpace(bytes, at);
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = endOfString(bytes, at + 1);
      if (depth === 1) {
        nameFrom = at;
        nameTo = end + 1;
      }
      from = at + 1;
      to = end;
      at = end;
    } else if (byte === COMMA) {
      values += 1;
      if (depth === 1) fields.end(at);
    } else if (byte === COLON) {
      if (depth === 1) fields.begin(from - 1, to + 1, at + 1);
      if (shapes) ofShapes = VALUES_OF_SHAPE * shapes.extend(depth, bytes, from, to);
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values += 1;
      depth += 1;
      shapes?.open(depth);
      if (depth > DEPTH_MAX) throw tooDeep(bytes.toString('utf8', nameFrom, nameTo));
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      if (depth === 1) fields.end(at);
      depth -= 1;
    }
    if (values > valuesMax) throw tooManyValues(valuesMax);
    if (values + ofShapes > VALUES_MAX) throw tooManyShapes();
  }
  return fields.spans;
};

/** The fields of the body itself. */
class Fields {
  readonly spans: FieldSpan[] = [];
  #isOpen = false;
  #nameStart = 0;
  #nameEnd = 0;
  #valueStart = 0;

  constructor(private readonly bytes: Buffer) {}

  begin(nameStart: number, nameEnd: number, after: number): void {
    this.#isOpen = true;
    this.#nameStart = nameStart;
    this.#nameEnd = nameEnd;
    this.#valueStart = endOfSpace(this.bytes, after);
  }

  /** @param at the comma or the bracket behind the value */
  end(at: number): void {
    if (!this.#isOpen) return;
    let end = at;
    while ((this.bytes[end - 1] ?? QUOTE) <= SPACE) end -= 1;
    this.spans.push({
      nameStart: this.#nameStart,
      nameEnd: this.#nameEnd,
      valueStart: this.#valueStart,
      end,
      name: undefined,
    });
    this.#isOpen = false;
  }
}

/** The beginnings of objects, known by hashes: two may be taken for one. */
class Shapes {
  /** Of the object that is open at each level: a hash of its names so far. */
  readonly #open: number[] = [];
  readonly #known = new Set<number>();

  open(depth: number): void {
    this.#open[depth] = 0;
  }

  /** @returns how many beginnings there are, with the next name of the object at this level */
  extend(depth: number, bytes: Buffer, from: number, to: number): number {
    let hash = FNV_OFFSET ^ (this.#open[depth] ?? 0);
    for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME);
    this.#open[depth] = hash;
    return this.#known.add(hash).size;
  }
}

/** The constants of the hash FNV-1a of 32 bits. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The position of the first byte that is neither a space nor the end of a line. */
const endOfSpace = (bytes: Buffer, from: number): number => {
  let at = from;
  while ((bytes[at] ?? QUOTE) <= SPACE) at += 1;
  return at;
};

const tooManyValues = (valuesMax: number): HttpFailure =>
  new HttpFailure({
    status: 400,
    code: 'body_too_complex',
    message: `the body has more than ${valuesMax} values`,
  });

const tooManyShapes = (): HttpFailure =>
  new HttpFailure({
    status: 400,
    code: 'body_too_complex',
    message:
      `the body has more than ${VALUES_MAX} values, where a field that differs by its name or by ` +
      `the fields before it counts as ${VALUES_OF_SHAPE} more`,
  });

/** @param name a JSON string, or empty in a body that is a list */
const tooDeep = (name: string): HttpFailure => {
  const param = fieldIn(name);
  const message = `is nested deeper than ${LEVELS_MAX} levels`;
  return new HttpFailure({
    status: 400,
    code: 'body_too_complex',
    message: param === null ? `the body ${message}` : `${param}: ${message}`,
    ...(param !== null && { param }),
  });
};

const FIELD_LENGTH_MAX = 256;

const fieldIn = (name: string): string | null => {
  if (name === '' || name.length > FIELD_LENGTH_MAX) return null;
  try {
    return JSON.parse(name) as string;
  } catch {
    return null;
  }
};
