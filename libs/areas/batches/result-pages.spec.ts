import { describe, expect, it } from '@jest/globals';
import { type ItemResult } from './item-result.js';
import { ResultPages } from './result-pages.js';

const result = (number: number, text = 'x'): ItemResult => ({
  number,
  isCompleted: true,
  text,
  used: [],
});

const limits = { resultsMax: 2, charactersMax: 1_000, waitMsMax: 600_000 };
const numbers = (page: readonly ItemResult[] | undefined) => page?.map(({ number }) => number);

describe('pages of results', () => {
  it('are full, and the last one is what is left', async () => {
    const pages = new ResultPages(limits);
    const read = Array.fromAsync(pages.pages());
    for (const number of [1, 2, 3]) await pages.add(result(number));
    pages.close();
    expect((await read).map(numbers)).toEqual([[1, 2], [3]]);
  });

  it('are handed out with much text', async () => {
    const pages = new ResultPages({ ...limits, charactersMax: 10 });
    const reader = pages.pages();
    await pages.add(result(1, 'x'.repeat(10)));
    expect(numbers((await reader.next()).value ?? undefined)).toEqual([1]);
    await reader.return();
  });

  it('wait a limited time for more results', async () => {
    const pages = new ResultPages({ ...limits, waitMsMax: 5 });
    const reader = pages.pages();
    await pages.add(result(1));
    expect(numbers((await reader.next()).value ?? undefined)).toEqual([1]);
    await pages.add(result(2));
    expect(numbers((await reader.next()).value ?? undefined)).toEqual([2]);
    await reader.return();
  });

  it('make lines wait for a slow reader, until it reads or leaves', async () => {
    const pages = new ResultPages(limits);
    const reader = pages.pages();
    let added = 0;
    const adding = [1, 2, 3, 4, 5, 6, 7].map((number) =>
      pages.add(result(number)).then(() => (added += 1)),
    );
    await new Promise(setImmediate);
    expect(added).toBe(3);
    await reader.next();
    await reader.return();
    await Promise.all(adding);
    expect(added).toBe(7);
  });
});
