import { describe, expect, it } from '@jest/globals';
import { descriptionOf } from './picture-descriptions.js';
import { star } from './vision-world.fixture.js';

/** As long as a hold allows (`libs/areas/inference/pictures`). */
const LENGTH_MAX = 600;

describe('the words for a picture', () => {
  it('name shapes, colours and places', () => {
    const ring = { ...star(0.4), label: 'ring', colour: 'orange' } as const;
    const bare = { ...star(0.8), colour: null };
    expect(descriptionOf([star(0), ring, { ...bare, box: [0.8, 0.8, 1, 1] }])).toBe(
      'The picture shows a red star at the top left, an orange ring at the top centre, ' +
        'a star at the bottom right.',
    );
    expect(descriptionOf([])).toBe('The picture shows no shape that the detector knows.');
  });

  it('are bounded', () => {
    const widest = { ...star(0.4), label: 'component', colour: 'orange' } as const;
    const box: [number, number, number, number] = [0.4, 0.4, 0.6, 0.6];
    const text = descriptionOf(Array.from({ length: 64 }, () => ({ ...widest, box })));
    expect(text).toContain('and 56 more shapes.');
    expect(text.length).toBeLessThanOrEqual(LENGTH_MAX);
  });
});
