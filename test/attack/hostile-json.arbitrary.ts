import fc from 'fast-check';

/** The JSON contains the text between these marks unchanged. */
const RAW = '\u{e000}';
const RAW_TEXT = new RegExp(`"${RAW}([^${RAW}]*)${RAW}"`, 'gu');
const raw = (text: string): string => RAW + text + RAW;

/** Numbers of which no reader of JSON, or only some, makes a number. */
const NUMBERS = [
  ...['1e400', '-1e400', '1e-400', '-0', '0.1e1', '9007199254740993', '123456789012345678901234'],
  ...['NaN', '-NaN', 'Infinity', 'nan', '0x10', '0b1', '1_000', '01', '+1', '.5', '1.', "'1'"],
];

const STRINGS = [
  ...['', ' ', '\0', '\u0000\u0001', '\ufeff', '\u202e', '💥'.repeat(50), 'é́́́', 'ß', 'İ', '\r\n'],
  ...['__proto__', 'constructor', 'toString', '../../etc/passwd', '%00', '${7*7}', '{{7*7}}'],
  ...["'; DROP TABLE events;--", '<script>', 'NaN', 'null', 'true', '[object Object]', '1e3'],
  ...['\\', '"', 'x'.repeat(5_000), raw('"\\ud800"'), raw('"\\u"'), raw('"\\x41"'), raw('"\t"')],
];

const KEYS = [
  ...['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'then', 'toJSON'],
  ...['', ' ', '0', '-1', '$where', 'a.b', 'a[b]', '\u0000', '💥', 'x'.repeat(300)],
];

const DEPTHS = [20, 63, 64, 65, 1_000, 20_000];
const deep = (depth: number): string => raw('['.repeat(depth) + ']'.repeat(depth));
const deepObject = (depth: number): string => raw('{"a":'.repeat(depth) + '1' + '}'.repeat(depth));

/** A value of any type, most of them of a type that the field does not have. */
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...STRINGS),
  fc.constantFrom(...NUMBERS).map(raw),
  fc.constantFrom<unknown>(null, true, false, 0, -1, 0.5, 2 ** 53, 1e308, [], {}, [[]], [null], ''),
  fc.constantFrom(...DEPTHS).map(deep),
  fc.constantFrom(...DEPTHS).map(deepObject),
  fc.constantFrom(...KEYS).map((key) => raw(`{${JSON.stringify(key)}:{"a":1}}`)),
  fc.integer({ min: 1, max: 5_000 }).map((length) => Array.from({ length }, () => 0)),
  fc.jsonValue({ maxDepth: 4 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

type Mutation = (body: unknown) => unknown;

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Changes one field at any depth; `choices` select the way down. */
const atPath = (choices: readonly number[], change: Mutation): Mutation => {
  const [choice, ...rest] = choices;
  return (value) => {
    if (choice === undefined || !isContainer(value)) return change(value);
    const keys = Object.keys(value);
    const key = keys[choice % Math.max(1, keys.length)];
    if (key === undefined) return change(value);
    const changed = atPath(rest, change)(value[key]);
    if (Array.isArray(value)) return (value as readonly unknown[]).with(Number(key), changed);
    return { ...value, [key]: changed };
  };
};

const wayDown = fc.array(fc.nat(20), { minLength: 1, maxLength: 4 });

const replaced = fc
  .tuple(wayDown, hostileValue)
  .map(([way, value]): Mutation => atPath(way, () => value));

const removed = fc.nat(20).map((choice): Mutation => (body) => {
  if (!isContainer(body)) return null;
  const entries = Object.entries(body);
  return Object.fromEntries(entries.filter((_, n) => n !== choice % entries.length));
});

const added = fc
  .tuple(fc.oneof(fc.constantFrom(...KEYS), fc.string({ maxLength: 20 })), hostileValue)
  .map(([key, value]): Mutation => (body) => {
    if (!isContainer(body)) return value;
    // `__proto__` as a key of its own, which an object literal would not make.
    return Object.fromEntries([...Object.entries(body), [key, value]]);
  });

const mutation = fc.oneof({ weight: 3, arbitrary: replaced }, removed, added);

const textOf = (value: unknown): string =>
  JSON.stringify(value).replaceAll(RAW_TEXT, (_, text: string) =>
    // Within the marks, JSON has escaped what JSON escapes.
    String(JSON.parse(`"${text}"`)),
  );

/** Repeats every key of an object, with another value first. */
const withRepeatedKeys = (text: string): string =>
  text.startsWith('{') && text.length > 2
    ? `{"model":1,"username":{},"name":[],"otp_code":null,${text.slice(1)}`
    : text;

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

/** Bodies around the one that the route takes: from well-formed JSON of wrong types to no JSON. */
export const hostileBody = (
  required: unknown,
  optional: Readonly<Record<string, unknown>>,
): fc.Arbitrary<Buffer> =>
  fc
    .uniqueArray(fc.constantFrom(undefined, ...Object.entries(optional)), { maxLength: 3 })
    .map((fields) => fields.filter((field) => field !== undefined))
    .map((fields) =>
      isContainer(required) ? { ...required, ...Object.fromEntries(fields) } : required,
    )
    .chain(bodyAround);

const bodyAround = (sample: unknown): fc.Arbitrary<Buffer> => {
  const mutated = fc
    .array(mutation, { minLength: 1, maxLength: 3 })
    .map((mutations) => textOf(mutations.reduce((body, mutate) => mutate(body), sample)));
  const valid = textOf(sample);
  return fc.oneof(
    { weight: 8, arbitrary: mutated.map(bytes) },
    { weight: 3, arbitrary: fc.constant(bytes(valid)) },
    { weight: 1, arbitrary: mutated.map((text) => bytes(withRepeatedKeys(text))) },
    { weight: 1, arbitrary: hostileValue.map((value) => bytes(textOf(value))) },
    {
      weight: 1,
      arbitrary: fc.nat(valid.length).map((length) => bytes(valid.slice(0, length))),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        bytes(`\ufeff${valid}`),
        Buffer.from(valid, 'utf16le'),
        Buffer.concat([bytes(valid), Buffer.of(0)]),
        Buffer.concat([bytes('{"model":"'), Buffer.of(0xc3, 0x28, 0xff), bytes('"}')]),
        bytes(`${valid}${valid}`),
        bytes(`${valid}// a comment`),
        bytes(''),
        bytes(' '.repeat(10_000)),
        bytes('['.repeat(100_000)),
        bytes('{"a":'.repeat(50_000)),
        bytes(`{${'"a":1,'.repeat(20_000)}"b":1}`),
      ),
    },
  );
};
