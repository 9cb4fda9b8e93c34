/** A match in a text, in UTF-16 units. */
export interface Match {
  readonly start: number;
  /** Behind its last unit. */
  readonly end: number;
}

/**
 * Finds matches of bounded length. Whether one begins at a place depends on the unit before it (two
 * where it is half of a pair), on `unitsMax` units from there and on the ones behind: so the parts
 * of a stream have the matches of the whole.
 */
export interface Detector {
  /** Of the longest match, in UTF-16 units. */
  readonly unitsMax: number;
  /**
   * The first match that begins at `from` or later. Takes time in proportion to the text.
   * @param from never within an earlier match
   */
  next(text: string, from: number): Match | undefined;
}

const isBetween = (unit: number, first: number, last: number): boolean =>
  unit >= first && unit <= last;

/** ASCII. Of an index outside the text: false. */
export const isDigit = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return isBetween(unit, 48, 57);
};

/** ASCII. Of an index outside the text: false. */
export const isAlphanumeric = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return isBetween(unit, 48, 57) || isBetween(unit, 65, 90) || isBetween(unit, 97, 122);
};

/**
 * The first match among candidates.
 * @param candidates matches the first units of each one: global, and of fixed length
 * @param endOf the end of the match that begins there; 0 for none
 */
export const firstMatch = (
  text: string,
  from: number,
  candidates: RegExp,
  endOf: (start: number) => number,
): Match | undefined => {
  candidates.lastIndex = from;
  for (let found = candidates.exec(text); found; found = candidates.exec(text)) {
    const { index: start } = found;
    const end = endOf(start);
    if (end > start) return { start, end };
    candidates.lastIndex = start + 1;
  }
  return undefined;
};
