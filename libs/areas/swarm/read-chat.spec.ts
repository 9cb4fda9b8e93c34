import { describe, expect, it } from '@jest/globals';
import { readChatFields } from './read-chat.js';

const messages = [{ role: 'user', content: 'Why?' }];
const PLAIN = { model: 'm', messages };

describe('a chat of models that work together', () => {
  it('has the promised defaults', () => {
    expect(readChatFields(PLAIN, [])).toEqual({
      messages,
      maxTokens: null,
      temperature: 0.7,
      topP: null,
      seed: null,
      stop: [],
    });
  });

  it('takes the smaller of two limits, parts of text, and one stop text', () => {
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    const asked = readChatFields(
      {
        model: 'm',
        messages: [{ role: 'developer', content: parts }],
        max_tokens: 9,
        max_completion_tokens: 5,
        stop: 'x',
        n: 1,
        tools: [],
        user: 'u',
      },
      [],
    );
    expect(asked).toMatchObject({
      messages: [{ role: 'system', content: 'a\nb' }],
      maxTokens: 5,
      stop: ['x'],
    });
  });

  it.each([
    ['n', { n: 2 }],
    ['tools', { tools: [{ type: 'function' }] }],
    ['logprobs', { logprobs: true }],
    ['response_format', { response_format: { type: 'json_object' } }],
    ['fanout_nodes', { fanout_nodes: 3 }],
    ['messages', { messages: [{ role: 'user', content: null }] }],
    ['messages', { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }],
    ['messages', { messages: [{ role: 'assistant', content: '', tool_calls: [] }] }],
  ])('rejects %s by its name', (field, wrong) => {
    expect(() => readChatFields({ ...PLAIN, ...wrong }, ['draft_model'])).toThrow(field);
  });

  it('leaves the fields of a mode to it', () => {
    expect(() => readChatFields({ ...PLAIN, draft_model: 'd' }, ['draft_model'])).not.toThrow();
  });
});
