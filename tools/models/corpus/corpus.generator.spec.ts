import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '#engines/training/seeded-random.js';
import { MINI_CORPUS, NANO_CORPUS, type Corpus } from './corpora.js';
import { dialogue, type Turn } from './corpus.generator.js';
import { MORE_QUESTIONS } from './more.questions.js';

const drawFrom =
  (corpus: Corpus) =>
  (split: 'training' | 'held-out', seed: number, count: number): Turn[][] => {
    const random = seededRandom(seed);
    return Array.from({ length: count }, () => dialogue(split, random, 0.1, corpus));
  };

describe.each([NANO_CORPUS, MINI_CORPUS])('the corpus of $modelName', (corpus) => {
  const draw = drawFrom(corpus);

  it('is the same for the same seed', () => {
    expect(draw('training', 3, 20)).toEqual(draw('training', 3, 20));
    expect(draw('training', 3, 20)).not.toEqual(draw('training', 4, 20));
  });

  it('has turns that alternate and end with the assistant', () => {
    for (const turns of draw('training', 5, 300)) {
      const roles = turns.map(({ role }) => role).filter((role) => role !== 'system');
      roles.forEach((role, index) => expect(role).toBe(index % 2 === 0 ? 'user' : 'assistant'));
      expect(roles.length % 2).toBe(0);
    }
  });

  it('names every topic once and gives each a question and an answer', () => {
    expect(new Set(corpus.topics.map(({ id }) => id)).size).toBe(corpus.topics.length);
    for (const { what = [], how = [], ask = [], answer } of corpus.topics) {
      expect(what.length + how.length + ask.length).toBeGreaterThan(0);
      for (const alternatives of answer) expect(alternatives.length).toBeGreaterThan(0);
    }
  });

  it('answers each common question by a topic it has', () => {
    const known = new Set(corpus.topics.map(({ id }) => id));
    expect(corpus.commonQuestions.filter(([id]) => !known.has(id))).toEqual([]);
  });

  it('calls the model by one name', () => {
    const text = JSON.stringify(draw('training', 9, 3000));
    expect(text).toContain(`I am ${corpus.modelName}`);
    expect(text).not.toMatch(/NAME/);
    const other = corpus === MINI_CORPUS ? 'nano' : 'mini';
    expect(text).not.toContain(`I am ${other}`);
    expect(text).not.toContain(`You are ${other}`);
  });
});

describe('the wordings of mini', () => {
  it('belong to topics that exist', () => {
    const known = new Set(MINI_CORPUS.topics.map(({ id }) => id));
    expect(Object.keys(MORE_QUESTIONS).filter((id) => !known.has(id))).toEqual([]);
  });
});
