const NUMBER = /^-?\d+(\.\d+)?$/;

/** A spreadsheet takes a text that starts so for a formula: an apostrophe prevents it. */
const FORMULA = /^[=+\-@\t\r]/;

const cellOf = (value: string): string => {
  const text = FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Rows as CSV (RFC 4180), each with its line break. */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
