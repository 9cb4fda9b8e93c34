import { describe, expect, it } from '@jest/globals';
import { question } from '#platform/chats/chat-order.fixture.js';
import { llama } from './inference-world.fixture.js';
import { upstreamBody } from './upstream-body.js';

const bound = { inputTokens: 300, outputTokens: 100 };

describe('the body for a rig', () => {
  it('has the rig’s model id, the bound and the promised temperature', () => {
    expect(upstreamBody(question, llama, bound)).toEqual({
      model: 'llama-70b',
      messages: question.messages,
      temperature: 0.7,
      max_tokens: 100,
    });
  });

  it('keeps what it does not know and drops what is only ours', () => {
    const sent = upstreamBody(
      {
        ...question,
        temperature: 0,
        seed: 5,
        tools: [{ type: 'function' }],
        routing_mode: 'auto',
        cleanroom_uuid: null,
        timesteps: 8,
      },
      llama,
      bound,
    );
    expect(sent).toMatchObject({ temperature: 0, seed: 5, tools: [{ type: 'function' }] });
    for (const own of ['routing_mode', 'cleanroom_uuid', 'timesteps']) {
      expect(sent).not.toHaveProperty(own);
    }
  });

  it('has no defaults for a model that is sent none, but the bound that the balance covers', () => {
    const { maxOutputTokens } = llama;
    const { messages } = question;
    const unbounded = { ...question, max_tokens: null };
    const whole = { inputTokens: 300, outputTokens: maxOutputTokens };
    const plain = { model: 'llama-70b', messages };
    const terms = { upstreamId: 'llama-70b', sendsDefaults: false };
    expect(upstreamBody(unbounded, llama, whole, terms)).toEqual(plain);
    expect(upstreamBody(unbounded, { ...llama, sendsDefaults: false }, whole)).toEqual(plain);
    const shrunk = { inputTokens: 300, outputTokens: maxOutputTokens - 1 };
    expect(upstreamBody(unbounded, llama, shrunk, terms)).toEqual({
      ...plain,
      max_completion_tokens: maxOutputTokens - 1,
    });
    const asked = { ...question, temperature: 1, max_tokens: 50 };
    expect(upstreamBody(asked, llama, { inputTokens: 300, outputTokens: 50 }, terms)).toEqual({
      ...plain,
      temperature: 1,
      max_tokens: 50,
    });
  });

  it.each([
    ['no field', {}, { max_tokens: 100 }],
    ['null', { max_tokens: null, max_completion_tokens: null }, { max_tokens: 100 }],
    ['max_tokens', { max_tokens: 500 }, { max_tokens: 100 }],
    ['max_completion_tokens', { max_completion_tokens: 500 }, { max_completion_tokens: 100 }],
    [
      'both, so that no rig reads the larger',
      { max_tokens: 500, max_completion_tokens: 100 },
      { max_tokens: 100, max_completion_tokens: 100 },
    ],
  ])('states the bound where the caller set a limit: %s', (_, limits, stated) => {
    const { model, messages } = question;
    const { max_tokens, max_completion_tokens } = upstreamBody(
      { model, messages, ...limits },
      llama,
      bound,
    );
    expect({ max_tokens, max_completion_tokens }).toEqual({
      max_tokens: undefined,
      max_completion_tokens: undefined,
      ...stated,
    });
  });

  it('shares the bound among the choices, rounding down', () => {
    expect(upstreamBody({ ...question, n: 3 }, llama, bound)).toMatchObject({
      n: 3,
      max_tokens: 33,
    });
  });
});
