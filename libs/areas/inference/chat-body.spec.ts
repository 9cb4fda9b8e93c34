import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import {
  ChatBody,
  CHOICES_MAX,
  FIELDS_MAX,
  parseChatBody,
  readChatBody,
} from '#areas/inference/chat-body.js';
import { MESSAGES_MAX } from '#platform/chats/chat-defaults.js';
import { RejectedRequestError } from '#platform/runtime/commands/rejected-request.js';
import { ROUTING_MODE_LENGTH_MAX } from './routing-modes.js';

const question = {
  model: 'acme/llama-70b',
  messages: [{ role: 'user', content: 'What is a quipu?' }],
};

const failureOf = (body: unknown): RejectedRequestError['failure'] => {
  try {
    parseChatBody(body);
  } catch (error) {
    if (error instanceof RejectedRequestError) return error.failure;
    throw error;
  }
  throw new Error('accepted');
};

describe('a chat body', () => {
  it('gets the documented defaults', () => {
    expect(parseChatBody(question)).toEqual({ ...question, routing_mode: 'auto', timesteps: 8 });
  });

  it('is parsed only where a check of its fields does not do', () => {
    const parsing = jest.spyOn(ChatBody, 'safeParse');
    parseChatBody({ ...question, max_tokens: 9, provider: null, user: 'u' });
    expect(parsing).not.toHaveBeenCalled();
    expect(failureOf({ ...question, provider: { order: 7 } })).toMatchObject({ status: 400 });
    expect(failureOf({ ...question, models: 'one' })).toMatchObject({ status: 400 });
    expect(parsing).toHaveBeenCalledTimes(2);
    parsing.mockRestore();
  });

  it('keeps unknown fields at any depth', () => {
    const body = {
      ...question,
      messages: [
        { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'f' } }] },
        { role: 'tool', content: [{ type: 'text', text: 'x', cache: true }], tool_call_id: 'c' },
      ],
      routing_mode: 'rig_7',
      timesteps: 4,
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      response_format: { type: 'json_object' },
      logit_bias: { '50256': -100 },
      stream_options: { include_usage: true, some_new_option: 1 },
      some_new_field: { a: [1] },
    };
    expect(parseChatBody(body)).toEqual(body);
  });

  it.each([
    'temperature',
    'top_p',
    'stream',
    'stream_options',
    'max_tokens',
    'max_completion_tokens',
    'n',
    'stop',
    'seed',
    'cleanroom_uuid',
  ])('accepts null for %s, as OpenAI’s clients send it', (field) => {
    expect(parseChatBody({ ...question, [field]: null })).toMatchObject({ [field]: null });
  });

  it.each<[string, unknown]>([
    ['temperature', 0],
    ['temperature', 2],
    ['top_p', 0],
    ['top_p', 1],
    ['max_tokens', 1],
    ['n', CHOICES_MAX],
    ['stop', 'END'],
    ['stop', ['END', 'STOP']],
    ['seed', -5],
    ['timesteps', 1_024],
    ['routing_mode', 'hybrid_cnn'],
    ['cleanroom_uuid', '01890a5d-ac96-774b-bcce-b302099a8057'],
  ])('accepts %s = %p', (field, value) => {
    expect(parseChatBody({ ...question, [field]: value })).toMatchObject({ [field]: value });
  });
});

