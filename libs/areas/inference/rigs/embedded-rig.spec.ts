import { describe, expect, it } from '@jest/globals';
import { RigError } from './chat-backend.js';
import { type TextRequest, unsupportedFields } from './embedded-request.js';
import { type TextEnd } from '../text/text-task.js';
import { createEmbeddedRig } from './embedded-rig.js';
import { type TextDelta } from './text-delta.js';
import { engineOf } from './text-engine.fake.js';
import { drain, never, requestOf, textOf } from './upstream.fake.js';

const END: TextEnd = { promptTokens: 9, completionTokens: 2, finishReason: 'stop' };
const USAGE = { promptTokens: 9, completionTokens: 2, source: 'provider' };

/** Says its pieces, then ends or fails; records its request and whether it was let go. */
const speaking = (pieces: readonly (string | TextDelta)[], end: TextEnd | Error = END) => {
  const heard: { request?: TextRequest; ended: boolean } = { ended: false };
  const engine = engineOf(async function* (request, signal) {
    heard.request = request;
    try {
      for (const piece of pieces) {
        await Promise.resolve();
        signal.throwIfAborted();
        yield piece;
      }
      if (end instanceof Error) throw end;
      return end;
    } finally {
      heard.ended = true;
    }
  });
  const rig = createEmbeddedRig({
    name: 'built-in',
    engine,
    modelFile: '/models/nano.gguf',
    clock: { now: () => 1_700_000_000_900 },
  });
  return { rig, heard };
};

const body = (fields = {}) => requestOf({ model: 'nano', max_tokens: 16, ...fields });

const errorOf = async (work: Promise<unknown>): Promise<RigError> => {
  const error: unknown = await work.catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(RigError);
  return error as RigError;
};

const adding = (parameters: object) => ({
  type: 'function',
  function: { name: 'add', parameters },
});

const calling = (json: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: json } }],
});

const ID: unknown = expect.stringMatching(/^chatcmpl-[0-9a-f]{32}$/);

describe('a whole answer of an embedded model', () => {
  it('says of a line of a batch that it may wait', async () => {
    const { rig, heard } = speaking(['Hello']);
    await rig.complete({ ...body(), isBatch: true }, never);
    expect(heard.request).toMatchObject({ priority: 'batch' });
    await rig.complete(body(), never);
    expect(heard.request).not.toHaveProperty('priority');
  });

  it('is counted without being written', async () => {
    const { rig, heard } = speaking([]);
    expect(await rig.count(body(), never)).toBe(USAGE.promptTokens);
    expect(heard.request).toMatchObject({ maxTokens: 0 });
    expect(heard.ended).toBe(true);
  });

  it('has the shape of a chat completion', async () => {
    const { rig, heard } = speaking(['Hel', 'lo']);
    expect(await rig.complete(body(), never)).toEqual({
      usage: USAGE,
      completion: {
        id: ID,
        object: 'chat.completion',
        created: 1_700_000_000,
        model: 'nano',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'Hello', refusal: null },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
      },
    });
    expect(heard.ended).toBe(true);
  });

  it('passes the fields of the body to the engine', async () => {
    const { rig, heard } = speaking([]);
    const messages = [
      { role: 'developer', content: 'Be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ];
    const fields = { messages, max_completion_tokens: 5, temperature: 0, top_p: 0.5, seed: 3 };
    await rig.complete(body({ ...fields, stop: '\n' }), never);
    expect(heard.request).toEqual({
      modelFile: '/models/nano.gguf',
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'a\nb' },
      ],
      maxTokens: 5,
      temperature: 0,
      topP: 0.5,
      seed: 3,
      stop: ['\n'],
    });
  });

  it('is asked for at the promised temperature when the body names none', async () => {
    const { rig, heard } = speaking([]);
    await rig.complete(body({ temperature: null }), never);
    expect(heard.request?.temperature).toBe(0.7);
  });

  it('is failed when the engine fails', async () => {
    const { rig } = speaking(['Hel'], new Error('out of memory'));
    expect((await errorOf(rig.complete(body(), never))).kind).toBe('failed');
  });

  it('is cancelled when the caller leaves', async () => {
    const { rig } = speaking(['Hel', 'lo']);
    const error = await errorOf(rig.complete(body(), AbortSignal.abort()));
    expect(error.kind).toBe('cancelled');
    expect(error.details.used).toBeUndefined();
  });

  it('is cancelled with its prompt once the engine has read it', async () => {
    const caller = new AbortController();
    const engine = engineOf(async function* (_, signal) {
      yield 'Hel';
      caller.abort();
      signal.throwIfAborted();
      return await Promise.resolve(END);
    });
    const rig = createEmbeddedRig({ name: 'built-in', engine, modelFile: '/models/nano.gguf' });
    expect(await errorOf(rig.complete(body(), caller.signal))).toMatchObject({
      kind: 'cancelled',
      details: { used: { promptTokens: 2, completionTokens: 0, source: 'counted' } },
    });
  });
});

