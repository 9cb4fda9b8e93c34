import { describe, expect, it } from '@jest/globals';
import { DOCUMENTS_MAX, joined, trainingTextOf } from './training-text.js';

const chat = (content: string) =>
  JSON.stringify({
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content },
    ],
  });

const documentsOf = (lines: string) =>
  lines.split('\n').map((line) => JSON.parse(line) as { readonly heldOut?: boolean });

describe('a text to train on', () => {
  it('holds out every tenth document, where its lines do not say which', () => {
    const content = Array.from({ length: 20 }, (_, at) => chat(`answer ${at}`)).join('\n');
    const text = trainingTextOf('file-1', content);
    const heldOut = documentsOf(text.lines).flatMap((one, at) => (one.heldOut ? [at] : []));
    expect(heldOut).toEqual([9, 19]);
    expect(text).toMatchObject({ name: 'file-1', documents: 18 });
    expect(text.sha256).toBe(trainingTextOf('file-2', content).sha256);
  });

  it('keeps what its lines say, and holds out one of few', () => {
    const said = `${JSON.stringify({ text: 'a', heldOut: true })}\n${JSON.stringify({ text: 'b' })}`;
    expect(documentsOf(trainingTextOf('f', said).lines).map(({ heldOut }) => heldOut)).toEqual([
      true,
      undefined,
    ]);
    expect(trainingTextOf('f', `${chat('a')}\n${chat('b')}`).documents).toBe(1);
  });

  it('may be plain, in paragraphs', () => {
    const text = trainingTextOf('f', 'One.\n\nTwo lines\nof text.\n \nThree.');
    expect(documentsOf(text.lines)).toMatchObject([
      { text: 'One.' },
      { text: 'Two lines\nof text.' },
      { text: 'Three.', heldOut: true },
    ]);
  });

  it('is joined with a text that is held out as a whole', () => {
    const text = joined(
      trainingTextOf('f', 'One.\n\nTwo.'),
      trainingTextOf('g', 'Three.\n\nFour.'),
    );
    expect(documentsOf(text.lines).map(({ heldOut }) => heldOut)).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(text).toMatchObject({ name: 'f', documents: 2 });
  });

  it.each([
    ['no JSON', `${chat('a')}\nnot json`, 'line 2'],
    ['another shape', `${chat('a')}\n{"prompt":"x"}`, 'line 2'],
    ['one document', 'One.', 'fewer than two'],
    [
      'too many',
      Array(DOCUMENTS_MAX + 1)
        .fill('a')
        .join('\n\n'),
      'more than',
    ],
  ])('is refused, with the place, for %s', (_, content, said) => {
    expect(() => trainingTextOf('f', content)).toThrow(said);
  });
});
