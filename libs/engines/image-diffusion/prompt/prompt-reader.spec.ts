import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATTRIBUTES, type Scene } from '../scene.js';
import { readPrompt, sceneOf } from './prompt-reader.js';
import { describeScene, revisedPrompt } from './scene-description.js';

const RENDERING = { model: 'quipu-scenes', side: 32, width: 1_024, height: 1_024 };

const scenes = fc
  .record({
    shape: fc.constantFrom(...ATTRIBUTES.shape),
    colour: fc.constantFrom(...ATTRIBUTES.colour),
    background: fc.constantFrom(...ATTRIBUTES.background),
    pattern: fc.constantFrom(...ATTRIBUTES.pattern),
    size: fc.constantFrom(...ATTRIBUTES.size),
    count: fc.constantFrom(...ATTRIBUTES.count),
    column: fc.constantFrom(...ATTRIBUTES.column),
    row: fc.constantFrom(...ATTRIBUTES.row),
  })
  .map((scene): Scene =>
    scene.count === 'one' ? scene : { ...scene, column: 'centre', row: 'middle' },
  );

describe('a prompt', () => {
  it('that describes a scene is read as this scene', () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const read = readPrompt(describeScene(scene));
        expect(sceneOf(read.stated, 1)).toEqual(scene);
        expect(read).toMatchObject({ undrawn: [], unknown: [] });
      }),
    );
  });

  it.each<[string, Partial<Scene>]>([
    ['a red star', { shape: 'star', colour: 'red' }],
    ['A big RED ball, top left', { shape: 'circle', colour: 'red', size: 'large', row: 'top' }],
    ['a star that is red on blue', { shape: 'star', colour: 'red', background: 'blue' }],
    ['blue sky with a golden sun', { shape: 'circle', colour: 'yellow', background: 'blue' }],
    ['the moon at night', { shape: 'circle', colour: 'white', background: 'black' }],
    ['a red sun', { shape: 'circle', colour: 'red' }],
    ['a pair of tiny hearts', { shape: 'heart', count: 'two', size: 'small' }],
    ['3 pink rings on striped grey paper', { count: 'three', pattern: 'striped' }],
    ['middle left', { column: 'left', row: 'middle' }],
  ])('%s states its attributes', (prompt, stated) => {
    const read = readPrompt(prompt);
    expect(read.stated).toMatchObject(stated);
    expect(read.unknown).toEqual([]);
    expect(read.undrawn).toEqual([]);
  });

  it('names a second shape, its colour, and words without a meaning', () => {
    const read = readPrompt('a photorealistic red circle beside a blue square on white');
    expect(read).toEqual({
      stated: { shape: 'circle', colour: 'red', background: 'white' },
      undrawn: ['blue', 'square'],
      unknown: ['photorealistic', 'beside'],
    });
  });

  it('of any text lists few words, none of them long', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (prompt) => {
        const { undrawn, unknown } = readPrompt(prompt);
        expect(undrawn.length).toBeLessThanOrEqual(20);
        expect(unknown.length).toBeLessThanOrEqual(20);
        for (const word of [...undrawn, ...unknown]) expect(word.length).toBeLessThanOrEqual(32);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the revised prompt', () => {
  const revised = (prompt: string, seed = 1) => {
    const read = readPrompt(prompt);
    return revisedPrompt(read, sceneOf(read.stated, seed), RENDERING);
  };

  it('describes the drawn scene, the words without a meaning, and the making of the pixels', () => {
    expect(revised('an astronaut and 2 red stars on white, left, a blue ring')).toBe(
      'Two medium red stars in the middle on a white background. Not drawn, as a picture has one ' +
        'kind of shape and one background: blue, ring. Several shapes are always in the middle. ' +
        'Not understood: astronaut. Drawn by quipu-scenes at 32x32 pixels and resampled to ' +
        '1024x1024.',
    );
  });

  it('says what the seed has chosen, which is another scene for another seed', () => {
    expect(revised('a star')).toContain('Chosen by the seed: colour, background.');
    expect(revised('a star')).toBe(revised('a star'));
    expect(new Set([1, 2, 3, 4].map((seed) => revised('a star', seed))).size).toBeGreaterThan(1);
  });
});
