import { describe, expect, it } from '@jest/globals';
import { decodeFooter, encodeFooter } from './blob.format.js';

describe('the footer of a blob', () => {
  const footer = encodeFooter('c2VhbGVkIGtleQ');
  /** Of a chunk before the footer: no character of base64. */
  const chunk = Buffer.alloc(64, 0xff);
  const objectBytes = chunk.length + footer.length;

  it('has the sealed key', () => {
    const decoded = decodeFooter(Buffer.concat([chunk, footer]), objectBytes);
    expect(decoded?.sealedKey).toBe('c2VhbGVkIGtleQ');
  });

  it('is none with a length that takes bytes of a chunk for the key', () => {
    const damaged = Buffer.concat([chunk, footer]);
    const at = damaged.length - 'QBL1'.length - 1;
    damaged.writeUInt8(damaged.readUInt8(at) + 4, at);
    expect(decodeFooter(damaged, objectBytes)).toBeUndefined();
  });
});
