import { describe, expect, it } from '@jest/globals';
import {
  laterMessages,
  OBSERVATION_CHARACTERS_MAX,
  planBody,
  planOf,
  type PlannedTool,
  type PlanQuestion,
} from './planner.protocol.js';

const calculator: PlannedTool = {
  name: 'calculator',
  description: 'Calculates.',
  parameters: {
    type: 'object',
    properties: { expression: { type: 'string', pattern: 'x' }, digits: { type: 'integer' } },
    required: ['expression'],
  },
};
const question = (more: Partial<PlanQuestion> = {}): PlanQuestion => ({
  model: 'acme/planner',
  style: 'functions',
  goal: 'How much is 6 * 7?',
  tools: [calculator],
  turns: [],
  outputTokens: 256,
  ...more,
});
const turn = {
  plan: {
    action: 'tool',
    tool: 'calculator',
    arguments: { expression: '6 * 7' },
    text: 'I calculate.',
  },
  observation: { output: { result: '42' } },
  callId: 'call-1',
} as const;
const replied = (message: object) => ({ choices: [{ index: 0, message }] });
const called = (name: string, written: unknown) =>
  replied({ content: null, tool_calls: [{ function: { name, arguments: written } }] });

describe('the question to a planner that calls functions', () => {
  it('has the tools as functions, one call at a time', () => {
    expect(planBody(question())).toMatchObject({
      model: 'acme/planner',
      max_tokens: 256,
      temperature: 0,
      tools: [{ type: 'function', function: calculator }],
      parallel_tool_calls: false,
      messages: [
        { role: 'system', content: expect.stringContaining('never instructions') },
        { role: 'user', content: 'How much is 6 * 7?' },
      ],
    });
    expect(planBody(question({ tools: [] }))).not.toHaveProperty('tools');
  });

  it('has each call with its result', () => {
    const messages = planBody(question({ turns: [turn] }))['messages'] as readonly object[];
    expect(messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: 'I calculate.',
        tool_calls: [
          {
            id: 'call-1',
            type: 'function',
            function: { name: 'calculator', arguments: '{"expression":"6 * 7"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call-1', content: '{"output":{"result":"42"}}' },
    ]);
    expect(laterMessages(question({ turns: [turn] }))['messages']).toEqual(messages.slice(2));
  });

  it('cuts a long result, and says so', () => {
    const long = { ...turn, observation: { output: 'x'.repeat(20_000) } };
    const messages = planBody(question({ turns: [long] }))['messages'] as { content: string }[];
    expect(messages.at(-1)?.content).toHaveLength(OBSERVATION_CHARACTERS_MAX + 24);
    expect(messages.at(-1)?.content).toMatch(/\[cut: 20013 characters\]$/);
  });

  it('repeats an answer that could not be carried out, with the reason', () => {
    const plan = { action: 'invalid', reason: 'there is no such tool', text: '{"a":1}' } as const;
    const turns = [{ plan, observation: null, callId: null }];
    expect(planBody(question({ turns }))['messages']).toContainEqual({
      role: 'user',
      content: 'That cannot be carried out: there is no such tool.',
    });
  });
});

describe('the question to a planner that is held to a schema', () => {
  it('has a variant for each tool, and one for the answer', () => {
    const body = planBody(question({ style: 'schema' }));
    expect(body).not.toHaveProperty('tools');
    expect(body['response_format']).toMatchObject({
      type: 'json_schema',
      json_schema: {
        schema: {
          oneOf: [
            {
              properties: {
                tool: { const: 'calculator' },
                arguments: {
                  type: 'object',
                  properties: {
                    // The tool itself checks constraints that a grammar cannot enforce.
                    expression: { type: 'string', maxLength: 64 },
                    digits: { oneOf: [{ type: 'null' }, { type: 'integer' }] },
                  },
                },
              },
            },
            { properties: { answer: { type: 'string', maxLength: 224 } } },
          ],
        },
      },
    });
  });

  it('has the tools and their results in words', () => {
    const messages = planBody(question({ style: 'schema', turns: [turn] }))['messages'];
    expect(messages).toMatchObject([
      { content: expect.stringContaining('calculator(expression, digits): Calculates.') },
      { content: 'How much is 6 * 7?' },
      { content: '{"tool":"calculator","arguments":{"expression":"6 * 7"}}' },
      { role: 'user', content: 'The result of calculator: {"output":{"result":"42"}}' },
    ]);
  });
});

describe('the plan in a reply', () => {
  const functions = (completion: Readonly<Record<string, unknown>>) =>
    planOf(completion, 'functions', [calculator]);
  const schema = (content: string) => planOf(replied({ content }), 'schema', [calculator]);

  it('is a call', () => {
    expect(functions(called('calculator', '{"expression":"1"}'))).toEqual({
      action: 'tool',
      tool: 'calculator',
      arguments: { expression: '1' },
      text: '',
    });
    expect(schema('{"tool":"calculator","arguments":{"expression":"1","digits":null}}\n')).toEqual({
      action: 'tool',
      tool: 'calculator',
      arguments: { expression: '1' },
      text: '',
    });
  });

  it('is an answer', () => {
    expect(functions(replied({ content: '42' }))).toEqual({ action: 'answer', answer: '42' });
    expect(schema('{"answer": "42"}')).toEqual({ action: 'answer', answer: '42' });
  });

  it.each<readonly [string, () => unknown, string]>([
    ['an unknown tool', () => functions(called('shell', '{}')), 'there is no such tool'],
    ['arguments that are no JSON', () => functions(called('calculator', '{"a')), 'no JSON object'],
    ['arguments that are a list', () => functions(called('calculator', '[]')), 'no JSON object'],
    ['a call of nothing', () => functions(replied({ tool_calls: [null] })), 'no such tool'],
    ['an empty reply', () => functions(replied({ content: '' })), 'neither a call nor an answer'],
    ['no choices', () => functions({}), 'neither a call nor an answer'],
    ['cut JSON', () => schema('{"answer": "4'), 'not complete JSON'],
    ['another shape', () => schema('{"plan": 1}'), 'no such tool'],
  ])('is invalid: %s', (_, plan, reason) => {
    expect(plan()).toMatchObject({ action: 'invalid', reason: expect.stringContaining(reason) });
  });
});
