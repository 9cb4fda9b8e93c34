import { describe, expect, it } from '@jest/globals';
import { chatFieldsOf, readResponseBody } from './response-body.js';

const fieldsOf = (more: object) =>
  chatFieldsOf(readResponseBody({ model: 'm', input: 'a', ...more }));

describe('the body of a response', () => {
  it('leaves out absent fields and null', () => {
    expect(fieldsOf({})).toEqual({ model: 'm' });
    expect(fieldsOf({ tools: null, text: null, reasoning: null, metadata: null })).toEqual({
      model: 'm',
    });
  });

  it('asks a chat for the usage of a stream', () => {
    expect(fieldsOf({ stream: true })).toMatchObject({ stream_options: { include_usage: true } });
    expect(fieldsOf({ stream: false })).not.toHaveProperty('stream_options');
  });

  it('asks a chat for log probabilities', () => {
    const include = ['message.output_text.logprobs'];
    expect(fieldsOf({ include })).toEqual({ model: 'm', logprobs: true });
    expect(fieldsOf({ top_logprobs: 3 })).toMatchObject({ logprobs: true, top_logprobs: 3 });
    expect(fieldsOf({ top_logprobs: 0 })).toEqual({ model: 'm' });
    expect(fieldsOf({ include: ['reasoning.encrypted_content'] })).toEqual({ model: 'm' });
  });

  it('has a choice of tools and a format of text as a chat has them', () => {
    const schema = { type: 'object' };
    expect(
      fieldsOf({
        tool_choice: { type: 'function', name: 'count' },
        text: {
          format: { type: 'json_schema', name: 'n', strict: true, schema },
          verbosity: 'low',
        },
        reasoning: { effort: 'high' },
      }),
    ).toEqual({
      model: 'm',
      tool_choice: { type: 'function', function: { name: 'count' } },
      response_format: { type: 'json_schema', json_schema: { name: 'n', strict: true, schema } },
      verbosity: 'low',
      reasoning_effort: 'high',
    });
    expect(fieldsOf({ tool_choice: 'required' })).toMatchObject({ tool_choice: 'required' });
  });

  it('names every field that it does not support', () => {
    const read = () => readResponseBody({ model: 'm', input: 'a', conversation: 'a', knots: 1 });
    expect(read).toThrow('conversation: is not supported; knots: this field is not supported');
  });

  it('may have no input where it continues a response', () => {
    expect(readResponseBody({ model: 'm', previous_response_id: 'resp_1' }).input).toBeUndefined();
    expect(() => readResponseBody({ model: 'm' })).toThrow('input: expected a string or items');
  });
});
