import { COMPARTMENTS_MAX, type Marking } from '#events/vaults/vault.events.js';
import { reject } from './vaults.errors.js';

/** The words of markings in an installation: a lattice of levels and sets of compartments. */
export interface MarkingWords {
  /** The lowest first. */
  readonly levels: readonly string[];
  readonly compartments: readonly string[];
}

/** `SECRET//ALPHA/BRAVO` */
const COMPARTMENTS_FROM = '//';
const BETWEEN = '/';

export const textOf = ({ level, compartments }: Marking): string =>
  compartments.length === 0 ? level : level + COMPARTMENTS_FROM + compartments.join(BETWEEN);

export const lowest = ({ levels }: MarkingWords): Marking => ({
  level: levels[0] ?? '',
  compartments: [],
});

/**
 * Reads a marking. Case does not matter.
 * @throws DomainError `invalid_marking`, the same for every caller
 */
export const markingOf = (text: string, words: MarkingWords): Marking => {
  const [level = '', rest] = text.toUpperCase().split(COMPARTMENTS_FROM, 2);
  const compartments = [...new Set(rest?.split(BETWEEN) ?? [])].sort();
  const isKnown =
    words.levels.includes(level) &&
    compartments.length <= COMPARTMENTS_MAX &&
    compartments.every((one) => words.compartments.includes(one));
  if (isKnown) return { level, compartments };
  const some = words.compartments.length === 0 ? '' : ', then // and compartments such as A/B';
  const detail = `classification_marking: expected one of ${words.levels.join(', ')}${some}`;
  return reject('invalid_marking', detail);
};

/**
 * Whether a clearance reaches a marking: a level at least as high, and all compartments. A word
 * that is no longer configured is reached by none.
 */
export const reaches = (clearance: Marking, marking: Marking, words: MarkingWords): boolean => {
  const level = words.levels.indexOf(marking.level);
  return (
    level >= 0 &&
    level <= words.levels.indexOf(clearance.level) &&
    marking.compartments.every(
      (one) => words.compartments.includes(one) && clearance.compartments.includes(one),
    )
  );
};

/** Without words that are no longer configured; at least the lowest marking, which all reach. */
export const configured = ({ level, compartments }: Marking, words: MarkingWords): Marking => ({
  level: words.levels.includes(level) ? level : lowest(words).level,
  compartments: compartments.filter((one) => words.compartments.includes(one)),
});

/** The greatest lower bound of two configured markings: all that both reach. */
export const meetOf = (one: Marking, other: Marking, { levels }: MarkingWords): Marking => ({
  level: levels[Math.min(levels.indexOf(one.level), levels.indexOf(other.level))] ?? one.level,
  compartments: one.compartments.filter((each) => other.compartments.includes(each)),
});
