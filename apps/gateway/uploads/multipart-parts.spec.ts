import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { FIELD_BYTES_MAX } from './form-part.js';
import { multipartParts } from './multipart-parts.js';

const CHUNK_BYTES = 65_536;
const HEADERS = { 'content-type': 'multipart/form-data; boundary=seam' };

const part = (disposition: string, value: string): string =>
  `--seam\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
const form = (...parts: readonly string[]): string => `${parts.join('')}--seam--\r\n`;

/** The parts of a form that were read, and their bytes. */
const read = async (body: string, headers = HEADERS, fileField: string | null = null) => {
  const bytes = Buffer.from(body);
  let pulled = 0;
  const source = new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      const chunk = bytes.subarray(pulled, pulled + CHUNK_BYTES);
      pulled += chunk.length;
      this.push(chunk.length === 0 ? null : chunk);
    },
  });
  const parts: (readonly string[])[] = [];
  const finish = async () => {
    for await (const one of multipartParts(source, headers, fileField)) {
      if (one.kind === 'field') parts.push([one.name, one.value]);
      else parts.push([one.name, one.filename, await text(one.content)]);
    }
  };
  const error = await finish().catch((reason: unknown) => reason);
  return { parts, pulled, error };
};

describe('a multipart form', () => {
  it('is read in order, with files that are larger than a chunk', async () => {
    const large = 'x'.repeat(3 * CHUNK_BYTES);
    const body = form(
      part('name="a"', '1'),
      part('name="f"; filename="f.txt"', large),
      part('name="g"', 'raw'),
      part('name="b"', ''),
    );
    const { parts, error } = await read(body, HEADERS, 'g');
    expect(error).toBeUndefined();
    const files = [
      ['f', 'f.txt', large],
      ['g', '', 'raw'],
    ];
    expect(parts).toEqual([['a', '1'], ...files, ['b', '']]);
  });

  it('is no longer parsed from its seventeenth part on', async () => {
    const { pulled, error } = await read(form('--seam\r\n\r\n\r\n'.repeat(400_000)));
    expect(error).toEqual(new Error('the form: it has more than 16 parts'));
    expect(pulled).toBeLessThanOrEqual(3 * CHUNK_BYTES);
  });

  it.each([
    ['no boundary', form(), { 'content-type': 'multipart/form-data' }, 'Boundary not found'],
    ['a field that is cut short', part('name="a"', '1'), HEADERS, 'Unexpected end'],
    ['a file that is cut short', part('name="a"; filename="a"', '1'), HEADERS, 'Unexpected end'],
    [
      'a long field',
      form(part('name="a"', 'x'.repeat(FIELD_BYTES_MAX + 1))),
      HEADERS,
      'a has more than 4096 bytes',
    ],
  ])('is rejected with %s', async (_, body, headers, message) => {
    const { error } = await read(body, headers);
    expect(error).toMatchObject({ failure: { status: 400, code: 'invalid_form' } });
    expect(String(error)).toContain(message);
  });
});
