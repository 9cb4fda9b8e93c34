import { seededRandom } from '../../training/seeded-random.js';
import { ATTRIBUTES, type Scene } from '../scene.js';
import { BEFORE_BACKGROUNDS, COLOUR_WORDS, type Meaning, MEANINGS, STOP_WORDS } from './lexicon.js';

/** A prompt as attributes. */
export interface ReadPrompt {
  /** The attributes that the prompt states. */
  readonly stated: Partial<Scene>;
  /** Words that were understood and cannot be drawn beside the others. */
  readonly undrawn: readonly string[];
  /** Words that mean nothing to the model. */
  readonly unknown: readonly string[];
}

/** Words of one list in an answer. */
const LISTED_MAX = 20;
const WORD = /[\p{L}\p{N}]+|[,.;:]/gu;
const BREAK = /^[,.;:]$/;
const WORD_LENGTH_MAX = 32;

/** Reads a prompt from left to right; the first statement of an attribute counts. */
class PromptReading {
  readonly #stated: Partial<Record<keyof Scene, string>> = {};
  #implied: Partial<Scene> = {};
  readonly undrawn = new Set<string>();
  readonly unknown = new Set<string>();
  /** Colours and patterns whose thing has not come yet. */
  #colours: Scene['colour'][] = [];
  #isBehind = false;
  #hasShape = false;

  get stated(): Partial<Scene> {
    return { ...this.#implied, ...this.#stated } as Partial<Scene>;
  }

  read(word: string): void {
    const colour = COLOUR_WORDS.get(word);
    const meaning = MEANINGS.get(word);
    if (BREAK.test(word)) this.end();
    else if (colour !== undefined) this.#colours.push(colour);
    else if (meaning) this.#apply(word, meaning);
    else if (BEFORE_BACKGROUNDS.has(word)) this.#startBackground();
    else if (!STOP_WORDS.has(word)) this.#list(this.unknown, word);
  }

  /** Ends a clause: colours that no thing followed. */
  end(): void {
    this.#give(this.#isBehind ? 'background' : 'colour');
    this.#isBehind = false;
  }

  #apply(word: string, { sets, implies, takes }: Meaning): void {
    if (takes === 'colour' && this.#hasShape && sets.shape !== this.#stated.shape) {
      // A second kind of shape, with its colour.
      for (const colour of this.#colours.splice(0)) this.#list(this.undrawn, colour);
      this.#list(this.undrawn, word);
      return;
    }
    if (takes) this.#give(takes);
    if (takes === 'colour') this.#hasShape = true;
    this.#implied = { ...implies, ...this.#implied };
    for (const [attribute, value] of Object.entries(sets)) {
      this.#state(attribute as keyof Scene, value, word);
    }
  }

  /** A colour before it is of the shape: "the circle is red on white". */
  #startBackground(): void {
    if (!this.#isBehind) this.#give('colour');
    this.#isBehind = true;
  }

  #give(attribute: 'colour' | 'background'): void {
    for (const colour of this.#colours.splice(0)) this.#state(attribute, colour, colour);
  }

  #state(attribute: keyof Scene, value: string, word: string): void {
    const known = this.#stated[attribute];
    if (known === undefined) this.#stated[attribute] = value;
    else if (known !== value) this.#list(this.undrawn, word);
  }

  #list(list: Set<string>, word: string): void {
    if (list.size < LISTED_MAX) list.add(word.slice(0, WORD_LENGTH_MAX));
  }
}

export const readPrompt = (prompt: string): ReadPrompt => {
  const reading = new PromptReading();
  for (const [word] of prompt.toLowerCase().matchAll(WORD)) reading.read(word);
  reading.end();
  const { stated, undrawn, unknown } = reading;
  return { stated, undrawn: [...undrawn], unknown: [...unknown] };
};

/** The scene of a prompt. The seed chooses a shape and colours that the prompt does not state. */
export const sceneOf = (stated: Partial<Scene>, seed: number): Scene => {
  const random = seededRandom(seed);
  const shape = stated.shape ?? random.pick(ATTRIBUTES.shape);
  const colour =
    stated.colour ?? random.pick(ATTRIBUTES.colour.filter((one) => one !== stated.background));
  const background =
    stated.background ?? random.pick(ATTRIBUTES.background.filter((one) => one !== colour));
  const count = stated.count ?? 'one';
  const isAlone = count === 'one';
  return {
    shape,
    colour,
    background,
    pattern: stated.pattern ?? 'plain',
    size: stated.size ?? 'medium',
    count,
    // Several shapes are always a group in the middle.
    column: isAlone ? (stated.column ?? 'centre') : 'centre',
    row: isAlone ? (stated.row ?? 'middle') : 'middle',
  };
};
