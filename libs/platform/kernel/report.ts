/** Sums of a period by groups, such as margins and spend. */

/** Days of one report. */
export const DAYS_MAX = 366;
/** Documents that one report reads. */
export const DOCUMENTS_MAX = 200_000;
/** Rows of one report. */
export const ROWS_MAX = 10_000;
const DAY_MS = 86_400_000;

/** Days, `YYYY-MM-DD`, both inclusive. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** The fault of a period; null for one that a report can have. */
export const periodFault = ({ from, to }: Period): string | null => {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days >= 1 && days <= DAYS_MAX) return null;
  return (
    `from: expected a day at most ${DAYS_MAX - 1} days before ${to} and not after it, ` +
    `received ${from}`
  );
};

/** The fault of a report of this size; null for one that can be made. */
export const sizeFault = (documents: number, rows: number): string | null =>
  documents <= DOCUMENTS_MAX && rows <= ROWS_MAX
    ? null
    : `the report has over ${ROWS_MAX} rows or reads over ${DOCUMENTS_MAX} sums: ` +
      'ask for fewer days or group by less';

export const dayAfter = (day: string): string =>
  new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, day.length);

/** The names of its groups, and their values: null where there is none. */
export interface Grouped<Group extends string> {
  readonly group: Readonly<Partial<Record<Group, string | null>>>;
}

/** The order of rows: by their groups, from the first. */
export const byGroup =
  <Group extends string>(by: readonly Group[]) =>
  (one: Grouped<Group>, other: Grouped<Group>): number => {
    const [mine, theirs] = [one, other].map(({ group }) =>
      by.map((name) => group[name] ?? '').join('\n'),
    );
    return (mine ?? '') < (theirs ?? '') ? -1 : 1;
  };
