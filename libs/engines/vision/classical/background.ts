import { type Mask } from './components.js';
import { type GreyFrame } from './grey-frame.js';

/** A difference of brightness that noise does not have. */
export const DIFFERENCE_LEAST = 24;
/** How far the background follows a frame: slowly where something moves. */
const [FOLLOW, FOLLOW_MOVING] = [0.1, 0.01];
const SCALE = 256;

/** The usual brightness of each pixel, in parts of 256. */
export class Background {
  readonly #values: Uint16Array;

  private constructor(values: Uint16Array) {
    this.#values = values;
  }

  /** The first frame is the background. */
  static of({ values }: GreyFrame): Background {
    return new Background(Uint16Array.from(values, (value) => value * SCALE));
  }

  /** Null for a frame of another size. */
  static from(base64: string, pixels: number): Background | null {
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.length !== 2 * pixels) return null;
    return new Background(
      Uint16Array.from({ length: pixels }, (_, at) => bytes.readUInt16LE(2 * at)),
    );
  }

  /** How much each pixel of a frame differs. */
  differencesTo({ values }: GreyFrame): Uint8Array {
    return values.map((value, at) => Math.abs(value - (this.#values[at] ?? 0) / SCALE));
  }

  /** Follows a frame. @param moving pixels of the foreground */
  follow({ values }: GreyFrame, moving: Mask): void {
    values.forEach((value, at) => {
      const before = this.#values[at] ?? 0;
      const rate = moving.values[at] === 1 ? FOLLOW_MOVING : FOLLOW;
      this.#values[at] = Math.round(before + rate * (value * SCALE - before));
    });
  }

  toBase64(): string {
    const bytes = Buffer.alloc(2 * this.#values.length);
    this.#values.forEach((value, at) => bytes.writeUInt16LE(value, 2 * at));
    return bytes.toString('base64');
  }
}
