import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fieldIn, fieldTextIn, withFields } from '#platform/kernel/json-fields.js';
import { VALUES_MAX } from './json-bounds.js';
import { parseJson, withoutByteOrderMark } from './json-body.js';

const parse = (text: string): unknown => parseJson(withoutByteOrderMark(Buffer.from(text)));

describe('a JSON body', () => {
  it.each([
    '{"a":[1,"结",null]}',
    '\uFEFF{"a":1}',
    '7',
    '"\\u0041"',
    '{"a":"__proto__"}',
    '{"constructor":1}',
    '{"constructor":{"name":"x"}}',
  ])('is parsed: %j', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text.replace('\uFEFF', '')));
  });

  it('has its fields where a second reading of its bytes finds them', () => {
    const names = fc.constantFrom('a', 'model', '"', '\\', '結', 'a b');
    const object = fc.dictionary(names, fc.jsonValue(), { noNullPrototype: true });
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1, '\t'), names, (value, indent, name) => {
        const text = ` ${JSON.stringify(value, null, indent)}\n`;
        // Rejected: below.
        fc.pre(!/"(__proto__|prototype)":/.test(text));
        const [parsed, unread] = [Buffer.from(text), Buffer.from(text)];
        parseJson(parsed);
        expect(fieldIn(parsed, name)).toEqual(fieldIn(unread, name));
        expect(fieldTextIn(parsed, name)).toBe(fieldTextIn(unread, name));
        for (const change of ['[1]', undefined]) {
          const changes = { [name]: change, model: '"m"' };
          expect(withFields(parsed, changes)).toEqual(withFields(unread, changes));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is undefined when empty', () => {
    expect(parse('')).toBeUndefined();
  });

  it.each([
    ['', '{"a":'],
    ['', '{"a":1}}'],
    ['', 'constructor'],
    ['prototype poisoning: ', '{"__proto__":{"a":1}}'],
    ['prototype poisoning: ', '{"a":{"\\u005f_proto__":{"a":1}}}'],
    ['prototype poisoning: ', '{"a":{"__pr\\u006fto__":{"a":1}}}'],
    ['prototype poisoning: ', '{"constructor":{"prototype":{"a":1}}}'],
    ['prototype poisoning: ', '{"constructor":{"p\\u0072ototype":{"a":1}}}'],
    ['prototype poisoning: ', '[1,[{"a":{"constructor":{"prototype":null}}}]]'],
  ])('is rejected: %s%s', (_, text) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        failure: {
          status: 400,
          code: 'invalid_json',
          message: expect.stringMatching(/^the body is not JSON: ./),
        },
      }),
    );
  });

  it('is bounded before it is parsed', () => {
    expect(() => parse('['.repeat(VALUES_MAX + 1))).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ code: 'body_too_complex' }) }),
    );
  });
});
