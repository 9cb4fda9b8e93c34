import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Usage } from '#platform/chats/chat-usage.js';
import { type Fields, listOf, readAnswer } from '#platform/chats/read-answer.js';
import { messagesOf } from '#areas/responses/translation/conversation.js';
import { inputItemsOf, type Item } from '#areas/responses/translation/input-items.js';
import { type ResponseObject } from '#areas/responses/translation/response-object.js';
import { responseFormat, type ResponseWriting } from './responses.format.js';

const text = fc.string({ minLength: 1, maxLength: 12 });

const message = fc.oneof(
  fc.record({
    type: fc.constant('message'),
    role: fc.constantFrom('system', 'developer', 'user'),
    content: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('input_text'), text }),
        fc.record({ type: fc.constant('input_image'), image_url: fc.webUrl() }),
        fc.record({ type: fc.constant('input_file'), file_data: text, filename: text }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  fc.record({
    type: fc.constant('message'),
    role: fc.constant('assistant'),
    content: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('output_text'), text, annotations: fc.constant([]) }),
        fc.record({ type: fc.constant('refusal'), refusal: text }),
      ),
      { minLength: 1, maxLength: 2 },
    ),
  }),
);
const call = fc.record({
  type: fc.constant('function_call'),
  call_id: text,
  name: text,
  arguments: text,
});
const output = fc.record({
  type: fc.constant('function_call_output'),
  call_id: text,
  output: text,
});
const items = fc.array(fc.oneof(message, call, output), { minLength: 1, maxLength: 8 });

/** The inverse of the translation, written without it: messages as items without ids. */
const itemsOf = (messages: readonly Fields[]): readonly Fields[] =>
  messages.flatMap(({ role, content, tool_calls: calls, tool_call_id: id }): Fields[] => {
    if (role === 'tool') return [{ type: 'function_call_output', call_id: id, output: content }];
    const parts = partsOf(role, content);
    const said = parts.length > 0 ? [{ type: 'message', role, content: parts }] : [];
    const called = listOf(calls).map((one) => {
      const { name, arguments: json } = one['function'] as Fields;
      return { type: 'function_call', call_id: one['id'], name, arguments: json };
    });
    return [...said, ...called];
  });

const partsOf = (role: unknown, content: unknown): readonly Fields[] => {
  if (content === null) return [];
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  return parts.map((part): Fields => {
    if (part['type'] === 'image_url') {
      return { type: 'input_image', image_url: (part['image_url'] as Fields)['url'] };
    }
    if (part['type'] === 'file') return { type: 'input_file', ...(part['file'] as Fields) };
    if (part['type'] !== 'text') return part;
    return role === 'assistant'
      ? { type: 'output_text', text: part['text'], annotations: [] }
      : { type: 'input_text', text: part['text'] };
  });
};

const plain = (item: Item): Fields => {
  const { id: _, status: _status, ...rest }: Fields = { ...item };
  return rest;
};

describe('the translation of items', () => {
  it('to the messages of a chat and back loses nothing', () => {
    fc.assert(
      fc.property(items, (sent) => {
        expect(itemsOf(messagesOf(inputItemsOf(sent, 'k')))).toEqual(
          inputItemsOf(sent, 'k').map(plain),
        );
        expect(inputItemsOf(sent, 'k').map(plain)).toEqual(sent);
      }),
      { numRuns: 200 },
    );
  });

  it('puts calls into the message of the assistant before them, and no other', () => {
    const asked = { role: 'user', content: 'a' };
    const said = { role: 'assistant', content: 'b' };
    const called = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
    const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
    expect(messagesOf(inputItemsOf([asked, said, called], 'k'))).toEqual([
      asked,
      { ...said, tool_calls },
    ]);
    expect(messagesOf(inputItemsOf([asked, called], 'k'))).toEqual([
      asked,
      { role: 'assistant', content: null, tool_calls },
    ]);
  });
});

const usage: Usage = { promptTokens: 3, completionTokens: 5, source: 'provider' };

const writing = (): ResponseWriting => ({
  id: 'resp_1',
  createdAt: 1,
  body: { model: 'm', input: 'a' },
  routingMode: 'auto',
  key: 'k',
  now: () => 2,
  keep: () => Promise.resolve(true),
  rounds: null,
});

interface SentEvent extends Fields {
  readonly type: string;
}

const eventsIn = (sent: string): readonly SentEvent[] =>
  sent
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)) as SentEvent);

/** An answer of text, then calls; and the same answer in pieces. */
const answer = fc.record({
  content: fc.array(text, { maxLength: 4 }),
  calls: fc.array(fc.record({ id: text, name: text, pieces: fc.array(text, { maxLength: 3 }) }), {
    maxLength: 3,
  }),
  finish: fc.constantFrom('stop', 'length', 'content_filter', 'tool_calls'),
  pageSize: fc.integer({ min: 1, max: 5 }),
});

describe('a streamed response', () => {
  it('puts together what the whole one has, by its deltas and at its end', async () => {
    await fc.assert(
      fc.asyncProperty(answer, async ({ content, calls, finish, pageSize }) => {
        const tool_calls = calls.map(({ id, name, pieces }, index) => ({
          index,
          id,
          type: 'function',
          function: { name, arguments: pieces.join('') },
        }));
        const message = { role: 'assistant', content: content.join(''), tool_calls };
        const choices = [{ index: 0, message, finish_reason: finish }];
        const deltas: Fields[] = [
          ...content.map((piece) => ({ content: piece })),
          ...calls.flatMap(({ id, name, pieces }, index) => [
            { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
            ...pieces.map((json) => ({ tool_calls: [{ index, function: { arguments: json } }] })),
          ]),
        ];
        const lines = [
          ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
          { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
        ].map((chunk) => JSON.stringify(chunk));
        const reply = { text: JSON.stringify({ choices }), usage };
        const format = responseFormat(writing());
        const whole = JSON.parse(await format.whole(reply)) as ResponseObject;
        const stream = format.stream();
        let sent = stream.begin();
        for (let at = 0; at < lines.length; at += pageSize) {
          sent += stream.page(lines.slice(at, at + pageSize));
        }
        sent += await stream.end(usage);
        const events = eventsIn(sent);
        expect(events.map(({ sequence_number: n }) => n)).toEqual(events.map((_, n) => n));
        expect(events.at(-1)?.['response']).toEqual(whole);
        const added = (type: string): string =>
          events.flatMap((event) => (event.type === type ? [event['delta']] : [])).join('');
        expect(added('response.output_text.delta')).toBe(content.join(''));
        expect(added('response.function_call_arguments.delta')).toBe(
          calls.flatMap(({ pieces }) => pieces).join(''),
        );
        const doneItems = events.filter(({ type }) => type === 'response.output_item.done');
        expect(doneItems.map(({ item }) => item)).toEqual(whole.output);
      }),
      { numRuns: 100 },
    );
  });

  it('reads any answer of a rig without an error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (choices) => {
        const json = JSON.stringify({ choices });
        expect(() => readAnswer(json)).not.toThrow();
        const format = responseFormat(writing());
        const reply = { text: json, usage };
        await format.whole(reply);
        const stream = format.stream();
        stream.page([json]);
        await stream.end(usage);
      }),
    );
  });

  it('says that it is not stored where it could not be', async () => {
    const format = responseFormat({ ...writing(), keep: () => Promise.resolve(false) });
    const [last] = eventsIn(await format.stream().end(usage)).slice(-1);
    expect(last).toMatchObject({ type: 'response.completed', response: { store: false } });
  });
});
