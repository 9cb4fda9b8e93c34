import { describe, expect, it } from '@jest/globals';
import { PAYLOAD_BYTES_MAX, payloadOf } from './payload.js';

const read = (text: string) => {
  const { encoding, content } = payloadOf(text);
  return [encoding, Buffer.from(content).toString()];
};

describe('a payload', () => {
  it.each([
    ['68656c6c6f', 'hex', 'hello'],
    ['', 'hex', ''],
    ['aGVsbG8=', 'base64', 'hello'],
    ['aGVsbG8', 'base64', 'hello'],
  ])('%p is %s', (text, encoding, content) => {
    expect(read(text)).toEqual([encoding, content]);
  });

  // Five hex digits are neither.
  it.each(['abcde', 'aGVsbG8===', 'hello!', 'ä', 'aGVs bG8='])('%p is none', (text) => {
    expect(() => payloadOf(text)).toThrow(expect.objectContaining({ code: 'dtn_payload_invalid' }));
  });

  it('has at most 262,144 bytes', () => {
    expect(payloadOf('00'.repeat(PAYLOAD_BYTES_MAX)).content).toHaveLength(PAYLOAD_BYTES_MAX);
    expect(() => payloadOf('00'.repeat(PAYLOAD_BYTES_MAX + 1))).toThrow(/at most/);
  });
});
