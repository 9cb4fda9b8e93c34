/**
 * The energy of the products of weights for one token, modelled and not measured: the energies of
 * operations at 45 nm (Horowitz, ISSCC 2014), without memory, attention or anything else.
 */
const PICOJOULES = {
  /** Multiplies and adds 16-bit floats. */
  float16: 1.5,
  /** Multiplies bytes and adds. */
  int8: 0.23,
  /** Adds bytes. */
  int8Add: 0.03,
} as const;

export type Arithmetic = keyof typeof PICOJOULES;

/** Products of weights for one token. */
export interface ProductsOf {
  readonly arithmetic: Arithmetic;
  readonly products: number;
}

/** By how many percent less energy the products need than with 16-bit floats. */
export const energySavingPct = (all: readonly ProductsOf[]): number => {
  const sum = (energyOf: (one: ProductsOf) => number): number =>
    all.reduce((total, one) => total + one.products * energyOf(one), 0);
  const needed = sum(({ arithmetic }) => PICOJOULES[arithmetic]);
  return 100 * (1 - needed / sum(() => PICOJOULES.float16));
};
