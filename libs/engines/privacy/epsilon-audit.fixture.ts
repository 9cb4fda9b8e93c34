/** A mechanism on one of two neighbouring tables: the second has one row more. */
export type Audited = (neighbour: 0 | 1) => number;

export interface AuditTerms {
  readonly runs: number;
  readonly delta: number;
  /** Of a bound that is wrong. */
  readonly chance: number;
}

/**
 * A lower bound of the epsilon of a mechanism, from its outputs alone: the threshold that tells the
 * two tables apart best is chosen on one half of the runs, and the other half bounds the
 * probabilities on both sides of it (Clopper and Pearson).
 */
export const epsilonLowerBound = (
  mechanism: Audited,
  { runs, delta, chance }: AuditTerms,
): number => {
  const draw = (neighbour: 0 | 1) => Array.from({ length: runs }, () => mechanism(neighbour));
  const chosenOn: Sides = [draw(0), draw(1)];
  const judgedOn: Sides = [draw(0), draw(1)];
  const values = chosenOn.flat().toSorted((one, other) => one - other);
  const every = Math.ceil(values.length / THRESHOLDS);
  const thresholds = [...new Set(values.filter((_, at) => at % every === 0))];
  const events = thresholds.flatMap((threshold) =>
    ([0, 1] as const).flatMap((more) =>
      [true, false].map((isAbove): TestEvent => ({ threshold, more, isAbove })),
    ),
  );
  const bounds = events.map((event) => boundOf(chosenOn, event, delta, GUESS_CHANCE));
  const best = events[bounds.indexOf(Math.max(...bounds))];
  return best ? boundOf(judgedOn, best, delta, chance) : 0;
};

type Sides = readonly [readonly number[], readonly number[]];

interface TestEvent {
  readonly threshold: number;
  /** The table on which the event is more likely. */
  readonly more: 0 | 1;
  readonly isAbove: boolean;
}

/** With more of them, the choice follows the luck of its half. */
const THRESHOLDS = 24;
const GUESS_CHANCE = 1e-3;

const boundOf = (
  sides: Sides,
  { threshold, more, isAbove }: TestEvent,
  delta: number,
  chance: number,
): number => {
  const hits = (side: readonly number[]): number =>
    side.filter((value) => (isAbove ? value >= threshold : value < threshold)).length;
  const [likely, unlikely] = more === 1 ? [sides[1], sides[0]] : [sides[0], sides[1]];
  const least = 1 - upperBound(likely.length - hits(likely), likely.length, chance / 2);
  const most = upperBound(hits(unlikely), unlikely.length, chance / 2);
  return least <= delta ? 0 : Math.log((least - delta) / most);
};

/** The greatest probability with which so few successes are not rarer than `chance`. */
const upperBound = (successes: number, trials: number, chance: number): number => {
  if (successes >= trials) return 1;
  let [low, high] = [successes / trials, 1];
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2;
    if (chanceOfAtMost(successes, trials, middle) > chance) low = middle;
    else high = middle;
  }
  return high;
};

/** Of a binomial distribution. The terms fall from the last one, and soon count no more. */
const chanceOfAtMost = (successes: number, trials: number, probability: number): number => {
  const odds = (1 - probability) / probability;
  let term = Math.exp(
    logChoose(trials, successes) +
      successes * Math.log(probability) +
      (trials - successes) * Math.log1p(-probability),
  );
  let total = 0;
  for (let at = successes; at >= 0 && term > total * 1e-12; at -= 1) {
    total += term;
    term *= (at / (trials - at + 1)) * odds;
  }
  return total;
};

const logFactorials: number[] = [0];
const logFactorial = (value: number): number => {
  for (let at = logFactorials.length; at <= value; at += 1) {
    logFactorials.push((logFactorials[at - 1] ?? 0) + Math.log(at));
  }
  return logFactorials[value] ?? 0;
};

const logChoose = (trials: number, chosen: number): number =>
  logFactorial(trials) - logFactorial(chosen) - logFactorial(trials - chosen);
