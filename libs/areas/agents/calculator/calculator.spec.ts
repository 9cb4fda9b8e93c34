import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ToolError } from '#platform/tools/tool.js';
import { calculated } from './calculator.tool.js';

interface Vectors {
  readonly exact: readonly {
    readonly expression: string;
    readonly result?: string;
    readonly exact?: boolean;
    readonly error?: string;
  }[];
  readonly functions: readonly { readonly expression: string; readonly double: number }[];
}

/** The results of Python for the same expressions: `test/oracles/calculator/make-vectors.py`. */
const VECTORS = new URL('../../../../test/oracles/calculator/vectors.json', import.meta.url);
const { exact, functions } = JSON.parse(readFileSync(VECTORS, 'utf8')) as Vectors;

const outcomeOf = (expression: string): object => {
  try {
    return calculated(expression);
  } catch (error) {
    if (error instanceof ToolError) return { error: error.code };
    throw error;
  }
};

const messageOf = (expression: string): string => {
  try {
    return calculated(expression).result;
  } catch (error) {
    return error instanceof ToolError ? `${error.code}: ${error.message}` : String(error);
  }
};

describe('the calculator', () => {
  it('agrees with the fractions of Python', () => {
    for (const { expression, ...expected } of exact) {
      expect([expression, outcomeOf(expression)]).toEqual([expression, expected]);
    }
    expect(exact.length).toBeGreaterThan(200);
  });

  it('agrees with the functions of Python in double precision', () => {
    for (const { expression, double } of functions) {
      const { result, exact: isExact } = calculated(expression);
      expect(isExact).toBe(false);
      expect(Math.abs(Number(result) - double)).toBeLessThanOrEqual(Math.abs(double) * 1e-14);
    }
  });

  it.each([
    ['0.1 + 0.2', '0.3'],
    ['2 ^ 3 ** 2', '512'],
    ['-2 ^ 2', '-4'],
    ['2 ^ -2', '0.25'],
    ['(-1) ^ 1000001', '-1'],
    ['0 ^ 0', '1'],
    ['1 ^ 99999999', '1'],
    ['1e3 - .5', '999.5'],
    ['-7 % 3', '2'],
    ['round(-2.5) + floor(-0.5) + ceil(0.2)', '-3'],
    ['max(1, 2.5, 2) - min(4, 3)', '-0.5'],
    ['abs(-3)', '3'],
    ['2 ^ 100', '1267650600228229401496703205376'],
    ['4 ^ 0.5', '2'],
    ['pi', '3.14159265358979'],
  ])('makes %s to %s', (expression, result) => {
    expect(calculated(expression).result).toBe(result);
  });

  it.each([
    ['1 / 0', 'not_a_number: division by zero'],
    ['0 ^ -1', 'not_a_number: division by zero'],
    ['sqrt(-1)', 'not_a_number: the result is not a number'],
    ['9 ^ 9 ^ 9', 'not_a_number: a number of more than 8192 bits'],
    ['2 +', 'invalid_expression: expected a number instead of the end at 4'],
    ['2 3', 'invalid_expression: expected an operator instead of "3" at character 3'],
    ['(2', 'invalid_expression: expected ")" instead of the end at character 3'],
    ['2 $ 3', 'invalid_expression: cannot read character 2'],
    ['process', 'invalid_expression: there is no process, at character 1'],
    ['constructor', 'invalid_expression: there is no constructor, at character 1'],
    ['abs(1, 2)', 'invalid_expression: abs takes 1 argument, not 2'],
    ['('.repeat(100), 'invalid_expression: nested deeper than 64'],
    ['1'.repeat(1_001), 'invalid_expression: longer than 1000 characters'],
    [' ', 'invalid_expression: expected a number instead of the end at 1'],
  ])('says what is wrong with %s', (expression, message) => {
    expect(messageOf(expression)).toBe(message);
  });

  it('answers every text quickly: with a number or an error message', () => {
    const sign = fc.constantFrom('+', '-', '*', '/', '%', '^', '(', ')', ',', ' ', 'sqrt', 'max');
    const part = fc.oneof(sign, fc.nat().map(String), fc.string({ maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        expect(outcomeOf(parts.join(''))).toBeInstanceOf(Object);
      }),
    );
  });
});
