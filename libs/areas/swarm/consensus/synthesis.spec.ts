import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/kernel/domain-error.js';
import { addedBytesMax, fittingTexts, synthesisMessages } from './synthesis.js';

const ROOM = { contextTokens: 1_024, outputTokens: 100, promptTokens: 50, proposalTokensMax: 100 };

describe('a synthesis', () => {
  it('lists the proposals in its first system message', () => {
    const question = { role: 'user', content: 'Why?' } as const;
    const [alone, ...rest] = synthesisMessages([question], ['So.', 'Thus.']);
    expect(alone).toMatchObject({ role: 'system' });
    expect(alone?.content).toMatch(/Their answers:\n\n1\. So\.\n\n2\. Thus\.$/);
    expect(rest).toEqual([question]);
    const briefed = synthesisMessages(
      [{ role: 'system', content: 'Be brief.' }, question],
      ['So.'],
    );
    expect(briefed).toHaveLength(2);
    expect(briefed[0]?.content).toMatch(/^Be brief\.\n\n.*1\. So\.$/s);
  });

  it('never adds more bytes than it was held for', () => {
    const proposals = ['ü'.repeat(10_000), 'x'.repeat(10_000), 'y'].map((text) => ({
      text,
      completionTokens: 1,
    }));
    const texts = fittingTexts(proposals, { ...ROOM, contextTokens: 1e6 });
    expect(texts.map((text) => Buffer.byteLength(text))).toEqual([600, 600, 1]);
    const [message] = synthesisMessages([], texts);
    expect(Buffer.byteLength(message?.content ?? '')).toBeLessThanOrEqual(addedBytesMax(3, 100));
  });

  it('keeps proposals whole that fit', () => {
    const text = 'A quipu is a knotted cord.';
    expect(fittingTexts([{ text, completionTokens: 8 }], ROOM)).toEqual([text]);
  });

  it('cuts all by the same part where they do not fit, at whole characters', () => {
    // Half a token for a byte: 600 bytes are 300 tokens.
    const long = { text: 'ö'.repeat(300), completionTokens: 300 };
    const short = { text: 'o'.repeat(60), completionTokens: 30 };
    const [one = '', other = ''] = fittingTexts([long, short], { ...ROOM, contextTokens: 600 });
    const room = (600 - 50 - 100 - 64) / 1.15;
    const tokens = (Buffer.byteLength(one) + Buffer.byteLength(other)) / 2;
    expect(tokens).toBeLessThan(room);
    expect(Math.abs(one.length / 300 - other.length / 60)).toBeLessThan(1 / 60);
    expect(one).toBe('ö'.repeat(one.length));
  });

  it('rejects messages that leave no room', () => {
    const proposal = { text: 'a', completionTokens: 1 };
    expect(() => fittingTexts([proposal], { ...ROOM, promptTokens: 900 })).toThrow(DomainError);
  });
});
