/** Pearson's statistic of counts against a law; symbols expected less than 5 times are joined. */
export const chiSquare = (
  counts: ReadonlyMap<unknown, number>,
  expected: ReadonlyMap<unknown, number>,
): { readonly statistic: number; readonly freedom: number } => {
  const draws = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const cells: (readonly [count: number, expected: number])[] = [];
  let [restCount, restExpected] = [draws, draws];
  for (const [symbol, probability] of expected) {
    if (probability * draws < 5) continue;
    const count = counts.get(symbol) ?? 0;
    cells.push([count, probability * draws]);
    restCount -= count;
    restExpected -= probability * draws;
  }
  if (restExpected >= 5) cells.push([restCount, restExpected]);
  const statistic = cells.reduce((sum, [count, mean]) => sum + (count - mean) ** 2 / mean, 0);
  return { statistic, freedom: cells.length - 1 };
};

/**
 * The value that the statistic exceeds by chance once in 100,000 times (Wilson and Hilferty's
 * approximation of the chi-square quantile, with 4.265 standard deviations).
 */
export const chiSquareMax = (freedom: number): number => {
  const spread = 2 / (9 * freedom);
  return freedom * (1 - spread + 4.265 * Math.sqrt(spread)) ** 3;
};
