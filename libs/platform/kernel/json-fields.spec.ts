import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fieldIn, withFields } from './json-fields.js';

const changed = (json: string, changes: Record<string, string | undefined>): string =>
  withFields(Buffer.from(json), changes).toString();

describe('fields in the bytes of a JSON object', () => {
  it.each([
    ['{"a":1,"model":"x","b":[1, 2]}', { model: '"y"' }, '{"a":1,"model":"y","b":[1, 2]}'],
    ['{ "model" : "x" }', { model: '"y"' }, '{ "model" : "y" }'],
    ['{"a":{"model":"x"}}', { model: '"y"' }, '{"a":{"model":"x"},"model":"y"}'],
    ['{"a":"\\"model\\":","model":"x"}', { model: '"y"' }, '{"a":"\\"model\\":","model":"y"}'],
    ['{"mod\\u0065l":"x"}', { model: '"y"' }, '{"mod\\u0065l":"y"}'],
    ['{"model":"x","model":"z"}', { model: '"y"' }, '{"model":"y","model":"y"}'],
    ['{}', { model: '"y"' }, '{"model":"y"}'],
    ['{ }', { model: '"y"', n: '1' }, '{"model":"y","n":1 }'],
    ['{"a":1, "b":2 , "c":3}', { b: undefined }, '{"a":1 , "c":3}'],
    ['{"a":1,"b":2}', { a: undefined }, '{"b":2}'],
    ['{"a":1,"b":2}', { b: undefined }, '{"a":1}'],
    ['{"a":1}', { a: undefined }, '{}'],
    ['{"a":1,"b":2,"c":3}', { a: undefined, b: undefined }, '{"c":3}'],
    ['{"a":1,"b":2}', { a: undefined, b: undefined, c: '3' }, '{"c":3}'],
    ['{"a":1.0,"b":1e400}', { c: undefined }, '{"a":1.0,"b":1e400}'],
  ])('%s with %j is %s', (json, changes, expected) => {
    expect(changed(json, changes)).toBe(expected);
  });

  it('are changed as parsing, changing and writing would', () => {
    const names = fc.constantFrom('a', 'b', 'model', 'ſ', '"', '\\', '\n');
    const object = fc.dictionary(names, fc.jsonValue(), { noNullPrototype: true });
    const changes = fc.dictionary(names, fc.option(fc.jsonValue(), { nil: undefined }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(
        object,
        changes,
        fc.constantFrom(undefined, 1, '\t'),
        (before, wanted, indent) => {
          const json = JSON.stringify(before, null, indent);
          const after = new Map(Object.entries<unknown>(before));
          const written: Record<string, string | undefined> = {};
          for (const [name, value] of Object.entries(wanted)) {
            written[name] = value === undefined ? undefined : JSON.stringify(value);
            if (value === undefined) after.delete(name);
            else after.set(name, JSON.parse(JSON.stringify(value)));
          }
          expect(JSON.parse(changed(json, written))).toEqual(
            JSON.parse(JSON.stringify(Object.fromEntries(after))),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are found at the top only, the last of their name', () => {
    const json = Buffer.from('{"a":{"model":1},"model":"x","model": "y" }');
    expect(fieldIn(json, 'model')?.toString()).toBe('"y"');
    expect(fieldIn(json, 'none')).toBeUndefined();
  });
});
