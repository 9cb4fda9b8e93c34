import { describe, expect, it } from '@jest/globals';
import { F64, I32, I64, V128 } from './binary/value-type.js';
import { entryPointOf, parametersOf } from './entry-point.js';

const taking = (...params: readonly number[]) => ({ params, results: [] });

describe('the entry point of a module', () => {
  it.each([
    [I32, '-2147483648', -2_147_483_648],
    [I32, '4294967295', -1],
    [I64, '18446744073709551615', -1n],
    [I64, '-9223372036854775808', -9_223_372_036_854_775_808n],
    [F64, '1.5e3', 1_500],
    [F64, '-inf', -Infinity],
    [F64, 'nan', NaN],
  ])('takes a number of type %s: %s', (type, text, value) => {
    expect(parametersOf(taking(type), 'f', [text])).toEqual([value]);
  });

  it.each([
    [I32, '4294967296'],
    [I32, '-2147483649'],
    [I32, '1.5'],
    [I32, ''],
    [I64, '18446744073709551616'],
    [F64, '0x10'],
    [F64, 'Infinity'],
  ])('rejects what is not of type %s: %s', (type, text) => {
    expect(() => parametersOf(taking(type), 'f', [text])).toThrow('args[0] is not a');
  });

  it('rejects another number of arguments, unless it takes none', () => {
    expect(() => parametersOf(taking(I32, I64), 'f', ['1'])).toThrow(
      'f takes 2 arguments (i32, i64), not 1',
    );
    expect(parametersOf(taking(), '_start', ['--help'])).toEqual([]);
  });

  it('takes and returns numbers only', () => {
    const shape = {
      types: [],
      imported: 0,
      tables: [],
      memories: [],
      globals: 0,
      start: null,
      functions: [taking(V128)],
      exports: [{ name: 'f', kind: 0, index: 0 }],
    };
    expect(() => entryPointOf(shape, 'f')).toThrow('f takes or returns v128');
  });
});
