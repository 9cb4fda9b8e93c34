import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checkSqliteFile } from './sqlite-check.js';

const PAGE_BYTES = 4_096;

describe('the check of a SQLite file', () => {
  let folder: string;
  let file: string;
  /** The first pages of the table and of its index. */
  let pages: Readonly<Record<string, number>>;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-sqlite-check-'));
    file = path.join(folder, 'some.db');
    const database = new DatabaseSync(file);
    database.exec(`
      PRAGMA page_size = ${PAGE_BYTES};
      CREATE TABLE facts (id INTEGER PRIMARY KEY, fact TEXT NOT NULL) STRICT;
      CREATE INDEX by_fact ON facts (fact);
      INSERT INTO facts (fact) SELECT 'fact-' || value FROM json_each('[1,2,3,4,5,6,7,8,9]');
    `);
    const roots = database.prepare('SELECT name, rootpage FROM sqlite_schema').all();
    pages = Object.fromEntries(roots.map(({ name, rootpage }) => [String(name), Number(rootpage)]));
    database.close();
  });

  afterEach(() => rm(folder, { recursive: true }));

  const change = async (table: string, from: string, to: string): Promise<void> => {
    const bytes = await readFile(file);
    const start = ((pages[table] ?? 0) - 1) * PAGE_BYTES;
    const at = bytes.indexOf(from, start);
    expect(at).toBeLessThan(start + PAGE_BYTES);
    bytes.write(to, at);
    await writeFile(file, bytes);
  };

  it('finds nothing in a file as it was written', () => {
    expect(checkSqliteFile(file, 'quick')).toEqual([]);
    expect(checkSqliteFile(file, 'full')).toEqual([]);
  });

  it('finds an index that has something else than its table, when full', async () => {
    await change('by_fact', 'fact-5', 'fact-4');
    expect(checkSqliteFile(file, 'quick')).toEqual([]);
    expect(checkSqliteFile(file, 'full')).toEqual([
      expect.stringContaining('missing from index by_fact'),
    ]);
  });

  it('finds a page that is no page of a tree, when quick', async () => {
    const bytes = await readFile(file);
    const start = ((pages['by_fact'] ?? 0) - 1) * PAGE_BYTES;
    bytes[start + 3] = 0xff;
    await writeFile(file, bytes);
    expect(checkSqliteFile(file, 'quick')).not.toEqual([]);
  });

  it('reports a file that is no database', async () => {
    await writeFile(file, 'no database, and longer than the header of one has to be'.repeat(20));
    expect(checkSqliteFile(file, 'quick')).toEqual(['file is not a database']);
  });
});
