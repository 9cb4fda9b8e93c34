import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type Fields, listOf } from '#platform/chats/read-answer.js';
import { chatMessagesOf } from './content-blocks.js';
import { messageFormat } from './messages.format.js';

const text = fc.string({ minLength: 1, maxLength: 12 });
const textBlock = fc.record({ type: fc.constant('text'), text });
const imageBlock = fc.record({
  type: fc.constant('image'),
  source: fc.oneof(
    fc.record({ type: fc.constant('url'), url: fc.webUrl() }),
    fc.record({
      type: fc.constant('base64'),
      media_type: fc.constantFrom('image/png', 'image/jpeg'),
      data: fc.base64String(),
    }),
  ),
});
const result = fc.record({
  type: fc.constant('tool_result'),
  tool_use_id: text,
  content: fc.array(fc.oneof(textBlock, imageBlock), { minLength: 1, maxLength: 2 }),
});
const use = fc.record({
  type: fc.constant('tool_use'),
  id: text,
  name: text,
  input: fc.dictionary(text, fc.jsonValue(), { noNullPrototype: true }),
});
const ofUser = fc
  .tuple(
    fc.array(result, { maxLength: 2 }),
    fc.array(fc.oneof(textBlock, imageBlock), { maxLength: 3 }),
  )
  .filter(([results, said]) => results.length + said.length > 0)
  .map(([results, said]) => ({ role: 'user', content: [...results, ...said] }));
const ofAssistant = fc
  .tuple(fc.array(textBlock, { maxLength: 2 }), fc.array(use, { maxLength: 2 }))
  .filter(([said, uses]) => said.length + uses.length > 0)
  .map(([said, uses]) => ({ role: 'assistant', content: [...said, ...uses] }));
/** Turns alternate, as Anthropic has them; two of one side would be one. */
const turns = fc
  .array(fc.tuple(ofUser, ofAssistant), { minLength: 1, maxLength: 3 })
  .map((pairs) => pairs.flat());

/** The inverse of the translation, written without it. */
const turnsOf = (messages: readonly Fields[]): readonly Fields[] => {
  const found: { role: string; content: Fields[] }[] = [];
  for (const { role, content, tool_calls: calls, tool_call_id: id } of messages) {
    const side = role === 'assistant' ? 'assistant' : 'user';
    if (found.at(-1)?.role !== side) found.push({ role: side, content: [] });
    const turn = found.at(-1);
    if (role === 'tool') {
      turn?.content.push({ type: 'tool_result', tool_use_id: id, content: blocksOf(content) });
      continue;
    }
    turn?.content.push(...blocksOf(content));
    for (const { id: callId, function: called } of listOf(calls)) {
      const { name, arguments: json } = called as Fields;
      const input: unknown = JSON.parse(json as string);
      turn?.content.push({ type: 'tool_use', id: callId, name, input });
    }
  }
  return found;
};

const blocksOf = (content: unknown): Fields[] => {
  if (content === null) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listOf(content).map((part) => {
    if (part['type'] === 'text') return part;
    const { url } = part['image_url'] as { url: string };
    const [, media_type, data] = /^data:([^;]+);base64,(.*)$/.exec(url) ?? [];
    const source = data === undefined ? { type: 'url', url } : { type: 'base64', media_type, data };
    return { type: 'image', source };
  });
};

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the translation of turns', () => {
  it('to the messages of a chat and back loses nothing', () => {
    fc.assert(
      fc.property(turns, (sent) => {
        expect(turnsOf(chatMessagesOf(undefined, sent))).toEqual(asJson(sent));
      }),
      { numRuns: 200 },
    );
  });

  it('says of a result that it is an error', () => {
    const failed = { type: 'tool_result', tool_use_id: 'a', is_error: true, content: 'no' };
    expect(chatMessagesOf('b', [{ role: 'user', content: [failed] }])).toEqual([
      { role: 'system', content: 'b' },
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [
          { type: 'text', text: 'Error:' },
          { type: 'text', text: 'no' },
        ],
      },
    ]);
  });
});

const usage: Usage = { promptTokens: 3, completionTokens: 5, source: 'provider' };
const facts = { requestId: '01890a5d-ac96', model: 'm', stopSequences: ['.'] };

interface SentEvent extends Fields {
  readonly type: string;
  readonly index?: number;
}

const eventsIn = (sent: string): readonly SentEvent[] =>
  sent
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)) as SentEvent);

