import { describe, expect, it } from '@jest/globals';
import { scoringAnswerIn } from './scoring-answer.js';
import { type ScoringRequest } from './scoring-backend.js';

const request: ScoringRequest = {
  task: 'rerank',
  body: { model: 'm' },
  items: 2,
  promptTokensMax: 50,
  counted: { promptTokens: 60, searches: 1 },
};
const results = [
  { index: 1, relevance_score: 0.9 },
  { index: 0, relevance_score: -2 },
];
const verdict = { categories: { hate: false }, category_scores: { hate: 0.1 } };

describe('the scores of an upstream', () => {
  it.each([
    [
      'of Cohere',
      { meta: { billed_units: { search_units: 1 } } },
      { promptTokens: 0, searches: 1 },
    ],
    ['of Jina and vLLM', { usage: { total_tokens: 7 } }, { promptTokens: 7 }],
    ['of Mistral', { usage: { prompt_tokens: 7, total_tokens: 9 } }, { promptTokens: 7 }],
    [
      'of Cohere with tokens',
      { meta: { billed_units: { search_units: 2 }, tokens: { input_tokens: 5 } } },
      { promptTokens: 5, searches: 2 },
    ],
  ])('have the usage %s', (_, stated, usage) => {
    const answer = scoringAnswerIn({ results, model: 'm-1', ...stated }, request);
    expect(answer).toEqual({
      results,
      id: null,
      modelAnswered: 'm-1',
      usage: { ...usage, completionTokens: 0, source: 'provider' },
    });
  });

  it.each([[{}], [{ usage: { total_tokens: -1 } }], [{ meta: { billed_units: null } }]])(
    'are counted within the bound where %j is all that is stated',
    (stated) => {
      expect(scoringAnswerIn({ results, ...stated }, request)?.usage).toEqual({
        promptTokens: 50,
        searches: 1,
        completionTokens: 0,
        source: 'counted',
      });
    },
  );

  it.each([
    [[{ index: 2, relevance_score: 1 }]],
    [[results[0], results[0]]],
    [[{ index: 0, relevance_score: null }]],
    [[{ index: 0.5, relevance_score: 1 }]],
    [['a']],
    ['none'],
  ])('are no ranking of two documents: %j', (more) => {
    expect(scoringAnswerIn({ results: more }, request)).toBeNull();
  });

  it('are a verdict on each input, or malformed', () => {
    const moderation: ScoringRequest = { ...request, task: 'moderation' };
    const both = { id: 'modr-1', results: [verdict, verdict] };
    expect(scoringAnswerIn(both, moderation)).toMatchObject({
      id: 'modr-1',
      results: both.results,
    });
    expect(scoringAnswerIn({ results: [verdict] }, moderation)).toBeNull();
    expect(scoringAnswerIn({ results: [verdict, { categories: {} }] }, moderation)).toBeNull();
  });
});
