import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadVisionModel } from '#engines/vision/vision-model.js';
import { decodePng } from '#platform/pictures/png-decoder.js';
import { averagePrecision } from './average-precision.js';
import { calibrateAnomaly, type DrawnFrame, scoreDetections } from './vision.evaluation.js';
import { cardText } from './vision-card.text.js';

const FOLDER = path.resolve('models/vision/quipu-shapes');
/** Of a share in so few frames. */
const DEVIATION_MAX = 0.2;

interface Sample extends Omit<DrawnFrame, 'pixels'> {
  readonly name: string;
}

describe('the detector', () => {
  const { card, ...networks } = loadVisionModel([path.resolve('models')]);
  const file = path.join(FOLDER, 'samples/samples.json');
  const samples = (JSON.parse(readFileSync(file, 'utf8')) as Sample[]).map((sample) => ({
    ...sample,
    pixels: decodePng(readFileSync(path.join(FOLDER, 'samples', sample.name))).pixels,
  }));
  const shapesIn = (frames: readonly DrawnFrame[]) => [
    ...new Set(frames.flatMap(({ objects }) => objects.map(({ shape }) => shape))),
  ];

  it('finds held-out shapes as its card says', () => {
    const heldOut = samples.filter(({ part }) => part === 'heldOut');
    const found = scoreDetections(networks, heldOut, shapesIn(heldOut));
    expect(found.objects).toBeGreaterThan(30);
    expect(Math.abs(found.ap50 - card.heldOut.ap50)).toBeLessThan(DEVIATION_MAX);
    expect(Math.abs(found.colour - card.heldOut.colour)).toBeLessThan(DEVIATION_MAX);
  });

  it('reports anomalies as its card says', () => {
    const { threshold } = card.anomaly;
    const errorsOf = (of: string | null): number[] =>
      samples
        .filter(({ kind }) => kind === of)
        .map(({ pixels }) =>
          Math.max(...networks.patches.of(Float32Array.from(pixels, (value) => value / 255))),
        );
    const reported = errorsOf('noise').filter((error) => error > threshold);
    expect(reported.length / errorsOf('noise').length).toBeGreaterThan(
      (card.anomaly.found['noise'] ?? 0) - 0.3,
    );
    expect(errorsOf(null).filter((error) => error > threshold).length).toBeLessThanOrEqual(2);
  });

  it('has a card for people with the figures of its card', () => {
    expect(readFileSync(path.join(FOLDER, 'card.md'), 'utf8')).toBe(cardText(card));
  });

  it('is calibrated by the quantile of usual frames', () => {
    const calibration = samples
      .filter(({ part }) => part === 'heldOut')
      .map((sample) => ({ ...sample, part: 'calibration' }));
    const { threshold, calibrationFrames } = calibrateAnomaly(networks, calibration);
    expect(calibrationFrames).toBe(calibration.length);
    expect(threshold).toBeGreaterThan(0);
  });
});

describe('the average precision', () => {
  const box = (left: number): [number, number, number, number] => [left, 0, left + 1, 1];
  const drawn = [
    { label: 'star', box: box(0) },
    { label: 'star', box: box(5) },
  ];

  it('is one where every box is found first, and less behind a false one', () => {
    const right = drawn.map((one, at) => ({ ...one, confidence: 0.9 - at / 10 }));
    expect(averagePrecision([{ drawn, found: right }], 'star', 0.5)).toBe(1);
    const wrong = { label: 'star', box: box(9), confidence: 1 };
    expect(averagePrecision([{ drawn, found: [wrong, ...right] }], 'star', 0.5)).toBeCloseTo(2 / 3);
  });

  it('counts a double as wrong, and a missed box', () => {
    const [first] = drawn.map((one) => ({ ...one, confidence: 0.9 }));
    const found = first ? [first, { ...first, confidence: 0.8 }] : [];
    expect(averagePrecision([{ drawn, found }], 'star', 0.5)).toBeCloseTo(0.5);
  });
});
