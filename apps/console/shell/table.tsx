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

/** A table that a keyboard can scroll. */
export const Table = <Row,>({ label, columns, rows, keyOf }: TableProps<Row>) => (
  <div class="scroll" tabIndex={0} role="region" aria-label={label}>
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
