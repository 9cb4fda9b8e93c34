import { describe, expect, it } from '@jest/globals';
import { boundedBytes } from './bounded-bytes.js';

const tooLarge = () => new Error('too large');

describe('content in bounded memory', () => {
  let taken: number;
  let isClosed: boolean;

  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    [taken, isClosed] = [0, false];
    try {
      while (taken < 4) {
        taken += 1;
        yield await Promise.resolve(Buffer.from('ab'));
      }
    } finally {
      isClosed = true;
    }
  };

  it('is read whole up to the limit', async () => {
    expect((await boundedBytes(pieces(), 8, tooLarge)).toString()).toBe('abababab');
  });

  it('is left where it exceeds the limit', async () => {
    await expect(boundedBytes(pieces(), 3, tooLarge)).rejects.toThrow('too large');
    expect({ taken, isClosed }).toEqual({ taken: 2, isClosed: true });
  });
});
