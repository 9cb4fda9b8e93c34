import { describe, expect, it } from '@jest/globals';
import { completionOf, delta } from './inference-world.fixture.js';
import { deltaText, modelOf, replyText } from './reply.js';

describe('what a rig answered', () => {
  it('is read from the message or the delta of each choice', () => {
    expect(replyText(completionOf('Cords.'))).toBe('Cords.');
    expect(deltaText(delta('Co'))).toBe('Co');
    expect(
      replyText({ choices: [{ message: { content: 'a' } }, { message: { content: 'b' } }] }),
    ).toBe('ab');
  });

  it.each([
    {},
    { choices: 'none' },
    { choices: [] },
    { choices: [null, 3, {}, { message: null }, { message: { content: null } }] },
    { choices: [{ message: { content: [{ type: 'text', text: 'x' }] } }] },
  ])('is empty where there is no text: %j', (answer) => {
    expect(replyText(answer)).toBe('');
  });

  it.each([
    [{ model: 'llama-70b-awq' }, 'llama-70b-awq'],
    [{ model: 'm'.repeat(256) }, 'm'.repeat(256)],
    [{ model: 'm'.repeat(257) }, null],
    [{ model: '' }, null],
    [{ model: 7 }, null],
    [{}, null],
  ])('names its model or none: %j', (answer, model) => {
    expect(modelOf(answer)).toBe(model);
  });
});