describe('a stream of an embedded model', () => {
  it('gives the role first, then the text, then the reason, and returns usage', async () => {
    const { rig } = speaking(['Hel', 'lo'], { ...END, finishReason: 'length' });
    const { chunks, usage } = await drain(rig.stream(body(), never));
    expect(chunks.map(({ choices }) => choices)).toEqual(
      [
        [{ role: 'assistant', content: '' }, null],
        [{ content: 'Hel' }, null],
        [{ content: 'lo' }, null],
        [{}, 'length'],
      ].map(([delta, reason]) => [{ index: 0, delta, logprobs: null, finish_reason: reason }]),
    );
    const [{ id } = {}] = chunks;
    expect(chunks[0]).toEqual({
      id: ID,
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'nano',
      choices: chunks[0]?.['choices'],
    });
    expect(new Set(chunks.map((chunk) => chunk['id']))).toEqual(new Set([id]));
    expect(usage).toEqual(USAGE);
  });

  it('gives the usage chunk, and null usage before it, to who asked', async () => {
    const { rig } = speaking(['Hi']);
    const request = body({ stream_options: { include_usage: true } });
    const { chunks } = await drain(rig.stream(request, never));
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
    });
  });

  it('gives role and reason even when there is no text', async () => {
    const { rig } = speaking([]);
    const { chunks } = await drain(rig.stream(body(), never));
    expect(chunks).toHaveLength(2);
    expect(textOf(chunks)).toBe('');
  });

  it('has used nothing when the engine fails before the first piece', async () => {
    const { rig } = speaking([], new Error('no such file'));
    const error = await errorOf(drain(rig.stream(body(), never)));
    expect(error.kind).toBe('failed');
    expect(error.details.used).toBeUndefined();
  });

  it.each([
    ['busy', { kind: 'overloaded' }],
    [
      'prompt_too_long',
      {
        kind: 'refused',
        details: { upstreamError: { param: 'messages', code: 'context_length_exceeded' } },
      },
    ],
    ['model_file_missing', { kind: 'refused', details: { status: 503 } }],
    ['model_file_invalid', { kind: 'refused', details: { status: 503 } }],
    ['no_worker', { kind: 'unreachable' }],
    ['worker_lost', { kind: 'unreachable' }],
    ['model_failed', { kind: 'failed' }],
  ])('says whose fault it is when the engine does: %s', async (code, expected) => {
    const failure = Object.assign(new Error('no'), { code });
    const { rig } = speaking([], failure);
    expect(await errorOf(drain(rig.stream(body(), never)))).toMatchObject(expected);
    expect(await errorOf(rig.complete(body(), never))).toMatchObject(expected);
  });

  it('is broken-off with its usage when the engine fails midway', async () => {
    const { rig } = speaking(['Hel'], new Error('out of memory'));
    expect(await errorOf(drain(rig.stream(body(), never)))).toMatchObject({
      kind: 'broken-off',
      details: { used: { promptTokens: 2, completionTokens: 1, source: 'counted' } },
    });
  });

  it('returns the usage of the delivered part when the caller leaves', async () => {
    const { rig, heard } = speaking(['Hel', 'lo', '!']);
    const caller = new AbortController();
    const pages = rig.stream(body(), caller.signal);
    await pages.next();
    caller.abort();
    const { chunks, usage } = await drain(pages);
    expect(chunks).toEqual([]);
    expect(usage).toEqual({ promptTokens: 2, completionTokens: 1, source: 'counted' });
    expect(heard.ended).toBe(true);
  });

  it('hands out and charges the piece that was in flight', async () => {
    const caller = new AbortController();
    const engine = engineOf(async function* () {
      yield 'Hel';
      caller.abort();
      yield await Promise.resolve('lo');
      throw new Error('a piece too many');
    });
    const rig = createEmbeddedRig({ name: 'built-in', engine, modelFile: '/models/nano.gguf' });
    const { chunks, usage } = await drain(rig.stream(body(), caller.signal));
    expect(textOf(chunks)).toBe('Hello');
    expect(usage).toEqual({ promptTokens: 2, completionTokens: 2, source: 'counted' });
  });

  it('is cancelled when the caller left before the first piece', async () => {
    const { rig } = speaking(['Hel']);
    const error = await errorOf(drain(rig.stream(body(), AbortSignal.abort())));
    expect(error.kind).toBe('cancelled');
  });

  it('lets the engine go when its generator is returned', async () => {
    const { rig, heard } = speaking(['Hel', 'lo']);
    const pages = rig.stream(body(), never);
    await pages.next();
    await pages.return({ promptTokens: 0, completionTokens: 0, source: 'counted' });
    expect(heard.ended).toBe(true);
  });
});

