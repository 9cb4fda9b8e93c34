import { describe, expect, it } from '@jest/globals';
import { GgufFormatError, parseGgufHeader } from './gguf.header.js';

describe('a GGUF header', () => {
  it.each([
    ['another kind of file', Buffer.from('PK'), /./],
    ['a version to come', Buffer.from([0x47, 0x47, 0x55, 0x46, 9, 0, 0, 0]), /version 9/],
    ['a file cut short', Buffer.from([0x47, 0x47, 0x55, 0x46, 3, 0, 0, 0]), /cut short/],
  ])('is rejected with a reason: %s', (_, bytes, reason) => {
    expect(() => parseGgufHeader(bytes)).toThrow(GgufFormatError);
    expect(() => parseGgufHeader(bytes)).toThrow(reason);
  });
});
