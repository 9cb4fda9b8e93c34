import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EventPacker, type EventTexts, type WordNumbers } from './event-packer.js';
import { EventUnpacker, type WordTexts } from './event-unpacker.js';
import { shapeOf } from './json-shape.js';
import { ObjectUnpacker } from './object-unpacker.js';

const ID = '2dae1ad9-917d-437b-adb7-eb22f7bce2d0';
const ACCOUNT = 'c2f4a8e0-3c11-4c52-9a53-0f3a2f6f5a01';
const RECORDED_AT_MS = Date.parse('2026-11-22T10:32:48.240Z');

/** Numbers every text at once. */
class AllWords implements WordNumbers, WordTexts {
  readonly texts: string[] = [];

  numberOf(text: string): number {
    const known = this.texts.indexOf(text);
    return known === -1 ? this.texts.push(text) : known + 1;
  }

  textOf(number: number): string {
    const text = this.texts[number - 1];
    if (text === undefined) throw new Error(`there is no word ${number}`);
    return text;
  }
}

const NO_WORDS: WordNumbers = { numberOf: () => null };

const textsOf = (data: object, metadata: object = { version: 1 }): EventTexts => ({
  stream: `account-${ACCOUNT}`,
  type: 'HoldPlaced',
  recordedAtMs: RECORDED_AT_MS,
  id: ID,
  data: JSON.stringify(data),
  metadata: JSON.stringify(metadata),
});

/** The event as Node parses the JSON. */
const expectedOf = ({ id, metadata, data }: EventTexts) => ({
  id,
  metadata: JSON.parse(metadata) as unknown,
  data: JSON.parse(data) as unknown,
});

const open = (numbers?: WordNumbers) => {
  const words = new AllWords();
  const packer = new EventPacker(numbers ?? words);
  const unpacker = new EventUnpacker(words);
  const objects = new ObjectUnpacker(words);
  /** Unpacks it from between others, as a reader of pages does. */
  const unpackObjects = (body: Buffer, { stream, recordedAtMs }: EventTexts) => {
    const page = Buffer.concat([Buffer.alloc(7, 0xff), body, Buffer.alloc(64, 1)]);
    return objects.unpack(page, 7, 7 + body.length, stream, recordedAtMs);
  };
  const unpack = (body: Buffer, { stream, recordedAtMs }: EventTexts) => {
    const { id, metadata, data } = unpacker.unpack(body, 0, body.length, stream, recordedAtMs);
    return { id: id.toString(), metadata: metadata.toString(), data: data.toString() };
  };
  const expectSame = (event: EventTexts): Buffer => {
    const body = packer.pack(event);
    const { id, metadata, data } = event;
    expect(unpack(body, event)).toEqual({ id, metadata, data });
    const found = unpackObjects(body, event);
    expect(found).toEqual({ ...expectedOf(event), units: found.units });
    expect([found.metadata, found.data].map((json) => JSON.stringify(json))).toEqual([
      metadata,
      data,
    ]);
    return body;
  };
  return { words, packer, unpack, unpackObjects, expectSame };
};

/** Texts that are nearly the text of a tag. */
const tricky = fc.constantFrom(
  ID,
  ACCOUNT,
  ID.toUpperCase(),
  `user:${ACCOUNT}`,
  `user:${ID}`,
  'user:17',
  'user:017',
  ':',
  'a1'.repeat(32),
  'A1'.repeat(32),
  'g1'.repeat(32),
  '2026-11-22T10:32:48.240Z',
  '2026-11-22T24:00:00.000Z',
  '2026-02-30T10:32:48.240Z',
  '2026-11-22T10:60:48.240Z',
  '2026-11-22 10:32:48.240Z',
  '1969-12-31T23:59:59.999Z',
  '0000-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '0',
  '00',
  '63',
  '64',
  '007',
  '-1',
  '999999999999999',
  '9007199254740993',
  '',
  '"',
  '\\',
  '\\"',
  'a\u0001b',
  'grüße 🪢',
  '\ud800',
  '{"a":[1,2]}',
  '__proto__',
  'constructor',
  '17',
);

const numbers = fc.oneof(
  fc.constantFrom(0, 1, 63, 64, 127, 128, 16_384, 999_999_999_999_999, -1, 0.5, 1e21, 1e-7),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);

const leaves = fc.oneof(tricky, fc.string({ unit: 'grapheme' }), numbers, fc.boolean());

/**
 * No backslash: V8 13.6 takes a name with an escape for such a name, if it stood in the same place
 * of another object (`{"\\\\":1}`, then `{"\\n":1}`), so that `JSON.parse` is no oracle for it.
 */
const names = fc.oneof(tricky, fc.string()).filter((name) => !name.includes('\\'));

