/**
 * Modelled compute energy by Horowitz (ISSCC 2014, 45 nm). Memory and addressing are left out, on
 * both sides of every comparison.
 */
export const PICOJOULES = {
  fp32: { mac: 4.6, ac: 0.9 },
  fp16: { mac: 1.5, ac: 0.4 },
  int8: { mac: 0.23, ac: 0.03 },
} as const;

export interface OperationCounts {
  readonly macs: number;
  readonly acs: number;
}

export const joulesOf = (
  { macs, acs }: OperationCounts,
  { mac, ac }: { readonly mac: number; readonly ac: number } = PICOJOULES.fp32,
): number => (macs * mac + acs * ac) * 1e-12;

export interface EnergyComparison {
  readonly joules: number;
  readonly baselineJoules: number;
  /** Baseline minus network: negative when the network costs more. */
  readonly savedJoules: number;
  readonly reductionPct: number;
  /** Baseline over network, such as `0.83x`. */
  readonly savingsRatio: string;
}

/**
 * The spiking network in 32-bit floats against its ANN equivalent in 32-bit floats, or in 8-bit
 * integers that accumulate in 32-bit floats.
 */
export const compareEnergy = (
  network: OperationCounts,
  ann: OperationCounts,
  baseline: 'fp32' | 'int8',
): EnergyComparison => {
  const joules = joulesOf(network);
  const precision =
    baseline === 'fp32' ? PICOJOULES.fp32 : { mac: PICOJOULES.int8.mac, ac: PICOJOULES.fp32.ac };
  const baselineJoules = joulesOf(ann, precision);
  return {
    joules,
    baselineJoules,
    savedJoules: baselineJoules - joules,
    reductionPct: 100 * (1 - joules / baselineJoules),
    savingsRatio: `${(baselineJoules / joules).toFixed(2)}x`,
  };
};
