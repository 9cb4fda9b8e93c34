import { describe, expect, it } from '@jest/globals';
import { type ListOptions } from './read-store.port.js';
import { PAGE, storedPages } from './document-pages.js';

const documentsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    key: `a/${String(n).padStart(5, '0')}`,
    document: { n },
    position: BigInt(n),
  }));

const open = (count: number) => {
  const asked: ListOptions[] = [];
  const all = documentsOf(count);
  const list = (_: string, options: ListOptions = {}) => {
    asked.push(options);
    const { from = '', limit = 0 } = options;
    return Promise.resolve(all.filter(({ key }) => key >= from).slice(0, limit));
  };
  return { asked, all, readStore: { list } as never };
};

describe('the pages of a collection', () => {
  it.each([0, 1, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE])(
    'have %i documents, each once',
    async (count) => {
      const { readStore, all } = open(count);
      const pages = await Array.fromAsync(storedPages(readStore, 'knots.v1', { prefix: 'a/' }));
      expect(pages.flatMap(({ documents }) => documents)).toEqual(all);
    },
  );

  it('keep the bounds of the range, and read no page that is not taken', async () => {
    const { readStore, asked } = open(3 * PAGE);
    for await (const { documents } of storedPages(readStore, 'knots.v1', {
      prefix: 'a/',
      before: 'b',
    })) {
      if (documents[0]?.key !== 'a/00000') break;
    }
    expect(asked).toEqual([
      { prefix: 'a/', before: 'b', limit: PAGE },
      { prefix: 'a/', before: 'b', limit: PAGE, from: 'a/00999\u0001' },
    ]);
  });
});
