import { describe, expect, it } from '@jest/globals';
import { jobIdOf } from './fine-tuning.js';

describe('the job of a fine-tuning', () => {
  it('has the same id with dashes', () => {
    expect(jobIdOf('ftjob-01990a5dac96774bbcceb302099a8057')).toBe(
      '01990a5d-ac96-774b-bcce-b302099a8057',
    );
    expect(jobIdOf('01990a5d-ac96-774b-bcce-b302099a8057')).toBeUndefined();
  });
});
