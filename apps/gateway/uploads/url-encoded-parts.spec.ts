import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FIELD_BYTES_MAX } from './form-part.js';
import { urlEncodedParts } from './url-encoded-parts.js';

/** The body in pieces of these sizes, the last of which is repeated. */
async function* inPieces(body: Buffer, sizes: readonly number[]) {
  for (let at = 0, index = 0; at < body.length; index += 1) {
    const size = sizes[Math.min(index, sizes.length - 1)] ?? body.length;
    yield body.subarray(at, at + size);
    at += size;
    await Promise.resolve();
  }
}

const read = async (body: string, sizes: readonly number[] = [1_000]) => {
  const parts: [string, string][] = [];
  for await (const part of urlEncodedParts(inPieces(Buffer.from(body), sizes), 'content')) {
    if (part.kind === 'field') parts.push([part.name, part.value]);
    else {
      const pieces = await Array.fromAsync(part.content);
      parts.push([part.name, Buffer.concat(pieces).toString('latin1')]);
    }
  }
  return parts;
};

describe('a urlencoded form', () => {
  it('is read as the URL standard reads it, wherever its pieces are cut', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    const field = fc.tuple(
      text.filter((name) => name !== 'content' && Buffer.byteLength(name) <= 100),
      text,
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.array(field, { maxLength: 16 }), sizes, async (fields, cuts) => {
        const body = new URLSearchParams(
          fields.map(([name, value]): [string, string] => [name, value]),
        ).toString();
        expect(await read(body, cuts)).toEqual([...new URLSearchParams(body)]);
      }),
    );
  });

  it('gives the bytes of its content, which no encoding changes', async () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(bytes, sizes, async (content, cuts) => {
        const escaped = [...content].map((byte) => `%${byte.toString(16).padStart(2, '0')}`);
        const parts = await read(`content=${escaped.join('')}&after=1`, cuts);
        const expected = Buffer.from(content).toString('latin1');
        expect(parts).toEqual([
          ['content', expected],
          ['after', '1'],
        ]);
      }),
    );
  });

  it('may leave its content unread', async () => {
    const names: string[] = [];
    const body = Buffer.from('content=abcdef&b=2');
    for await (const { name } of urlEncodedParts(inPieces(body, [4]), 'content')) names.push(name);
    expect(names).toEqual(['content', 'b']);
  });

  it.each([
    ['a=%4', 'two hex digits'],
    ['a=%zz', 'two hex digits'],
    ['content=%', 'two hex digits'],
    [`a=${'x'.repeat(FIELD_BYTES_MAX + 1)}`, 'a has more than'],
    [`${'n'.repeat(101)}=1`, 'a name has more than'],
    [Array.from({ length: 17 }, (_, index) => `f${index}=1`).join('&'), 'more than 16 parts'],
  ])('is refused: %.20s', async (body, message) => {
    await expect(read(body)).rejects.toThrow(message);
  });
});
