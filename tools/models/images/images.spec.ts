import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadModel } from '#engines/image-diffusion/model.js';
import { ATTRIBUTE_NAMES } from '#engines/image-diffusion/scene.js';
import { SceneClassifier } from './classifier.js';
import { cardText } from './image-card.js';
import { heldOutScenes, recognise } from './recognition.js';

const FOLDER = path.resolve('models/images/quipu-scenes');
const PICTURES = 64;
/** Of a share in so few pictures: three standard deviations at a half. */
const DEVIATION_MAX = 0.19;

describe('the image model', () => {
  const { card, denoiser } = loadModel([path.resolve('models')]);
  const file = readFileSync(path.join(FOLDER, 'classifier.safetensors'));
  const found = recognise(denoiser, new SceneClassifier(file), heldOutScenes(PICTURES));

  it.each(ATTRIBUTE_NAMES)('draws the %s as its card says', (name) => {
    const { drawn, shuffled } = card.recognised;
    expect(Math.abs(found.drawn[name] - (drawn[name] ?? 0))).toBeLessThan(DEVIATION_MAX);
    expect(Math.abs(found.shuffled[name] - (shuffled[name] ?? 0))).toBeLessThan(DEVIATION_MAX);
  });

  it('has a card for people with the figures of its card', () => {
    expect(readFileSync(path.join(FOLDER, 'card.md'), 'utf8')).toBe(cardText(card));
  });
});
