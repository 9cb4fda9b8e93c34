import { seededRandom } from '../../training/seeded-random.js';
import { type Condition, type Denoiser, PICTURE_LENGTH } from '../network/denoiser.js';
import { type Scene, sceneNumbers } from '../scene.js';

/** A picture that the new one starts from, as numbers of the network. */
export interface Start {
  readonly picture: Float32Array;
  /** The share of the way from noise alone: 1 forgets the picture, 0 returns it. */
  readonly strength: number;
}

export interface Drawing {
  readonly scene: Scene;
  /** 32 bits. */
  readonly seed: number;
  readonly steps: number;
  /** How far the prediction is pushed towards the scene; 1 is the scene alone. */
  readonly guidance: number;
  readonly start: Start | null;
}

/** At a time of 1 the picture's share is 0, and its logarithm none. */
const TIME_MAX = 0.995;

interface Shares {
  readonly alpha: number;
  readonly sigma: number;
  /** Half of the logarithm of signal to noise. */
  readonly lambda: number;
}

/** The shares of picture and noise at a time, on a quarter of a circle. */
const sharesAt = (time: number): Shares => {
  const [alpha, sigma] = [Math.cos((time * Math.PI) / 2), Math.sin((time * Math.PI) / 2)];
  return { alpha, sigma, lambda: Math.log(alpha / sigma) };
};

/** The same numbers for the same seed, on every machine. */
export const noiseOf = (seed: number): Float32Array => {
  const random = seededRandom(seed);
  return Float32Array.from({ length: PICTURE_LENGTH }, () => random.normal());
};

/** The times of the steps, evenly spread; the last step leads to 0. */
export const timesOf = (steps: number, strength: number): readonly number[] =>
  Array.from({ length: steps }, (_, step) => TIME_MAX * strength * (1 - step / steps));

/**
 * Draws by DPM-Solver++(2M) of Lu et al., for the prediction of v: a step reckons with the change
 * from the last prediction of the picture, so that few steps are enough.
 * @returns numbers between -1 and 1
 */
export const draw = (denoiser: Denoiser, drawing: Drawing): Float32Array => {
  const { scene, seed, steps, guidance, start } = drawing;
  const strength = start?.strength ?? 1;
  if (start && strength === 0) return start.picture;
  const times = timesOf(steps, strength);
  const scenes = guidance === 1 ? [scene] : [scene, null];
  const conditions = denoiser.conditions(
    times.flatMap((time) =>
      scenes.map((one) => ({ time, attributes: sceneNumbers(one, denoiser.attributeCount) })),
    ),
  );
  const shares = times.map(sharesAt);
  const noisy = startOf(noiseOf(seed), start, shares[0]);
  let last: Float32Array | null = null;
  for (const [step, { alpha, sigma, lambda }] of shares.entries()) {
    const asked = conditions.slice(step * scenes.length, (step + 1) * scenes.length);
    const picture = guided(denoiser, noisy, asked, guidance);
    for (let at = 0; at < PICTURE_LENGTH; at += 1) {
      const value = alpha * (noisy[at] ?? 0) - sigma * (picture[at] ?? 0);
      picture[at] = Math.max(-1, Math.min(1, value));
    }
    const next = shares[step + 1];
    if (!next) return picture;
    const before = shares[step - 1];
    const length = next.lambda - lambda;
    const weight = before ? length / (2 * (lambda - before.lambda)) : 0;
    const [kept, added] = [next.sigma / sigma, next.alpha * -Math.expm1(-length)];
    for (let at = 0; at < PICTURE_LENGTH; at += 1) {
      const value = picture[at] ?? 0;
      const reckoned = last === null ? value : value + weight * (value - (last[at] ?? 0));
      noisy[at] = kept * (noisy[at] ?? 0) + added * reckoned;
    }
    last = picture;
  }
  throw new RangeError('a picture takes at least one step');
};

const startOf = (
  noise: Float32Array,
  start: Start | null,
  { alpha, sigma }: Shares = sharesAt(TIME_MAX),
): Float32Array =>
  start ? noise.map((value, at) => alpha * (start.picture[at] ?? 0) + sigma * value) : noise;

/** The prediction for the scene, moved away from the prediction for no scene. */
const guided = (
  denoiser: Denoiser,
  noisy: Float32Array,
  [scene, none]: readonly Condition[],
  guidance: number,
): Float32Array => {
  if (!scene) throw new RangeError('a step has no condition');
  const towards = denoiser.predict(noisy, scene);
  if (!none) return towards;
  const away = denoiser.predict(noisy, none);
  return towards.map((value, at) => {
    const from = away[at] ?? 0;
    return from + guidance * (value - from);
  });
};