const values = fc.letrec<{ readonly value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaves,
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4 }),
  ),
})).value;

const objects = fc.dictionary(names, values, { maxKeys: 6 });

describe('a packed event', () => {
  it.each([
    ['with every word', undefined],
    ['without words', NO_WORDS],
  ])('gives the bytes of JSON back, %s', (_, words) => {
    const { expectSame } = open(words);
    fc.assert(
      fc.property(objects, objects, (data, metadata) => {
        expectSame(textsOf(data, metadata));
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same objects once their shape is compiled', () => {
    const { expectSame } = open();
    const fields = String.raw`{"17":"x","__proto__":{"a":1},"":[[],{}],"\u2028\"":[{"b":null}]}`;
    const data = JSON.parse(fields) as object;
    for (let turn = 0; turn < 250; turn += 1) {
      expectSame(textsOf({ ...data, turn, values: [-turn, turn / 8, turn * 1e20] }));
      expectSame(textsOf(JSON.parse(fields.replace('1}', `${turn}}`)) as object));
    }
    expect(({} as { readonly a?: unknown }).a).toBeUndefined();
  });

  it('nests as deep as a shape may be long', () => {
    const { expectSame } = open();
    const nested = JSON.parse(`{"a":${'['.repeat(1_000)}1${']'.repeat(1_000)}}`) as object;
    for (let turn = 0; turn < 150; turn += 1) expectSame(textsOf(nested));
  });

  it('recognizes another shape of the same type', () => {
    const { expectSame } = open();
    const shapes = [
      { a: 1 },
      { '\\"\\': 1 },
      { a: { b: 1 } },
      { a: [] },
      { a: [1] },
      { a: [1, 2] },
      {},
      { b: 1 },
    ];
    for (const data of [...shapes, ...shapes.toReversed()]) expectSame(textsOf(data));
  });

  it('stores a hold of a chat in less than a hundred bytes', () => {
    const { expectSame } = open();
    const line = { meter: 'input_tokens', quantity: 313, unitPriceMicroUsd: '150000' };
    const hold = {
      accountId: ACCOUNT,
      holdId: 'b6c3fdd2-8db1-4a34-bd07-5a2bd5ac1b3f',
      purpose: 'chat_completion',
      lines: [line, { ...line, meter: 'output_tokens', quantity: 64 }],
      placedAt: '2026-11-22T10:32:48.239Z',
      expiresAt: '2026-11-22T10:43:48.239Z',
      availableMicroUsd: '9999999914',
    };
    const body = expectSame(textsOf(hold, { version: 1, requestId: hold.holdId, actor: 'cli' }));
    expect(body.length).toBeLessThan(100);
  });

  it('stores what has no shape as it is', () => {
    const { words, expectSame } = open();
    expectSame(textsOf({ text: 'long '.repeat(100_000) }));
    expectSame(textsOf(Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`key${n}`, n]))));
    expect(Math.max(...words.texts.map(({ length }) => length))).toBeLessThan(64);
  });

  it('is rejected when it is cut, when it is longer, and when a byte is another', () => {
    const { packer, unpack, unpackObjects } = open();
    const event = textsOf({ holdId: ACCOUNT, quantity: 313, at: '2026-11-22T10:32:48.239Z' });
    const body = packer.pack(event);
    for (let length = 0; length < body.length; length += 1) {
      expect(() => unpack(body.subarray(0, length), event)).toThrow();
      expect(() => unpackObjects(body.subarray(0, length), event)).toThrow();
    }
    const longer = Buffer.concat([body, Buffer.of(0)]);
    expect(() => unpack(longer, event)).toThrow('bytes follow');
    expect(() => unpackObjects(longer, event)).toThrow('bytes follow');
    const seen = [event.id, event.metadata, event.data].join('\n');
    for (const [at, byte] of body.entries()) {
      const changed = Buffer.from(body);
      changed[at] = byte ^ 1;
      const read = (): string => {
        const { id, metadata, data } = unpack(changed, event);
        return [id, metadata, data].join('\n');
      };
      const text = orNull(read);
      expect(text).not.toBe(seen);
      const object = orNull(() => unpackObjects(changed, event));
      if (object)
        expect([object.id, object.metadata, object.data].map(jsonOf).join('\n')).toBe(text);
    }
  });
});

const jsonOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const orNull = <Value>(read: () => Value): Value | null => {
  try {
    return read();
  } catch {
    return null;
  }
};

describe('the shape of JSON', () => {
  it('keeps names and structure', () => {
    const json = JSON.stringify({ a: 'x', 'b"': [1, null, { c: true }], d: {}, e: [] });
    expect(shapeOf(json)).toBe('{"a":\u0001,"b\\"":[\u0001,\u0001,{"c":\u0001}],"d":{},"e":[]}');
  });
});
