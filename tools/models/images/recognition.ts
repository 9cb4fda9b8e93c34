import { type Denoiser } from '#engines/image-diffusion/network/denoiser.js';
import { pixelsOf } from '#engines/image-diffusion/sampling/pixels.js';
import { draw } from '#engines/image-diffusion/sampling/sampler.js';
import {
  type Attribute,
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type Scene,
} from '#engines/image-diffusion/scene.js';
import { seededRandom } from '#engines/training/seeded-random.js';
import { type SceneClassifier } from './classifier.js';

export type Shares = Readonly<Record<Attribute, number>>;

export interface Recognition {
  /** The share of pictures in which the classifier reads the value that was asked for. */
  readonly drawn: Shares;
  /** The same pictures, each beside the scene of the next one. */
  readonly shuffled: Shares;
}

/** As the card has them. */
export const SAMPLING = { steps: 16, guidance: 2 } as const;
const SEED = 4_711;

/** As `scenes.py` has it: the combinations that training never sees. */
const isHeldOut = ({ shape, colour, background }: Scene): boolean => {
  const [one, two, three] = [
    ATTRIBUTES.shape.indexOf(shape),
    ATTRIBUTES.colour.indexOf(colour),
    ATTRIBUTES.background.indexOf(background),
  ];
  return (one * 5 + two * 3 + three * 7) % 8 === 0;
};

/** Scenes that training never saw, the same at every call. */
export const heldOutScenes = (count: number): readonly Scene[] => {
  const random = seededRandom(SEED);
  const scenes: Scene[] = [];
  while (scenes.length < count) {
    const values = ATTRIBUTE_NAMES.map((name) => [name, random.pick<string>(ATTRIBUTES[name])]);
    const scene = Object.fromEntries(values) as Scene;
    const placed: Scene =
      scene.count === 'one' ? scene : { ...scene, column: 'centre', row: 'middle' };
    if (isHeldOut(placed) && placed.colour !== placed.background) scenes.push(placed);
  }
  return scenes;
};

/** Draws held-out scenes by the engine, and reads them by the classifier. */
export const recognise = (
  denoiser: Denoiser,
  classifier: SceneClassifier,
  scenes: readonly Scene[],
): Recognition => {
  const read = scenes.map((scene, seed) => {
    const numbers = draw(denoiser, { ...SAMPLING, scene, seed, start: null });
    return classifier.read(new Uint8Array(pixelsOf(numbers).buffer));
  });
  const next = [...scenes.slice(1), ...scenes.slice(0, 1)];
  return { drawn: sharesOf(read, scenes), shuffled: sharesOf(read, next) };
};

const sharesOf = (read: readonly Scene[], asked: readonly Scene[]): Shares => {
  const shares = ATTRIBUTE_NAMES.map((name) => {
    const right = read.filter((scene, at) => scene[name] === asked[at]?.[name]).length;
    return [name, right / read.length];
  });
  return Object.fromEntries(shares) as Shares;
};
