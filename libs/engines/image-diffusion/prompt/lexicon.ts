import { type Attribute, ATTRIBUTES, type Scene } from '../scene.js';

/** The meaning of a word for a scene. */
export interface Meaning {
  readonly sets: Partial<Scene>;
  /** Unless the prompt says otherwise. */
  readonly implies?: Partial<Scene>;
  /** A colour before it belongs to the shape, or to the background. */
  readonly takes?: 'colour' | 'background';
}

const meaningsOf = (
  attribute: Attribute,
  words: Readonly<Record<string, readonly string[]>>,
): [string, Meaning][] =>
  Object.entries(words).flatMap(([value, synonyms]) =>
    [value, ...synonyms].map((word): [string, Meaning] => [word, { sets: { [attribute]: value } }]),
  );

const shapes = meaningsOf('shape', {
  circle: ['circles', 'disc', 'discs', 'disk', 'disks', 'dot', 'dots', 'ball', 'balls', 'round'],
  square: ['squares', 'box', 'boxes', 'block', 'blocks', 'tile', 'tiles'],
  triangle: ['triangles', 'pyramid', 'pyramids', 'triangular'],
  diamond: ['diamonds', 'rhombus', 'rhombuses', 'lozenge', 'lozenges', 'kite', 'kites'],
  cross: ['crosses', 'plus', 'pluses'],
  ring: ['rings', 'hoop', 'hoops', 'donut', 'donuts', 'doughnut', 'doughnuts', 'wheel', 'wheels'],
  star: ['stars'],
  heart: ['hearts'],
}).map(([word, meaning]): [string, Meaning] => [word, { ...meaning, takes: 'colour' }]);

/** Things that are drawn as a shape, or as a background. */
const things: [string, Meaning][] = [
  ['sun', { sets: { shape: 'circle' }, implies: { colour: 'yellow' }, takes: 'colour' }],
  ['moon', { sets: { shape: 'circle' }, implies: { colour: 'white' }, takes: 'colour' }],
  ['sky', { sets: {}, implies: { background: 'blue' }, takes: 'background' }],
  ['sea', { sets: {}, implies: { background: 'blue' }, takes: 'background' }],
  ['ocean', { sets: {}, implies: { background: 'blue' }, takes: 'background' }],
  ['grass', { sets: {}, implies: { background: 'green' }, takes: 'background' }],
  ['meadow', { sets: {}, implies: { background: 'green' }, takes: 'background' }],
  ['snow', { sets: {}, implies: { background: 'white' }, takes: 'background' }],
  ['night', { sets: {}, implies: { background: 'black' }, takes: 'background' }],
  [
    'sunset',
    { sets: {}, implies: { background: 'orange', pattern: 'gradient' }, takes: 'background' },
  ],
  ...['background', 'backgrounds', 'backdrop', 'wall', 'paper', 'canvas', 'field'].map(
    (word): [string, Meaning] => [word, { sets: {}, takes: 'background' }],
  ),
];

const placeless: [string, Meaning][] = [
  ...meaningsOf('pattern', {
    plain: ['solid', 'flat', 'uniform'],
    gradient: ['gradients', 'fading', 'shaded'],
    striped: ['stripes', 'stripe', 'stripy', 'lined'],
  }),
  ...meaningsOf('size', {
    small: ['little', 'tiny', 'smaller', 'mini'],
    medium: [],
    large: ['big', 'huge', 'giant', 'larger', 'enormous'],
  }),
  ...meaningsOf('count', {
    one: ['1', 'single'],
    two: ['2', 'pair', 'couple'],
    three: ['3', 'trio'],
    four: ['4'],
  }),
  ...meaningsOf('column', { left: ['leftmost'], right: ['rightmost'] }),
  ...meaningsOf('row', {
    top: ['upper', 'above'],
    bottom: ['lower', 'below'],
  }),
  ...['middle', 'centre', 'center', 'central', 'centered', 'centred'].map(
    (word): [string, Meaning] => [word, { sets: {}, implies: { column: 'centre', row: 'middle' } }],
  ),
];

export const MEANINGS: ReadonlyMap<string, Meaning> = new Map([...shapes, ...things, ...placeless]);

/** Words for colours; the network has twelve. */
export const COLOUR_WORDS: ReadonlyMap<string, Scene['colour']> = new Map([
  ...ATTRIBUTES.colour.map((colour) => [colour, colour] as const),
  ['crimson', 'red'],
  ['scarlet', 'red'],
  ['gold', 'yellow'],
  ['golden', 'yellow'],
  ['lime', 'green'],
  ['turquoise', 'cyan'],
  ['teal', 'cyan'],
  ['navy', 'blue'],
  ['violet', 'purple'],
  ['magenta', 'pink'],
  ['gray', 'grey'],
  ['silver', 'grey'],
]);

/** After them, a colour belongs to the background. */
export const BEFORE_BACKGROUNDS: ReadonlySet<string> = new Set(['on', 'against', 'over']);

/** Words that a prompt needs and a scene does not. */
export const STOP_WORDS: ReadonlySet<string> = new Set([
  ...[
    'a',
    'an',
    'the',
    'of',
    'in',
    'at',
    'with',
    'and',
    'is',
    'are',
    'that',
    'to',
    'its',
    'it',
    'this',
  ],
  ...['draw', 'paint', 'make', 'please', 'me', 'image', 'picture', 'photo', 'drawing', 'icon'],
  ...['colour', 'color', 'coloured', 'colored', 'shape', 'shapes', 'side', 'corner', 'size'],
  ...['sized', 'hand', 'front', 'there', 'show', 'showing', 'some', 'pattern', 'by', 'from'],
]);
