import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../seeded-random.js';
import { dialogue, TOPICS, type Turn } from './corpus.generator.js';

const draw = (split: 'training' | 'held-out', seed: number, count: number): Turn[][] => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => dialogue(split, random));
};

describe('corpus', () => {
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
    expect(new Set(TOPICS.map(({ id }) => id)).size).toBe(TOPICS.length);
    for (const { what = [], how = [], ask = [], answer } of TOPICS) {
      expect(what.length + how.length + ask.length).toBeGreaterThan(0);
      for (const alternatives of answer) expect(alternatives.length).toBeGreaterThan(0);
    }
  });
});
