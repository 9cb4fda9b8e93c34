import { describe, expect, it } from '@jest/globals';
import { ranked, readRerankBody, type RerankAsked } from './rerank.js';

const BODY = { model: 'small', query: 'a', documents: ['b', { text: 'c' }, 'd'] };

const asked = (more: object = {}): RerankAsked => {
  const read = readRerankBody({ ...BODY, ...more });
  if ('asked' in read) return read.asked;
  throw new Error(read.invalid.message);
};

describe('a ranking', () => {
  it('embeds the query and the documents in one request', () => {
    expect(asked().embeddings).toMatchObject({
      model: 'small',
      inputs: ['a', 'b', 'c', 'd'],
      encoding: 'float',
      body: { model: 'small', input: ['a', 'b', 'c', 'd'] },
    });
  });

  it('has the documents by their cosine, whatever the lengths of vectors are', () => {
    const vectors = [
      [2, 0],
      [0, 3],
      [5, 5],
      [-1, 0],
    ];
    expect(ranked(vectors, asked())).toEqual([
      { index: 1, relevance_score: expect.closeTo(Math.SQRT1_2), document: { text: 'c' } },
      { index: 0, relevance_score: 0, document: { text: 'b' } },
      { index: 2, relevance_score: -1, document: { text: 'd' } },
    ]);
  });

  it('has as many as were asked for, without their texts where those are not wanted', () => {
    const vectors = [
      [1, 0],
      [1, 0],
      [1, 0],
      [0, 0],
    ];
    expect(ranked(vectors, asked({ top_n: 2, return_documents: false }))).toEqual([
      { index: 0, relevance_score: 1 },
      { index: 1, relevance_score: 1 },
    ]);
  });

  it.each([
    [{ documents: [] }, 'documents'],
    [{ documents: ['a', ''] }, 'documents.1'],
    [{ documents: [{ title: 'a' }] }, 'documents.0'],
    [{ documents: Array.from({ length: 1_001 }, () => 'a') }, 'documents'],
    [{ query: '' }, 'query'],
    [{ top_n: 0 }, 'top_n'],
    [{ rank_fields: ['a'] }, 'rank_fields'],
  ])('refuses %j by the name of the field', (more, param) => {
    const read = readRerankBody({ ...BODY, ...more });
    expect(read).toMatchObject({ invalid: { param } });
  });
});
