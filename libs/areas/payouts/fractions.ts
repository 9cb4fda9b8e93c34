/** Parts that are not a whole micro-dollar yet. */
export interface Fractions {
  readonly gross: bigint;
  readonly earned: bigint;
}

export const NO_FRACTIONS: Fractions = { gross: 0n, earned: 0n };
