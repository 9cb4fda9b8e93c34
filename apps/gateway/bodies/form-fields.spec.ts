import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseFormFields } from './form-fields.js';

const ENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=knot';

const partsOf = (fields: readonly (readonly [name: string, value: string, file?: string])[]) =>
  Buffer.from(
    [
      ...fields.map(([name, value, file]) => {
        const filename = file === undefined ? '' : `; filename="${file}"`;
        const disposition = `Content-Disposition: form-data; name="${name}"${filename}`;
        return `--knot\r\n${disposition}\r\n\r\n${value}\r\n`;
      }),
      '--knot--\r\n',
    ].join(''),
  );

describe('the fields of a form', () => {
  it('are read whatever their text, in both encodings', async () => {
    const text = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('--knot'));
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const encoded = Buffer.from(new URLSearchParams({ cord: value }).toString());
        expect(await parseFormFields(encoded, ENCODED)).toEqual({ cord: value.toWellFormed() });
        const parts = partsOf([['cord', value]]);
        expect(await parseFormFields(parts, MULTIPART)).toEqual({ cord: value.toWellFormed() });
      }),
    );
  });

  it.each([
    ['a field twice', Buffer.from('cord=1&cord=2'), ENCODED, 'cord: is given twice'],
    ['a prototype', Buffer.from('__proto__=1'), ENCODED, '__proto__'],
    ['too many fields', Buffer.from('a=1&'.repeat(70)), ENCODED, 'twice'],
    [
      'very many fields',
      Buffer.from(Array.from({ length: 65 }, (_, n) => `f${n}=1`).join('&')),
      ENCODED,
      'more than 64 fields',
    ],
    [
      'very many empty parts',
      Buffer.from(`${'--knot\r\n\r\n\r\n'.repeat(1_000)}--knot--\r\n`),
      MULTIPART,
      'more than 64 fields',
    ],
    ['a file', partsOf([['cord', 'x', 'cord.txt']]), MULTIPART, 'cord: a file is not expected'],
    ['no boundary', partsOf([['cord', 'x']]), 'multipart/form-data', 'not a form'],
    ['a form cut short', Buffer.from('--knot\r\nContent-Dis'), MULTIPART, 'not a form'],
  ])('are rejected with %s', async (_, bytes, type, message) => {
    await expect(parseFormFields(bytes, type)).rejects.toThrow(message);
  });
});
