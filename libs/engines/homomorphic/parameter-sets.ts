/** A set of encryption parameters that both sides know by its name, at 128 bits of security. */
export interface ParameterSet {
  readonly scheme: 'ckks' | 'bfv';
  readonly degree: number;
  /** Of the primes of the coefficient modulus; the last one is for key switching. */
  readonly coefficientBits: readonly number[];
  /** Of the plain modulus; BFV only. Results are exact between minus and plus half of it. */
  readonly plainBits: number | null;
  /** Binary logarithm of the scale of a fresh ciphertext; CKKS only. */
  readonly scaleBits: number | null;
  /** Values of one ciphertext. BFV has a second row, which is not used. */
  readonly slots: number;
}

export const PARAMETER_SETS = {
  /** Approximate numbers; three multiplications deep, as logistic scoring needs. */
  'ckks-8192': {
    scheme: 'ckks',
    degree: 8_192,
    coefficientBits: [50, 30, 30, 30, 50],
    plainBits: null,
    scaleBits: 30,
    slots: 4_096,
  },
  /** Exact integers; one multiplication deep. */
  'bfv-8192': {
    scheme: 'bfv',
    degree: 8_192,
    coefficientBits: [43, 43, 44, 44, 44],
    plainBits: 32,
    scaleBits: null,
    slots: 4_096,
  },
} as const satisfies Readonly<Record<string, ParameterSet>>;

export type ParameterSetName = keyof typeof PARAMETER_SETS;

export const PARAMETER_SET_NAMES = Object.keys(PARAMETER_SETS) as readonly ParameterSetName[];

/**
 * Least squares of degree 3 for the logistic function between -8 and 8 (Kim, Song, Wang, Xia and
 * Jiang: Secure Logistic Regression Based on Homomorphic Encryption, 2018).
 */
export const SIGMOID = { constant: 0.5, linear: 0.150_12, cubic: -0.001_593_008 } as const;
/** The interval of the approximation, and its largest error there. */
export const SIGMOID_BOUND = 8;
export const SIGMOID_ERROR_MAX = 0.115;
