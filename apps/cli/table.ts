import { type Screen } from './invocation.js';

/** Ends a cell until its table is laid out. No text for people has it. */
const CELL_END = '\u001f';
const GAP = '  ';
/** Before the columns that do not fit beside the others. */
const INDENT = '    ';

/** Rows of equal length, of which `laidOut` makes columns of equal width. */
export const inColumns = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map((cell) => `${cell}${CELL_END}`).join('')).join('\n');

/**
 * Lays the tables of a text out.
 * @param screenColumns the width of the screen: the columns of a wider table continue on further
 *   lines, for each row in the same way; default: no limit
 */
export const laidOut = (text: string, screenColumns = Infinity): string => {
  const blocks: (string | (readonly string[])[])[] = [];
  for (const line of text.split('\n')) {
    const row = line.split(CELL_END).slice(0, -1);
    const last = blocks.at(-1);
    if (row.length === 0) blocks.push(line);
    else if (typeof last === 'object' && last[0]?.length === row.length) last.push(row);
    else blocks.push([row]);
  }
  return blocks
    .flatMap((block) => (typeof block === 'string' ? block : tableLines(block, screenColumns)))
    .join('\n');
};

/** The text on a screen: on a terminal its tables are as wide as that at most. */
export const textOn = ({ isTTY, columns }: Screen, text: string): string =>
  laidOut(text, isTTY === true ? columns : undefined);

const tableLines = (rows: readonly (readonly string[])[], screenColumns: number): string[] => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = linesOf(widths, screenColumns);
  return rows.flatMap((row) => {
    const shown = lines.map((columns, n) => {
      const cells = columns.map((column) => (row[column] ?? '').padEnd(widths[column] ?? 0));
      return `${n === 0 ? '' : INDENT}${cells.join(GAP)}`.trimEnd();
    });
    return shown.filter((line, n) => n === 0 || line !== '');
  });
};

/** The columns of each line of a row. */
const linesOf = (widths: readonly number[], screenColumns: number): readonly number[][] => {
  const lines: number[][] = [[]];
  let used = -GAP.length;
  for (const [column, width] of widths.entries()) {
    const line = lines.at(-1) ?? [];
    used += GAP.length + width;
    if (used <= screenColumns || line.length === 0) {
      line.push(column);
      continue;
    }
    lines.push([column]);
    used = INDENT.length + width;
  }
  return lines;
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
