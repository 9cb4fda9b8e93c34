import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '#engines/training/seeded-random.js';
import { drawPrompt } from './prompts.generator.js';
import { DOMAINS, PROMPT_TOPICS } from './prompts.topics.js';
import { prose, splitOfParagraph } from './prose.js';

describe('prompts', () => {
  const drawn = (split: 'training' | 'held-out', seed: number) => {
    const random = seededRandom(seed);
    return Array.from({ length: 800 }, () => drawPrompt(split, random));
  };

  it('come from every domain about equally often', () => {
    const { length } = DOMAINS;
    for (const split of ['training', 'held-out'] as const) {
      const labels = drawn(split, 7).map(({ label }) => label);
      DOMAINS.forEach((_, domain) => {
        const share = labels.filter((label) => label === domain).length / labels.length;
        expect(Math.abs(share - 1 / length)).toBeLessThan(0.04);
      });
    }
  });

  it('leave no gap of a frame open', () => {
    for (const { text } of drawn('training', 7)) expect(text).not.toMatch(/[{}]/);
  });

  it('hold whole subjects out', () => {
    const training = drawn('training', 1).map(({ text }) => text.toLowerCase());
    const subjects = Object.values(PROMPT_TOPICS).flatMap(({ nouns, verbs }) => [
      ...nouns,
      ...verbs,
    ]);
    const heldOut = drawn('held-out', 2).map(({ text }) => text.toLowerCase());
    const asked = subjects.filter((subject) =>
      heldOut.some((text) => text.includes(subject.toLowerCase())),
    );
    expect(asked.length).toBeGreaterThan(20);
    for (const subject of asked) {
      expect(training.some((text) => text.includes(subject.toLowerCase()))).toBe(false);
    }
  });

  it('name no subject twice', () => {
    const subjects = Object.values(PROMPT_TOPICS).flatMap(({ nouns, verbs }) => [
      ...nouns,
      ...verbs,
    ]);
    expect(new Set(subjects).size).toBe(subjects.length);
  });
});

describe('prose', () => {
  it('is printable ASCII in lines, as long as asked for', () => {
    const bytes = prose('training', seededRandom(1), 5000);
    expect(bytes.length).toBeGreaterThanOrEqual(5000);
    expect(bytes.every((byte) => byte === 10 || (byte >= 32 && byte < 127))).toBe(true);
  });

  it('shares no paragraph between the splits', () => {
    const lines = (split: 'training' | 'held-out') =>
      new TextDecoder()
        .decode(prose(split, seededRandom(3), 20_000))
        .trimEnd()
        .split('\n');
    expect(new Set(lines('held-out').map((line) => splitOfParagraph(`${line}\n`)))).toEqual(
      new Set(['held-out']),
    );
    const training = new Set(lines('training'));
    expect(lines('held-out').filter((line) => training.has(line))).toEqual([]);
  });
});
