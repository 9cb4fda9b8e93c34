import { describe, expect, it } from '@jest/globals';
import { type ListOptions } from '#platform/read-store/read-store.port.js';
import { type DocumentReader } from '#platform/runtime/projections/projections.js';
import { ACCOUNT, deposited, MONTH } from '../account.fixture.js';
import { STATEMENT_ENTRIES_MAX, StatementHandler, StatementQuery } from './statement.handler.js';

const document = { kind: 'deposit', deposit: deposited(1, 1).data };

/** An account with `count` deposits in a month, and nothing else. */
const readerOf = (count: number): DocumentReader => ({
  readAt: Date.parse('2026-11-30T00:00:00.000Z'),
  get: () => Promise.resolve({ document: undefined, position: 42n }),
  list: (_: unknown, { prefix = '', from = '', limit = 0 }: ListOptions) => {
    if (!prefix.startsWith('entry/')) return Promise.resolve({ documents: [], position: 42n });
    const first = from === '' ? 0 : Number(from.slice(prefix.length, prefix.length + 8)) + 1;
    const documents = Array.from({ length: Math.min(limit, count - first) }, (_item, index) => ({
      key: prefix + String(first + index).padStart(8, '0'),
      document: document as never,
      position: 42n,
    }));
    return Promise.resolve({ documents, position: 42n });
  },
  count: () => Promise.resolve(count),
});

const statementOf = (count: number) =>
  new StatementHandler({ at: () => Promise.resolve(readerOf(count)) }).execute(
    new StatementQuery(ACCOUNT, MONTH),
  );

describe('the statement of a busy account', () => {
  it('has all entries, page after page', async () => {
    const { deposits, closingMicroUsd } = await statementOf(25_000);
    expect(deposits).toHaveLength(25_000);
    expect(closingMicroUsd).toBe('25000');
  });

  it('has as many entries as the limit says, and is rejected with one more', async () => {
    expect((await statementOf(STATEMENT_ENTRIES_MAX)).deposits).toHaveLength(STATEMENT_ENTRIES_MAX);
    await expect(statementOf(STATEMENT_ENTRIES_MAX + 1)).rejects.toMatchObject({
      code: 'statement_too_large',
    });
  });
});
