import { type Batch } from '../gradient.shard.js';
import { seededRandom } from '../seeded-random.js';
import { type TokenDocument } from './documents.js';

interface Row {
  readonly ids: Int32Array;
  readonly targets: Int32Array;
  readonly weights: Float32Array;
}

export interface RowShape {
  readonly rows: number;
  readonly positions: number;
  /** Between two documents, and at the end of a row. */
  readonly separator: number;
}

/**
 * Packs documents into rows, in their order. A document that does not fit opens the next row, and a
 * longer one is cut into rows. Documents in a row see the ones before them.
 */
export const packed = (
  documents: readonly TokenDocument[],
  { positions, separator }: Pick<RowShape, 'positions' | 'separator'>,
): readonly Row[] => {
  const rows: Row[] = [];
  let row = emptyRow(positions, separator);
  let at = 0;
  const next = (): void => {
    if (at > 0) rows.push(row);
    row = emptyRow(positions, separator);
    at = 0;
  };
  for (const { ids, weights } of documents) {
    if (at > 0 && at + ids.length > positions) next();
    for (let from = 0; from < ids.length; from += positions) {
      const length = Math.min(positions, ids.length - from);
      for (let index = 0; index < length; index += 1) {
        const place = from + index;
        row.ids[at + index] = ids[place] ?? separator;
        row.targets[at + index] = ids[place + 1] ?? separator;
        row.weights[at + index] = place + 1 < ids.length ? (weights[place + 1] ?? 0) : 0;
      }
      at += length + 1;
      if (at >= positions) next();
    }
  }
  next();
  return rows.filter((one) => one.weights.some((weight) => weight > 0));
};

const emptyRow = (positions: number, separator: number): Row => ({
  ids: new Int32Array(positions).fill(separator),
  targets: new Int32Array(positions).fill(separator),
  weights: new Float32Array(positions),
});

export const batchOf = (rows: readonly Row[], positions: number): Batch => {
  const ids = new Int32Array(rows.length * positions);
  const targets = new Int32Array(rows.length * positions);
  const weights = new Float32Array(rows.length * positions);
  rows.forEach((row, index) => {
    ids.set(row.ids, index * positions);
    targets.set(row.targets, index * positions);
    weights.set(row.weights, index * positions);
  });
  return { ids, targets, weights, rows: rows.length };
};

/**
 * The batches of a training. A batch depends on the seed and the number of its step alone: epoch
 * follows epoch, each with the documents in an order of its own.
 */
export class TokenRows {
  readonly #rows: Row[] = [];
  #epochs = 0;

  constructor(
    private readonly documents: readonly TokenDocument[],
    private readonly shape: RowShape,
    private readonly seed: number,
  ) {}

  batch(step: number): Batch {
    const { rows, positions } = this.shape;
    while (this.#rows.length < (step + 1) * rows) this.#addEpoch();
    return batchOf(this.#rows.slice(step * rows, (step + 1) * rows), positions);
  }

  #addEpoch(): void {
    const random = seededRandom(this.seed + this.#epochs);
    const shuffled = [...this.documents];
    for (let index = shuffled.length - 1; index > 0; index -= 1) {
      const other = random.below(index + 1);
      const [one, two] = [shuffled[index], shuffled[other]];
      if (one && two) [shuffled[index], shuffled[other]] = [two, one];
    }
    const rows = packed(shuffled, this.shape);
    if (rows.length === 0) throw new RangeError('no document has a token to learn');
    this.#rows.push(...rows);
    this.#epochs += 1;
  }
}
