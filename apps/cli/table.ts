/** Rows of equal length as columns of equal width, two spaces apart. */
export const inColumns = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

/** The rows of a list, and the option that shows the next page. */
export interface ListedRows {
  /** Such as `jobs`. */
  readonly noun: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Null: there is no next page. */
  readonly nextAfter?: string | number | null;
}

export const listText = ({ noun, header, rows, nextAfter = null }: ListedRows): string =>
  [
    rows.length === 0 ? `There are no such ${noun}.` : inColumns([header, ...rows]),
    ...(nextAfter === null ? [] : [`There are more: --after ${nextAfter}`]),
  ].join('\n');

/** A report for people: names in capitals, and a dash for an unknown figure. */
export const reportText = ([names = [], ...rows]: readonly (readonly string[])[]): string =>
  inColumns([
    names.map((name) => name.replaceAll('_', ' ').toUpperCase()),
    ...rows.map((row) => row.map((cell) => (cell === '' ? '-' : cell))),
  ]);
