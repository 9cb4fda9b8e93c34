import { describe, expect, it } from '@jest/globals';
import { QrCodes } from './qr-codes.js';

describe('QR codes', () => {
  it('are drawn once', async () => {
    const codes = new QrCodes();
    const first = await codes.imageOf('bitcoin:a');
    expect(first.subarray(1, 4).toString()).toBe('PNG');
    expect(await codes.imageOf('bitcoin:a')).toBe(first);
    expect(await codes.imageOf('bitcoin:b')).not.toEqual(first);
  });

  it('are drawn again after a failure', async () => {
    const codes = new QrCodes();
    const tooLong = 'x'.repeat(10_000);
    await expect(codes.imageOf(tooLong)).rejects.toThrow();
    await expect(codes.imageOf(tooLong)).rejects.toThrow();
  });
});
