import { type HomomorphicFailure } from './homomorphic.errors.js';
import { type ParameterSetName } from './parameter-sets.js';

export const OPERATIONS = ['linear', 'logistic', 'dot', 'sum'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Of one ciphertext as it was sent: a fresh one has 524,288 bytes before its compression. */
export const CIPHERTEXT_BYTES_MAX = 1_048_576;
/** Ciphertexts of one sum. */
export const CIPHERTEXTS_MAX = 16;

/**
 * A ciphertext has `rows` vectors of `length` values, each from a slot that is a multiple of
 * `strideOf(length)` on, and zeros between them. The result of a row is in its first slot.
 */
export interface Evaluation {
  readonly operation: Operation;
  readonly ciphertexts: readonly Uint8Array[];
  readonly length: number;
  readonly rows: number;
  /** Plain; of `linear` and `logistic`. */
  readonly weights: readonly number[];
  readonly bias: number;
}

/** The operations that were evaluated on ciphertexts. */
export interface EvaluationCounts {
  readonly multiplications: number;
  readonly rotations: number;
  readonly additions: number;
}

export interface Evaluated extends EvaluationCounts {
  readonly ciphertext: Uint8Array;
  /** Multiplications that the result could still take; null for BFV: a decryption shows them. */
  readonly levelsLeft: number | null;
  /** Binary logarithm of the scale of the result; CKKS only. */
  readonly scaleBits: number | null;
  readonly elapsedMs: number;
}

export type WorkerRequest =
  | { readonly kind: 'load'; readonly keys: string; readonly bundle: Uint8Array }
  | { readonly kind: 'forget'; readonly keys: string }
  | { readonly kind: 'evaluate'; readonly keys: string; readonly evaluation: Evaluation }
  | { readonly kind: 'close' };

export type WorkerReply =
  | { readonly kind: 'loaded'; readonly parameters: ParameterSetName }
  | { readonly kind: 'forgotten' }
  | { readonly kind: 'evaluated'; readonly evaluated: Evaluated }
  | { readonly kind: 'failed'; readonly code: HomomorphicFailure; readonly message: string }
  | { readonly kind: 'fault'; readonly message: string };

/** The distance between rows: rotations by powers of two add up a row. */
export const strideOf = (length: number): number => 2 ** Math.ceil(Math.log2(length));

/** The counts of an evaluation, known before it runs. */
export const countsOf = ({
  operation,
  ciphertexts,
  length,
}: Pick<Evaluation, 'operation' | 'ciphertexts' | 'length'>): EvaluationCounts => {
  const rotations = Math.log2(strideOf(length));
  switch (operation) {
    case 'sum':
      return { multiplications: 0, rotations, additions: ciphertexts.length - 1 + rotations };
    case 'dot':
      return { multiplications: 1, rotations, additions: rotations };
    case 'linear':
      return { multiplications: 1, rotations, additions: rotations + 1 };
    case 'logistic':
      // Beyond the linear part: the square, two by constants, the cube; then two additions.
      return { multiplications: 5, rotations, additions: rotations + 3 };
  }
};
