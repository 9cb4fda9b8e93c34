import { type ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  /** Of the region that scrolls where the screen is narrow. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
}

const classOf = <Row,>({ isNumber }: Column<Row>) => (isNumber ? { class: 'number' } : {});

/** Moves the focus between the first links of rows: arrows, Home and End. */
const moveBetweenRows = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void => {
  const rows = event.currentTarget.querySelectorAll('tbody tr');
  const links = [...rows].flatMap((row) => row.querySelector<HTMLElement>('a, button') ?? []);
  const focused = document.activeElement?.closest('tbody tr') ?? null;
  const now = links.findIndex((link) => link.closest('tr') === focused);
  const next = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: links.length - 1 }[event.key];
  const link = next === undefined ? undefined : links[next];
  if (!link) return;
  event.preventDefault();
  link.focus();
};

/** A table that a keyboard can scroll, and whose rows it can go through. */
export const Table = <Row,>({ label, columns, rows, keyOf }: TableProps<Row>) => (
  <div class="scroll" tabIndex={0} role="region" aria-label={label} onKeyDown={moveBetweenRows}>
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.name} scope="col" {...classOf(column)}>
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map((column) => (
              <td key={column.name} {...classOf(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
