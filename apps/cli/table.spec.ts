import { describe, expect, it } from '@jest/globals';
import { inColumns, laidOut, listText } from './table.js';

const rows = [
  ['ID', 'NAME', 'STATE', 'REASON'],
  ['1', 'ada', 'running', ''],
  ['22', 'grace hopper', 'failed', 'no rig'],
];

describe('a table', () => {
  it('has columns of equal width, two spaces apart', () => {
    expect(laidOut(inColumns(rows))).toBe(
      [
        'ID  NAME          STATE    REASON',
        '1   ada           running',
        '22  grace hopper  failed   no rig',
      ].join('\n'),
    );
  });

  it('continues the columns that do not fit on further lines, in each row alike', () => {
    expect(laidOut(inColumns(rows), 20)).toBe(
      [
        'ID  NAME',
        '    STATE    REASON',
        '1   ada',
        '    running',
        '22  grace hopper',
        '    failed   no rig',
      ].join('\n'),
    );
  });

  it.each([1, 5, 12, 20, 33, 34, 80])('loses no cell on a screen of %s columns', (columns) => {
    const text = laidOut(inColumns(rows), columns);
    for (const cell of rows.flat()) expect(text).toContain(cell);
    const widest = Math.max(...text.split('\n').map(({ length }) => length));
    // A line has at least one column, and its indentation.
    expect(widest).toBeLessThanOrEqual(Math.max(columns, 4 + 'grace hopper'.length));
  });

  it('is apart from the text and the tables around it', () => {
    const other = inColumns([['a', 'bb']]);
    const text = listText({ noun: 'jobs', header: ['ID', 'N'], rows: [['7', '8']], nextAfter: 7 });
    expect(laidOut(`Jobs:\n${text}\n${inColumns([['x', 'y', 'z']])}\n\n${other}`)).toBe(
      'Jobs:\nID  N\n7   8\nThere are more: --after 7\nx  y  z\n\na  bb',
    );
  });
});