describe('the check that spares a chat body the parsing', () => {
  const values = fc.constantFrom<unknown>(
    ...[null, true, 'auto', 'rig_7', 'acme/llama-70b', '', 0, 1, 2, 0.7, 64, 65, -1, 1e9, [], {}],
    ...[{ order: ['acme'] }, { sort: { by: 'price' } }, ['acme/llama-8b']],
    ...[['stop'], [1], { include_usage: true }, { include_usage: 1 }, { include_usage: null }],
    '2dae1ad9-917d-437b-adb7-eb22f7bce2d0',
  );
  const fields = fc.constantFrom(...Object.keys(ChatBody.shape), 'tools', '__proto__');

  it('gives the body that zod gives', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fields, values), { maxLength: 3 }), (changes) => {
        const sent = JSON.parse(
          JSON.stringify({ ...question, ...Object.fromEntries(changes) }),
        ) as object;
        const { data } = ChatBody.safeParse(sent);
        const read = readChatBody(sent);
        if ('body' in read) expect(read.body).toStrictEqual(data);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a bad chat body is rejected by the name of its field', () => {
  it.each<[string, unknown]>([
    ['model', undefined],
    ['model', ''],
    ['model', 7],
    ['model', 'x'.repeat(257)],
    ['messages', undefined],
    ['messages', []],
    ['messages', 'hello'],
    ['messages', Array.from({ length: MESSAGES_MAX + 1 }, () => question.messages[0])],
    ['routing_mode', 'x'.repeat(ROUTING_MODE_LENGTH_MAX + 1)],
    ['routing_mode', null],
    ['cleanroom_uuid', 'mine'],
    ['temperature', -0.1],
    ['temperature', 2.1],
    ['temperature', '1'],
    ['top_p', 1.1],
    ['stream', 'true'],
    ['stream_options', true],
    ['timesteps', 0],
    ['timesteps', 1_025],
    ['timesteps', 1.5],
    ['max_tokens', 0],
    ['max_tokens', -1],
    ['max_tokens', 1.5],
    ['max_tokens', '100'],
    ['max_tokens', 10_000_001],
    ['max_completion_tokens', 0],
    ['n', 0],
    ['n', CHOICES_MAX + 1],
    ['stop', 5],
    ['stop', Array.from({ length: 17 }, () => 'x')],
    ['seed', 1.5],
  ])('%s', (field, value) => {
    expect(failureOf({ ...question, [field]: value })).toMatchObject({
      status: 400,
      code: 'invalid_request',
      param: field,
      message: expect.stringMatching(new RegExp(`^${field}: .+`)),
    });
  });

  it.each<[unknown, string]>([
    [{ role: 'wizard', content: 'x' }, 'messages[1].role'],
    [{ content: 'x' }, 'messages[1].role'],
    [{ role: 'user', content: 7 }, 'messages[1].content'],
    [{ role: 'user', content: {} }, 'messages[1].content'],
    [{ role: 'user', content: Array(1_001).fill({ type: 'text' }) }, 'messages[1].content'],
    [{ role: 'user', content: ['x'] }, 'messages[1].content[0].type'],
    [{ role: 'user', content: [{ type: 'text' }, { type: 1 }] }, 'messages[1].content[1].type'],
    [[], 'messages[1]'],
    [{ role: 'user', content: [{ text: 'x' }] }, 'messages[1].content[0].type'],
    ['x', 'messages[1]'],
    [null, 'messages[1]'],
  ])('in a message: %j', (message, param) => {
    const { param: failing } = failureOf({
      ...question,
      messages: [question.messages[0], message],
    });
    expect(param).toContain(failing);
    expect(failing).toContain('messages[1]');
  });

  it('in a stream option', () => {
    const body = { ...question, stream_options: { include_usage: 'yes' } };
    expect(failureOf(body)).toMatchObject({ param: 'stream_options.include_usage' });
  });

  it('with the other invalid fields', () => {
    const { message } = failureOf({ ...question, temperature: 3, n: 0 });
    expect(message).toContain('temperature: ');
    expect(message).toContain('n: ');
  });

  it.each([undefined, null, 'text', 7, [question]])(
    'except a body that is no object: %p',
    (body) => {
      expect(failureOf(body)).toMatchObject({
        status: 400,
        message: 'the body must be a JSON object',
      });
    },
  );

  it('except one with too many fields', () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 0]));
    expect(() => parseChatBody({ ...question, ...fields(FIELDS_MAX - 2) })).not.toThrow();
    expect(failureOf({ ...question, ...fields(FIELDS_MAX - 1) })).toMatchObject({
      status: 400,
      code: 'body_too_complex',
    });
  });

  it('with the first ten faults and the number of the others', () => {
    const messages = Array.from({ length: 12 }, () => ({ role: 'wizard' }));
    const { message, param } = failureOf({ ...question, messages });
    expect(param).toBe('messages[0].role');
    expect(message).toMatch(/^messages\[0\]\.role: .*; messages\[9\]\.role: .*; and 2 more$/);
    expect(message).not.toContain('messages[10]');
  });
});
