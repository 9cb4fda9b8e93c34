/** Answers that are nested deeper are malformed: writing them as JSON recurses. */
export const ANSWER_LEVELS_MAX = 64;

/** Whether objects and lists within this value nest deeper than so many levels. */
export const isDeeperThan = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const entry of value) if (isDeeperThan(entry, levels - 1)) return true;
    return false;
  }
  for (const field in value) {
    if (isDeeperThan((value as Record<string, unknown>)[field], levels - 1)) return true;
  }
  return false;
};
