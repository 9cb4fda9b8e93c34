import { type Operation } from './openapi.operations.js';

/** A body with one field that is as expensive as it may be. */
export interface WorstBody {
  /** Such as `messages.0.content: bait of 60000`. */
  readonly name: string;
  readonly text: string;
}

/** The limit of a body, less the other fields. */
const BODY_BYTES = 4_194_304 - 65_536;
/** A validator accepts some of them: a text has a worst length of its own in each field. */
const LENGTHS = [500, 4_000, 16_000, 64_000, 250_000, BODY_BYTES] as const;
/** Below the limit of values in a body. */
const VALUES = 16_000;
/** Below the limit of values in a body of an application route. */
const FEW_VALUES = 480;
const LEVELS = 60;

/** Texts on which careless patterns and loops take quadratic time or more. */
const BAITS = [
  '{',
  '{{',
  ' ',
  '\n',
  '\\',
  '"',
  '<',
  '../',
  '%',
  '0',
  'a',
  'é',
  '💥',
  '((',
  '[',
  'A=',
];

const baitOf = (length: number): string => {
  const part = Math.floor(length / BAITS.length);
  return BAITS.map((bait) => bait.repeat(part / bait.length)).join('');
};

/** A JSON text cut to bytes would be no JSON: escapes and letters take up to six bytes. */
const textOf = (kind: string, length: number): string => {
  const text = kind === 'bait' ? baitOf(length) : kind.repeat(Math.ceil(length / kind.length));
  const bytes = Buffer.byteLength(JSON.stringify(text));
  return bytes <= length ? text : text.slice(0, Math.floor((text.length * length) / bytes));
};

const nested = (open: string, close: string): string =>
  `${open.repeat(LEVELS)}1${close.repeat(LEVELS)}`;

const wide = (keys: number): string =>
  `{${Array.from({ length: keys }, (_, n) => `"k${n}":1`).join(',')}}`;

/** JSON texts that take the place of a value, by name. */
const replacementsOf = (value: unknown): (readonly [string, () => string])[] => {
  const sample = typeof value === 'string' && value !== '' ? value : 'a';
  const texts = LENGTHS.flatMap((length) =>
    ['bait', '{', 'a', sample].map(
      (kind) =>
        [`${kind.slice(0, 20)} of ${length}`, () => JSON.stringify(textOf(kind, length))] as const,
    ),
  );
  const [item = value] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const element = JSON.stringify(item);
  const lists = [8, 100, FEW_VALUES, 4_000, VALUES].map(
    (count) =>
      [
        `list of ${count}`,
        () => `[${Array.from({ length: fitting(element, count) }, () => element).join(',')}]`,
      ] as const,
  );
  return [
    ...texts,
    ...lists,
    [`object of ${FEW_VALUES}`, () => wide(FEW_VALUES)],
    [`object of ${VALUES}`, () => wide(VALUES)],
    ['nested lists', () => nested('[', ']')],
    ['nested objects', () => nested('{"a":', '}')],
  ];
};

/** As many elements as the limits of values and bytes allow. */
const fitting = (element: string, count: number): number => {
  const values = 1 + (element.match(/[,[{]/g) ?? []).length;
  return Math.max(1, Math.min(count, VALUES / values, BODY_BYTES / element.length));
};

const MARK = '@@here@@';

/** The paths of a value and of all values in it. */
const pathsIn = (value: unknown, path: readonly string[] = []): (readonly string[])[] =>
  typeof value === 'object' && value !== null
    ? [path, ...Object.entries(value).flatMap(([name, one]) => pathsIn(one, [...path, name]))]
    : [path];

const valueAt = (value: unknown, [name, ...rest]: readonly string[]): unknown =>
  name === undefined ? value : valueAt((value as Record<string, unknown>)[name], rest);

/** A copy with a mark at the path. */
const marked = (value: unknown, [name, ...rest]: readonly string[]): unknown => {
  if (name === undefined) return MARK;
  const fields = value as Record<string, unknown>;
  const changed = { ...fields, [name]: marked(fields[name], rest) };
  return Array.isArray(value) ? Object.values(changed) : changed;
};

/** Every worst body of an operation, each made when it is asked for. */
export const worstBodiesOf = ({
  body,
  optional,
}: Pick<Operation, 'body' | 'optional'>): (() => WorstBody)[] => {
  if (typeof body !== 'object' || body === null) return [];
  const bases = [
    body,
    ...Object.entries(optional).map(([name, one]) => ({ ...body, [name]: one })),
  ];
  const seen = new Set<string>();
  return bases.flatMap((base) =>
    pathsIn(base).flatMap((path) => {
      const field = path.join('.');
      if (seen.has(field)) return [];
      seen.add(field);
      const frame = JSON.stringify(marked(base, path));
      return replacementsOf(valueAt(base, path)).map(([kind, json]) => () => ({
        name: `${field}: ${kind}`,
        text: frame.replace(`"${MARK}"`, json),
      }));
    }),
  );
};
