const TENTHS = 10;

/** By how many percent an estimate was above the measurement, to a tenth; null without one. */
export const estimateErrorPct = (estimated: number, measured: number): number | null =>
  measured > 0 ? Math.round(((estimated - measured) / measured) * 100 * TENTHS) / TENTHS : null;
