import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LEVELS_MAX } from '#areas/inference/token-bound.js';
import { HttpFailure } from '../errors/http-failure.js';
import { rejectUnboundedJson, VALUES_MAX, VALUES_OF_SHAPE } from './json-bounds.js';

const read = (text: string, valuesMax?: number): void =>
  void rejectUnboundedJson(Buffer.from(text), valuesMax);

const failureOf = (text: string): HttpFailure['failure'] => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof HttpFailure) return error.failure;
    throw error;
  }
  throw new Error('accepted');
};

const list = (values: number): string => `[${Array(values).fill('0').join()}]`;
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('the bounds of JSON', () => {
  it('let pass as many values as the limit, with the list that holds them', () => {
    expect(() => read(list(VALUES_MAX - 1))).not.toThrow();
    expect(failureOf(list(VALUES_MAX))).toMatchObject({
      status: 400,
      code: 'body_too_complex',
      message: `the body has more than ${VALUES_MAX} values`,
    });
  });

  it.each([
    ['keys', `{${Array.from({ length: VALUES_MAX }, (_, n) => `"k${n}":0`).join()}}`],
    ['empty objects', `[${Array(VALUES_MAX).fill('{}').join()}]`],
    ['brackets without commas', '[]'.repeat(VALUES_MAX)],
  ])('count %s', (_, text) => {
    expect(failureOf(text)).toMatchObject({ code: 'body_too_complex' });
  });

  const keys = (count: number, first = 0): string =>
    `{${Array.from({ length: count }, (_, n) => `"k${first + n}":0`).join()}}`;

  it('count a field that differs by its name or by the fields before it as further values', () => {
    const said = expect.stringContaining(`counts as ${VALUES_OF_SHAPE} more`);
    const most = Math.floor((VALUES_MAX - 1) / (1 + VALUES_OF_SHAPE));
    expect(() => read(keys(most))).not.toThrow();
    expect(failureOf(keys(most + 1))).toMatchObject({ code: 'body_too_complex', message: said });
    const message = (n: number): string => `{"role":"user","content":"x","k${n}":0}`;
    const messages = (count: number): string =>
      `[${Array.from({ length: count }, (_, n) => message(n)).join()}]`;
    expect(() => read(messages(2_040))).not.toThrow();
    expect(failureOf(messages(2_060))).toMatchObject({ message: said });
    const orders = ordersOf(['a', 'b', 'c', 'd', 'e', 'f', 'g']).map(
      (names) => `{${names.map((name) => `"${name}":0`).join()}}`,
    );
    expect(failureOf(`[${orders.slice(0, 2_000).join()}]`)).toMatchObject({ message: said });
  });

  it('count objects that are alike once', () => {
    const message = { role: 'user', content: ':{"a":1}', name: 'x' };
    const messages = Array<object>(4_090).fill(message);
    expect(() => read(JSON.stringify({ model: 'm', messages }))).not.toThrow();
  });

  it('stop at the limit', () => {
    expect(failureOf(list(VALUES_MAX + 1) + nested(5_000))).not.toHaveProperty('param');
    expect(failureOf(`{"a":${nested(5_000)},"b":${list(VALUES_MAX)}}`)).toMatchObject({
      param: 'a',
    });
  });

  it('let pass as many levels as the limit', () => {
    const field = nested(LEVELS_MAX);
    expect(() => read(`{"tools":${field}}`)).not.toThrow();
    expect(() => read(`{"one":${field},"two":${field}}`)).not.toThrow();
  });

  it.each([
    [`{"model":"m","tools":${nested(LEVELS_MAX + 1)}}`, 'tools'],
    [`{"model":"[\\"","a \\"name\\"" :\n ${nested(5_000)}}`, 'a "name"'],
    [`{"a":[["x"]],"b":${nested(LEVELS_MAX + 1)}}`, 'b'],
  ])('name the field that has more: %.40s', (text, param) => {
    const failure = failureOf(text);
    expect(failure).toMatchObject({ status: 400, code: 'body_too_complex', param });
    expect(failure.message).toBe(`${param}: is nested deeper than ${LEVELS_MAX} levels`);
  });

  it('name no field of a body that is a list', () => {
    expect(failureOf(nested(LEVELS_MAX + 2))).toEqual({
      status: 400,
      code: 'body_too_complex',
      message: `the body is nested deeper than ${LEVELS_MAX} levels`,
    });
  });

  it('count the names of the smallest body that can have too many', () => {
    const most = VALUES_MAX / VALUES_OF_SHAPE - 1;
    const names = (count: number): string => `"a"${':'.repeat(count)}`;
    expect(() => read(names(most))).not.toThrow();
    expect(() => read(names(most + 1))).toThrow(HttpFailure);
  });

  it('do not count the content of strings', () => {
    const strings = ['[{,', '\\', '"', '\\"[', `${'x'.repeat(5_000)}"[[[`, '結'.repeat(400)];
    const escaped = '\\"'.repeat(50_000);
    expect(() => read(JSON.stringify(Array(200).fill(strings).flat()))).not.toThrow();
    expect(() => read(`["${escaped}", "${'['.repeat(100_000)}"]`)).not.toThrow();
  });

  it('count the values of any JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const values = countIn(JSON.parse(text));
        expect(() => read(text, values)).not.toThrow();
        if (values > 1) expect(() => read(text, values - 1)).toThrow(HttpFailure);
      }),
    );
  });

  it.each(['', '"', '"\\', '[', '{"a', ']]]]'])('do not check the syntax: %j', (text) => {
    expect(() => read(text)).not.toThrow();
  });
});

const ordersOf = (names: readonly string[]): readonly (readonly string[])[] =>
  names.length === 0
    ? [[]]
    : names.flatMap((name) =>
        ordersOf(names.filter((other) => other !== name)).map((rest) => [name, ...rest]),
      );

/** An empty list or object counts twice. */
const countIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 1;
  const entries: readonly unknown[] = Object.values(value);
  return entries.reduce((sum: number, entry) => sum + countIn(entry), entries.length === 0 ? 2 : 1);
};
