import { z } from 'zod';

/**
 * What a picture shows, attribute by attribute. The order of attributes and values is the order of
 * the network's inputs; the card of the model repeats it.
 */
export const ATTRIBUTES = {
  shape: ['circle', 'square', 'triangle', 'diamond', 'cross', 'ring', 'star', 'heart'],
  colour: [
    ...(['red', 'orange', 'yellow', 'green', 'cyan', 'blue'] as const),
    ...(['purple', 'pink', 'brown', 'black', 'grey', 'white'] as const),
  ],
  background: [
    ...(['red', 'orange', 'yellow', 'green', 'cyan', 'blue'] as const),
    ...(['purple', 'pink', 'brown', 'black', 'grey', 'white'] as const),
  ],
  pattern: ['plain', 'gradient', 'striped'],
  size: ['small', 'medium', 'large'],
  count: ['one', 'two', 'three', 'four'],
  column: ['left', 'centre', 'right'],
  row: ['top', 'middle', 'bottom'],
} as const;

export type Attribute = keyof typeof ATTRIBUTES;
export type Scene = { readonly [Name in Attribute]: (typeof ATTRIBUTES)[Name][number] };

export const ATTRIBUTE_NAMES = Object.keys(ATTRIBUTES) as readonly Attribute[];

export const Scene = z.strictObject({
  shape: z.enum(ATTRIBUTES.shape),
  colour: z.enum(ATTRIBUTES.colour),
  background: z.enum(ATTRIBUTES.background),
  pattern: z.enum(ATTRIBUTES.pattern),
  size: z.enum(ATTRIBUTES.size),
  count: z.enum(ATTRIBUTES.count),
  column: z.enum(ATTRIBUTES.column),
  row: z.enum(ATTRIBUTES.row),
}) satisfies z.ZodType<Scene>;

const valuesOf = (name: Attribute): readonly string[] => ATTRIBUTES[name];

/** The numbers of all attributes, and one for a picture of no stated attributes. */
export const SCENE_NUMBERS =
  ATTRIBUTE_NAMES.reduce((sum, name) => sum + valuesOf(name).length, 0) + 1;

/**
 * A scene as the network takes it; null: no attributes, which guidance needs.
 * @param length with the zeros that fill the input up
 */
export const sceneNumbers = (scene: Scene | null, length: number): Float32Array => {
  const numbers = new Float32Array(length);
  if (!scene) {
    numbers[SCENE_NUMBERS - 1] = 1;
    return numbers;
  }
  let start = 0;
  for (const name of ATTRIBUTE_NAMES) {
    numbers[start + valuesOf(name).indexOf(scene[name])] = 1;
    start += valuesOf(name).length;
  }
  return numbers;
};
