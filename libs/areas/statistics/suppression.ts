/** A figure and the accounts or nodes that it is of. */
export interface Grouped {
  readonly value: number;
  readonly members: readonly string[];
}

const union = (groups: readonly Grouped[]): Set<string> =>
  new Set(groups.flatMap(({ members }) => members));

/** Whether a figure may be published: its group is empty, or large enough. */
const isPublic = (members: ReadonlySet<string>, groupMin: number): boolean =>
  members.size === 0 || members.size >= groupMin;

/** A single figure, or null where it is of a small group. */
export const published = (groups: readonly Grouped[], groupMin: number): number | null =>
  isPublic(union(groups), groupMin) ? groups.reduce((sum, { value }) => sum + value, 0) : null;

/**
 * The points of a chart whose total is published too; null for the points of small groups. If
 * exactly these could be found as the total less the other points, further points are left out
 * until the points that are left out are together of enough members: the smallest groups first.
 */
export const publishedPoints = (
  points: readonly Grouped[],
  groupMin: number,
): readonly (number | null)[] => {
  const hidden = new Set(points.filter(({ members }) => !isPublic(new Set(members), groupMin)));
  const shown = points
    .filter((point) => !hidden.has(point) && point.members.length > 0)
    .sort((one, other) => one.members.length - other.members.length);
  for (const next of shown) {
    if (isPublic(union([...hidden]), groupMin)) break;
    hidden.add(next);
  }
  return points.map((point) => (hidden.has(point) ? null : point.value));
};
