import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { F32, F64, I32, I64 } from './binary/value-type.js';
import { writtenResults } from './written-results.js';

const one = (type: number, value: unknown): string =>
  writtenResults({ results: [type] }, value).trimEnd();

// `test/oracles/wasmtime` compares with the output of Wasmtime.
describe('written results', () => {
  it('are one on each line', () => {
    const results = [I32, I64, F64];
    expect(writtenResults({ results }, [1, -2n, 0.5])).toBe('1\n-2\n0.5\n');
    expect(writtenResults({ results: [] }, undefined)).toBe('');
  });

  it('name what is not finite as Rust does, and keep the sign of zero', () => {
    const values = [-0, Infinity, -Infinity, NaN];
    for (const type of [F32, F64]) {
      expect(values.map((value) => one(type, value))).toEqual(['-0', 'inf', '-inf', 'NaN']);
    }
  });

  it('have the digits of their own type and no exponent', () => {
    expect(one(F32, Math.fround(0.1))).toBe('0.1');
    expect(one(F64, Math.fround(0.1))).toBe('0.10000000149011612');
    expect(one(F32, Math.fround(1e30))).toBe(`1${'0'.repeat(30)}`);
    expect(one(F64, 1.5e-7)).toBe('0.00000015');
  });

  it('read back as the value they were written from', () => {
    const back = (type: number, value: number): number => Number(one(type, value));
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Math.fround(back(F32, value))).toBe(value);
      }),
    );
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(back(F64, value)).toBe(value);
        expect(one(F64, value)).not.toContain('e');
      }),
    );
  });
});
