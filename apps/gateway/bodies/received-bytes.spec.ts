import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ReceivedBytes } from './received-bytes.js';

describe('the bytes of a body', () => {
  it('are the bytes of its chunks, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), (chunks) => {
        const received = new ReceivedBytes();
        for (const chunk of chunks) received.add(Buffer.from(chunk));
        expect(received.bytes()).toEqual(Buffer.concat(chunks));
        expect(received.length).toBe(received.bytes().length);
      }),
    );
  });

  it('share the memory of a single chunk', () => {
    const received = new ReceivedBytes();
    const chunk = Buffer.from('{}');
    received.add(chunk);
    expect(received.bytes().buffer).toBe(chunk.buffer);
  });
});