/** The message that a client puts together; a block must be open when a piece of it comes. */
const assembled = (events: readonly SentEvent[]): Fields => {
  const blocks: Record<string, unknown>[] = [];
  let open: number | null = null;
  let json = '';
  let message: Fields = {};
  for (const event of events) {
    if (event.type === 'message_start') message = event['message'] as Fields;
    if (event.type === 'content_block_start') {
      expect(open).toBeNull();
      expect(event.index).toBe(blocks.length);
      open = blocks.length;
      json = '';
      blocks.push({ ...(event['content_block'] as Fields) });
    }
    if (event.type === 'content_block_delta') {
      expect(event.index).toBe(open);
      const { text: piece, partial_json: part } = event['delta'] as Fields;
      const block = blocks[open ?? -1] ?? {};
      if (typeof piece === 'string') block['text'] = `${String(block['text'])}${piece}`;
      if (typeof part === 'string') json += part;
    }
    if (event.type === 'content_block_stop') {
      const block = blocks[open ?? -1];
      if (block?.['type'] === 'tool_use' && json !== '') block['input'] = JSON.parse(json);
      open = null;
    }
    if (event.type === 'message_delta') {
      const { usage: counts, delta } = event as unknown as { usage: Fields; delta: Fields };
      message = { ...message, ...delta, usage: counts };
    }
  }
  expect(open).toBeNull();
  expect(events.at(-1)?.type).toBe('message_stop');
  return { ...message, content: blocks };
};

const call = fc.record({
  id: text,
  name: text,
  input: fc.dictionary(text, text, { noNullPrototype: true }),
});

describe('a streamed message', () => {
  it('puts together the whole one, also where pieces of calls are mixed', () => {
    fc.assert(
      fc.property(
        fc.array(text, { maxLength: 4 }),
        fc.array(call, { maxLength: 3 }),
        fc.constantFrom('stop', 'length', 'content_filter', 'tool_calls'),
        fc.boolean(),
        (pieces, calls, finish, isMixed) => {
          const json = calls.map(({ input }) => JSON.stringify(input));
          const tool_calls = calls.map(({ id, name }, index) => ({
            index,
            id,
            type: 'function',
            function: { name, arguments: json[index] },
          }));
          const heads = calls.map(({ id, name }, index) => ({
            tool_calls: [{ index, id, function: { name, arguments: '' } }],
          }));
          const halves = json.flatMap((whole, index) =>
            [whole.slice(0, 1), whole.slice(1)].map((part, half) => ({
              half,
              delta: { tool_calls: [{ index, function: { arguments: part } }] },
            })),
          );
          const mixed = [...halves].sort((one, other) => one.half - other.half);
          const inOrder = heads.flatMap((head, n) => [
            head,
            ...halves.slice(2 * n, 2 * n + 2).map(({ delta }) => delta),
          ]);
          const called = isMixed ? [...heads, ...mixed.map(({ delta }) => delta)] : inOrder;
          const deltas = [...pieces.map((content) => ({ content })), ...called];
          const lines = [
            ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
            { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
          ].map((chunk) => JSON.stringify(chunk));
          const message = { content: pieces.join(''), tool_calls };
          const choices = [{ index: 0, message, finish_reason: finish }];
          const format = messageFormat(facts);
          const reply = { text: JSON.stringify({ choices }), usage };
          const whole: unknown = JSON.parse(format.whole(reply) as string);
          const stream = format.stream();
          const sent = `${stream.begin()}${stream.page(lines)}${stream.end(usage) as string}`;
          expect(assembled(eventsIn(sent))).toEqual(whole);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('keeps arguments that are no JSON', () => {
    const tool_calls = [{ id: 'a', function: { name: 'f', arguments: '{"b' } }];
    const text = JSON.stringify({
      choices: [{ message: { tool_calls }, finish_reason: 'length' }],
    });
    const format = messageFormat(facts);
    const whole: unknown = JSON.parse(format.whole({ text, usage }) as string);
    expect(whole).toMatchObject({
      content: [{ type: 'tool_use', id: 'a', name: 'f', input: { unparsed_arguments: '{"b' } }],
      stop_reason: 'max_tokens',
    });
  });

  it('shows a text that comes after a call', () => {
    const stream = messageFormat(facts).stream();
    const deltas = [
      { tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }] },
      { content: 'late' },
      { tool_calls: [{ index: 0, function: { arguments: '}' } }] },
    ];
    const lines = deltas.map((delta) => JSON.stringify({ choices: [{ index: 0, delta }] }));
    const sent = `${stream.begin()}${stream.page(lines)}${stream.end(usage) as string}`;
    expect(assembled(eventsIn(sent))).toMatchObject({
      content: [
        { type: 'tool_use', input: {} },
        { type: 'text', text: 'late' },
      ],
      stop_reason: 'end_turn',
    });
  });

  it('reads any answer of a rig without an error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (choices) => {
        const text = JSON.stringify({ choices });
        const format = messageFormat(facts);
        void format.whole({ text, usage });
        const stream = format.stream();
        stream.page([text]);
        void stream.end(usage);
      }),
    );
  });
});
