import { describe, expect, it } from '@jest/globals';
import { type TextEnd } from '../text/text-task.js';
import { type TextRequest } from './embedded-request.js';
import { createEmbeddedRig } from './embedded-rig.js';
import { type TextDelta } from './text-delta.js';
import { engineOf } from './text-engine.fake.js';
import { drain, never, requestOf } from './upstream.fake.js';

const END: TextEnd = { promptTokens: 9, completionTokens: 6, finishReason: 'stop' };

const answering = (pieces: readonly TextDelta[]) => {
  const heard: { request?: TextRequest } = {};
  const engine = engineOf(async function* (request) {
    heard.request = request;
    for (const piece of pieces) yield await Promise.resolve(piece);
    return END;
  });
  const rig = createEmbeddedRig({ name: 'built-in', engine, modelFile: '/models/nano.gguf' });
  return { rig, heard };
};

const body = (fields: object) => requestOf({ model: 'nano', max_tokens: 16, ...fields });

const PARAMETERS = { type: 'object', properties: { a: { type: 'integer' } } };
const TOOLS = ['add', 'negate'].map((name) => ({
  type: 'function',
  function: { name, description: `to ${name}`, parameters: PARAMETERS },
}));
const FUNCTIONS = TOOLS.map(({ function: declared }) => declared);

describe('several choices of an embedded model', () => {
  const pieces: TextDelta[] = [
    { choice: 1, text: 'No' },
    { choice: 0, text: 'Yes' },
    { choice: 1, text: '!', finishReason: 'length' },
    { choice: 0, text: '', finishReason: 'stop' },
  ];

  it('are whole answers, in order, with one usage', async () => {
    const { rig, heard } = answering(pieces);
    const { completion, usage } = await rig.complete(body({ n: 2, seed: 5 }), never);
    expect(heard.request).toMatchObject({ choices: 2, seed: 5 });
    expect(completion['choices']).toEqual(
      [
        ['Yes', 'stop'],
        ['No!', 'length'],
      ].map(([content, reason], index) => ({
        index,
        message: { role: 'assistant', content, refusal: null },
        logprobs: null,
        finish_reason: reason,
      })),
    );
    expect(usage).toEqual({ promptTokens: 9, completionTokens: 6, source: 'provider' });
  });

  it('are streamed under their index, each with its role and its reason', async () => {
    const { rig } = answering(pieces);
    const { chunks } = await drain(rig.stream(body({ n: 2 }), never));
    const said = chunks.map(({ choices }) => {
      const [{ index, delta, finish_reason: reason }] = choices as [
        { index: number; delta: { role?: string; content?: string }; finish_reason: string | null },
      ];
      return [index, delta.role ?? delta.content ?? reason];
    });
    expect(said).toEqual([
      [1, 'assistant'],
      [1, 'No'],
      [0, 'assistant'],
      [0, 'Yes'],
      [1, '!'],
      [1, 'length'],
      [0, 'stop'],
    ]);
  });
});

describe('the ratings of tokens of an embedded model', () => {
  const rated = { token: 'Hi', logprob: -0.5, bytes: [72, 105] };
  const pieces: TextDelta[] = [
    { choice: 0, text: 'Hi', logprobs: [{ ...rated, top: [rated] }] },
    { choice: 0, text: '', finishReason: 'stop' },
  ];
  const logprobs = { content: [{ ...rated, top_logprobs: [rated] }], refusal: null };

  it.each([
    [{ logprobs: true }, 0],
    [{ logprobs: true, top_logprobs: 20 }, 20],
  ])('are asked for: %j', async (fields, topLogprobs) => {
    const { rig, heard } = answering(pieces);
    await rig.complete(body(fields), never);
    expect(heard.request).toMatchObject({ topLogprobs });
  });

  it('come with a whole answer and with each piece of a stream', async () => {
    const { rig } = answering(pieces);
    const asked = body({ logprobs: true, top_logprobs: 1 });
    const { completion } = await rig.complete(asked, never);
    expect(completion).toMatchObject({ choices: [{ logprobs }] });
    const { chunks } = await drain(rig.stream(asked, never));
    expect(chunks.map(({ choices }) => choices)).toMatchObject([
      [{ logprobs: null }],
      [{ delta: { content: 'Hi' }, logprobs }],
      [{ logprobs: null, finish_reason: 'stop' }],
    ]);
  });
});

