import { describe, expect, it } from '@jest/globals';
import { refusals, tables } from './refusals.js';

describe('refusals', () => {
  it('have one meaning each, whichever area refuses', () => {
    const codes = tables.flatMap((table) => Object.keys(table));
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
    expect(Object.keys(refusals).sort()).toEqual([...codes].sort());
  });
});
