import { type Scene } from '../scene.js';
import { type ReadPrompt } from './prompt-reader.js';

/** How the pixels of the model became the pixels of the picture. */
export interface Rendering {
  readonly model: string;
  readonly side: number;
  readonly width: number;
  readonly height: number;
}

const PATTERNS: Readonly<Record<Scene['pattern'], string>> = {
  plain: '',
  gradient: ' with a gradient',
  striped: ' with stripes',
};

const place = ({ column, row }: Scene): string => {
  if (column === 'centre' && row === 'middle') return 'in the middle';
  if (column === 'centre') return `at the ${row}`;
  if (row === 'middle') return `on the ${column}`;
  return `at the ${row} ${column}`;
};

const plural = (shape: Scene['shape'], count: Scene['count']): string => {
  if (count === 'one') return shape;
  return shape === 'cross' ? 'crosses' : `${shape}s`;
};

/** A scene in words, which the reader of prompts reads as the same scene. */
export const describeScene = (scene: Scene): string => {
  const { shape, colour, background, pattern, size, count } = scene;
  const things = `${count} ${size} ${colour} ${plural(shape, count)} ${place(scene)}`;
  return `${things} on a ${background} background${PATTERNS[pattern]}`;
};

const list = (title: string, words: readonly string[]): string =>
  words.length === 0 ? '' : ` ${title}: ${words.join(', ')}.`;

const hasMoved = (stated: Partial<Scene>, scene: Scene): boolean =>
  (stated.column !== undefined && stated.column !== scene.column) ||
  (stated.row !== undefined && stated.row !== scene.row);

/** The `revised_prompt`: the drawn scene, the words without a meaning, the making of the pixels. */
export const revisedPrompt = (
  { stated, undrawn, unknown }: ReadPrompt,
  scene: Scene,
  { model, side, width, height }: Rendering,
): string => {
  const chosen = (['shape', 'colour', 'background'] as const).filter(
    (attribute) => stated[attribute] === undefined,
  );
  const sentences = [
    `${describeScene(scene)}.`,
    list('Chosen by the seed', chosen),
    list('Not drawn, as a picture has one kind of shape and one background', undrawn),
    hasMoved(stated, scene) ? ' Several shapes are always in the middle.' : '',
    list('Not understood', unknown),
    width === side && height === side
      ? ` Drawn by ${model}.`
      : ` Drawn by ${model} at ${side}x${side} pixels and resampled to ${width}x${height}.`,
  ].join('');
  return `${sentences.charAt(0).toUpperCase()}${sentences.slice(1)}`;
};