describe('the tools of an embedded model', () => {
  const pieces: TextDelta[] = [
    { choice: 0, text: '', call: { name: 'add' } },
    { choice: 0, text: '{"a":', call: {} },
    { choice: 0, text: '7}', call: {} },
    { choice: 0, text: '', finishReason: 'tool_calls' },
  ];
  const ID: unknown = expect.stringMatching(/^call_[0-9a-f]{32}$/);

  it.each([
    ['auto', { functions: FUNCTIONS, choice: 'auto' }],
    [undefined, { functions: FUNCTIONS, choice: 'auto' }],
    ['required', { functions: FUNCTIONS, choice: 'required' }],
    [
      { type: 'function', function: { name: 'negate' } },
      { functions: [FUNCTIONS[1]], choice: 'required' },
    ],
    ['none', undefined],
  ])('are given to it by the choice: %j', async (choice, tools) => {
    const { rig, heard } = answering(pieces);
    const asked = body({ tools: TOOLS, tool_choice: choice, parallel_tool_calls: false });
    await rig.complete(asked, never);
    expect(heard.request?.tools).toEqual(tools);
  });

  it('are called in a whole answer', async () => {
    const { rig } = answering(pieces);
    const { completion } = await rig.complete(body({ tools: TOOLS }), never);
    expect(completion['choices']).toEqual([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          refusal: null,
          tool_calls: [
            { id: ID, type: 'function', function: { name: 'add', arguments: '{"a":7}' } },
          ],
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ]);
  });

  it('are called in a stream: the name first, then the arguments in pieces', async () => {
    const { rig } = answering(pieces);
    const { chunks } = await drain(rig.stream(body({ tools: TOOLS }), never));
    const deltas = chunks.flatMap(({ choices }) =>
      (choices as { delta: object }[]).map(({ delta }) => delta),
    );
    expect(deltas).toEqual([
      { role: 'assistant', content: '' },
      {
        tool_calls: [
          { index: 0, id: ID, type: 'function', function: { name: 'add', arguments: '' } },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '7}' } }] },
      {},
    ]);
  });

  it('have their answers put to the calls, in the order of the calls', async () => {
    const { rig, heard } = answering(pieces);
    const call = (id: string, json: string) => ({
      id,
      type: 'function',
      function: { name: 'add', arguments: json },
    });
    const messages = [
      { role: 'user', content: 'Add' },
      { role: 'assistant', content: null, tool_calls: [call('c1', '{"a":1}'), call('c2', '{}')] },
      { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'nine' }] },
      { role: 'tool', tool_call_id: 'c1', content: 'ten' },
    ];
    await rig.complete(body({ messages, tools: TOOLS }), never);
    expect(heard.request?.messages).toEqual([
      { role: 'user', content: 'Add' },
      {
        role: 'assistant',
        content: '',
        calls: [
          { name: 'add', arguments: { a: 1 }, result: 'ten' },
          { name: 'add', arguments: {}, result: 'nine' },
        ],
      },
    ]);
  });

  it('cannot be kept beside a JSON Schema for the answer', async () => {
    const { rig } = answering(pieces);
    const format = { type: 'json_schema', json_schema: { name: 'a', schema: PARAMETERS } };
    const asked = rig.complete(body({ tools: TOOLS, response_format: format }), never);
    await expect(asked).rejects.toMatchObject({
      kind: 'refused',
      details: { upstreamError: { param: 'response_format' } },
    });
  });
});