describe('a field that an embedded model cannot honour', () => {
  it.each([
    ['functions', [{ name: 'f' }]],
    ['response_format', { type: 'json_object' }],
    ['logit_bias', { 50256: -100 }],
    ['presence_penalty', 0.5],
    ['frequency_penalty', -0.5],
    ['audio', { voice: 'alloy' }],
    ['modalities', ['text', 'audio']],
    ['reasoning_effort', 'high'],
    ['store', true],
    ['constructor', 'odd'],
    ['never_heard_of', 1],
  ])('is refused by name: %s', async (param, value) => {
    const { rig } = speaking(['Hi']);
    const request = body({ [param]: value });
    for (const work of [rig.complete(request, never), drain(rig.stream(request, never))]) {
      expect(await errorOf(work)).toMatchObject({
        kind: 'refused',
        details: {
          status: 400,
          upstreamError: { type: 'invalid_request_error', param, code: 'unsupported_parameter' },
        },
      });
    }
  });

  it('may be there with the value that asks for nothing', () => {
    const idle = {
      user: 'u-1',
      metadata: { a: 'b' },
      store: false,
      n: 1,
      logprobs: false,
      presence_penalty: 0,
      frequency_penalty: 0,
      tools: [],
      tool_choice: 'auto',
      logit_bias: {},
      response_format: { type: 'text' },
      modalities: ['text'],
      stream_options: { include_usage: true },
      audio: null,
    };
    expect(unsupportedFields(body(idle).body)).toEqual([]);
  });

  it.each([
    ['messages', []],
    ['messages', 'Hello'],
    ['messages[0].role', [{ role: 'tool', content: 'x' }]],
    ['messages[0].role', [{ role: 'function', name: 'f', content: 'x' }]],
    ['messages[0].role', [{ role: 'constructor', content: 'x' }]],
    ['messages[0].tool_calls[0].id', [{ role: 'assistant', tool_calls: [{}] }]],
    ['messages[0].tool_calls[0].function.name', [{ role: 'assistant', tool_calls: [{ id: 'c' }] }]],
    ['messages[0].tool_calls[0].function.arguments', [calling('{')]],
    ['messages[0].tool_calls', [calling('{}')]],
    ['messages[0].tool_calls', [calling('{}'), { role: 'tool', tool_call_id: 'd', content: '7' }]],
    ['messages[1].content', [calling('{}'), { role: 'tool', tool_call_id: 'c', content: null }]],
    ['messages[0].tool_calls', [{ ...calling('{}'), role: 'user', content: 'x' }]],
    [
      'messages[2].role',
      [
        calling('{}'),
        { role: 'tool', tool_call_id: 'c', content: '7' },
        { role: 'tool', tool_call_id: 'c', content: '8' },
      ],
    ],
    ['messages[0].function_call', [{ role: 'assistant', content: '', function_call: {} }]],
    ['messages[0].audio', [{ role: 'assistant', content: 'x', audio: { id: 'a' } }]],
    ['messages[0].content', [{ role: 'user', content: [{ type: 'image_url' }] }]],
    ['messages[0].content', [{ role: 'user', content: [{ type: 'file', file: {} }] }]],
    ['messages[1].content', [{ role: 'user', content: 'x' }, { role: 'user' }]],
  ])('is named when it is within the messages: %s', async (param, messages) => {
    const { rig } = speaking(['Hi']);
    const error = await errorOf(rig.complete(body({ messages }), never));
    expect(error).toMatchObject({ kind: 'refused', details: { upstreamError: { param } } });
  });

  it.each([
    ['temperature', 'hot'],
    ['seed', {}],
    ['response_format.json_schema.schema', { type: 'json_schema' }, 'response_format'],
    [
      'response_format.json_schema.schema',
      { type: 'json_schema', json_schema: { schema: { type: 'string', pattern: 'a' } } },
      'response_format',
    ],
    ['stop', ['']],
    ['stop', 7],
    ['max_tokens', 0],
    ['max_tokens', 1.5],
    ['n', 0],
    ['n', 17],
    ['top_logprobs', 3],
    ['logprobs', 5],
    ['tools', {}],
    ['tool_choice', 'required'],
    ['tool_choice', { type: 'function', function: { name: 'add' } }],
    ['tool_choice', 'sometimes'],
    ['tools[0].type', [{ type: 'custom' }], 'tools'],
    ['tools[0].function.name', [{ type: 'function', function: { name: 'a b' } }], 'tools'],
    [
      'tools[1].function.name',
      ['add', 'add'].map((name) => ({ type: 'function', function: { name } })),
      'tools',
    ],
    ['tools[0].function.parameters', [adding({ type: 'string' })], 'tools'],
    ['tools[0].function.parameters', [adding({ type: 'object', minProperties: 1 })], 'tools'],
  ])('is named when its value makes no sense: %s', async (param, value, field = param) => {
    const { rig } = speaking(['Hi']);
    const error = await errorOf(rig.complete(body({ [field]: value }), never));
    expect(error).toMatchObject({ kind: 'refused', details: { upstreamError: { param } } });
  });
});
