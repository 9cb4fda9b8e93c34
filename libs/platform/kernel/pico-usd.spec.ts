import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { picoInUsd, picoUsdOf } from './pico-usd.js';

describe('pico-dollars', () => {
  it.each([
    ['1', 1_000_000_000_000n],
    ['0.000777123', 777_123_000n],
    ['1.25e-7', 125_000n],
    ['4.91E-3', 4_910_000_000n],
    ['0.0000000000005', 1n],
    ['0.00000000000049', 0n],
  ])('reads %s exactly, and rounds half up', (written, pico) => {
    expect(picoUsdOf(written)).toBe(pico);
  });

  it('reads other units', () => {
    expect(picoUsdOf('49100000', 100n)).toBe(picoUsdOf('0.00491'));
  });

  it.each(['', '-1', 'NaN', 'null', '[object Object]', '1e999', '0x10', `0.${'1'.repeat(70)}`])(
    'refuses %j',
    (written) => {
      expect(picoUsdOf(written)).toBeNull();
    },
  );

  it('writes what it reads', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 20n), (pico) => {
        expect(picoUsdOf(picoInUsd(pico))).toBe(pico);
      }),
    );
    expect(picoInUsd(-777_123_000n)).toBe('-0.000777123');
  });
});
