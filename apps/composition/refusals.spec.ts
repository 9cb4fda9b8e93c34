import { describe, expect, it } from '@jest/globals';
import { areas } from './areas.js';
import { refusals } from './refusals.js';

describe('refusals', () => {
  it('have one meaning each, whichever area refuses', () => {
    const codes = areas.flatMap((area) => Object.keys(area.refusals));
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
    expect(Object.keys(refusals).sort()).toEqual([...codes].sort());
  });
});
