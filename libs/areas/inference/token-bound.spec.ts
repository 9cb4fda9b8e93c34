import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { question } from '#platform/chats/chat-order.fixture.js';
import { type ChatBody } from '#platform/chats/chat-order.js';
import { dataUrl, png } from '#platform/chats/media/images.fixture.js';
import { llama } from './inference-world.fixture.js';
import {
  LEVELS_MAX,
  outputTokensAsked,
  printedBytes,
  promptTokensBound,
  tokenBounds,
} from './token-bound.js';

/** A context that is never the smaller bound. */
const endless = { ...llama, contextTokens: Number.MAX_SAFE_INTEGER };

/**
 * ChatML, the longest of the common templates for a message: a byte-level vocabulary's worst case.
 */
const chatMlBytes = (messages: readonly { role: string; content?: unknown }[]): number =>
  Buffer.byteLength(
    messages
      .map(({ role, content }) => `<|im_start|>${role}\n${String(content)}<|im_end|>\n`)
      .join('') + '<|im_start|>assistant\n',
  );

/** Markers are single tokens, however many bytes they are written in. */
const MARKER_BYTES = '<|im_start|>'.length + '<|im_end|>'.length;

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.constantFrom('"""\\\\', '\u0000\u0001', '\ud800', '🧶🪢', ''),
);

describe('the bound on a prompt', () => {
  it('is one: no byte-level tokenizer makes more tokens of the templated messages', () => {
    const role = fc.constantFrom('system', 'user', 'assistant');
    const messages = fc.array(fc.record({ role, content: text }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(messages, (all) => {
        const tokens = chatMlBytes(all) - all.length * (MARKER_BYTES - 2);
        const bound = promptTokensBound({ ...question, messages: all }, endless);
        expect(bound).toBeGreaterThanOrEqual(tokens);
      }),
      { numRuns: 500 },
    );
  });

  it('is one for tools, however a template prints them', () => {
    const tools = fc.array(fc.jsonValue({ maxDepth: 6, depthSize: 'medium' }), { maxLength: 4 });
    fc.assert(
      fc.property(tools, (all) => {
        const printed = JSON.stringify(all, null, 4);
        const bound = promptTokensBound({ ...question, tools: all }, endless);
        const without = promptTokensBound(question, endless);
        expect(bound - without).toBeGreaterThanOrEqual(Buffer.byteLength(printed));
      }),
      { numRuns: 500 },
    );
  });

  it('counts tool calls twice: templates parse and print their arguments', () => {
    // Longer than all that the bound allows for a prompt and a message.
    const list = `[${'1,'.repeat(1_000)}1]`;
    const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: list } }];
    const messages = [{ role: 'assistant', content: null, tool_calls: calls }];
    const bound = promptTokensBound({ ...question, messages }, endless);
    expect(bound).toBeGreaterThan(2 * JSON.stringify(calls).length);
  });

  it.each(['documents', 'reasoning_effort', 'some_new_field'])(
    'counts %s, known to us or not',
    (field) => {
      const bound = promptTokensBound({ ...question, [field]: 'x'.repeat(1_000) }, endless);
      expect(bound - promptTokensBound(question, endless)).toBeGreaterThanOrEqual(1_000);
    },
  );

  it('counts a text as JSON prints it, whatever its characters', () => {
    fc.assert(
      fc.property(text, fc.string({ unit: 'binary-ascii' }), (one, other) => {
        for (const value of [one, other, one + other]) {
          expect(printedBytes(value, 0)).toBe(Buffer.byteLength(JSON.stringify(value)));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('counts an image by the rule of the rig, and not its bytes', () => {
    const rules = {
      ...endless,
      mediaRules: [{ provider: 'openai', upstreamId: 'gpt-4o' }],
    } as const;
    const withPart = (part: object) => ({
      ...question,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Fog?' }, part] }],
    });
    const image = Buffer.concat([png(1_024, 1_024), Buffer.alloc(300_000)]);
    const asked = withPart({ type: 'image_url', image_url: { url: dataUrl(image) } });
    const bound = promptTokensBound(asked, rules);
    const withoutImage = promptTokensBound(withPart({ type: 'text', text: '' }), rules);
    expect(bound - withoutImage).toBeGreaterThan(700);
    expect(bound - withoutImage).toBeLessThanOrEqual(765);
    // Without a rule, and for a part of another kind, the context is the bound.
    expect(promptTokensBound(asked, llama)).toBe(llama.contextTokens);
    const file = withPart({ type: 'file', file: { file_data: 'x' } });
    expect(promptTokensBound(file, rules)).toBe(rules.contextTokens);
    expect(promptTokensBound(asked, { ...rules, contextTokens: 400 })).toBe(400);
  });

  it.each(['routing_mode', 'stop', 'logit_bias'])('does not count %s', (field) => {
    const bound = promptTokensBound({ ...question, [field]: 'x'.repeat(1_000) }, endless);
    expect(bound).toBe(promptTokensBound(question, endless));
  });

  it.each<[string, Partial<ChatBody>]>([
    [
      'pictures',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
    ],
    ['an answer that was spoken', { messages: [{ role: 'assistant', audio: { id: 'a' } }] }],
    ['a template of the caller’s', { chat_template: '{% for i in range(9999) %}x{% endfor %}' }],
    ['arguments of a template', { chat_template_kwargs: { repeat: 9_999 } }],
    ['a text longer than it', { messages: [{ role: 'user', content: 'x'.repeat(9_000) }] }],
  ])('is the context for %s', (_, body) => {
    expect(promptTokensBound({ ...question, ...body }, llama)).toBe(llama.contextTokens);
  });

  it('takes parts of text for text', () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'What is a quipu?' }] }];
    expect(promptTokensBound({ ...question, messages }, llama)).toBeLessThan(300);
  });
});

describe('printed bytes', () => {
  it('are never fewer than any printer up to the indent writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(4), (value, indent) => {
        const bytes = Buffer.byteLength(JSON.stringify(value, null, indent));
        expect(printedBytes(value, 4)).toBeGreaterThanOrEqual(bytes);
      }),
      { numRuns: 500 },
    );
  });

  it('are at least the bytes of a printer that puts a space behind each comma', () => {
    expect(printedBytes([1, 1, { a: 1, b: 2 }], 0)).toBeGreaterThanOrEqual(
      '[1, 1, {"a": 1, "b": 2}]'.length,
    );
  });

  it('are at least the bytes of the text itself', () => {
    fc.assert(
      fc.property(text, (one) => {
        expect(printedBytes(one, 0)).toBeGreaterThanOrEqual(Buffer.byteLength(one));
      }),
    );
  });

  it('are infinite for a value that is nested too deep', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 'x' : [nested(levels - 1)]);
    expect(printedBytes(nested(LEVELS_MAX), 4)).toBeLessThan(Infinity);
    expect(printedBytes(nested(LEVELS_MAX + 1), 4)).toBe(Infinity);
  });
});

describe('the count of a prompt', () => {
  const unreadable = Object.defineProperty({ role: 'user' }, 'content', {
    enumerable: true,
    get: () => {
      throw new Error('read');
    },
  });
  const content = 'x'.repeat(llama.contextTokens);

  it.each<[string, Partial<ChatBody>]>([
    ['messages', { messages: [{ role: 'user', content }, unreadable] }],
    ['parts of a message', { messages: [{ role: 'user', content: [content, unreadable] }] }],
    ['fields', { tools: [content, { function: unreadable }] }],
    ['keys', { tools: [{ [content]: 1, x: unreadable }] }],
  ])('stops at the context within %s', (_, body) => {
    expect(promptTokensBound({ ...question, ...body }, llama)).toBe(llama.contextTokens);
  });

  it('looks at everything below it', () => {
    const messages = [{ role: 'user', content: 'x' }, unreadable];
    expect(() => promptTokensBound({ ...question, messages }, llama)).toThrow('read');
  });

  it('does not print a string that is longer than the rest of the limit', () => {
    expect(printedBytes('x'.repeat(11), 0, 10)).toBe(Infinity);
    expect(printedBytes('x'.repeat(8), 0, 10)).toBe(10);
  });

  it('is the same with and without a limit that is not reached', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(4), (value, indent) => {
        const bytes = printedBytes(value, indent);
        expect(printedBytes(value, indent, bytes)).toBe(bytes);
        expect(printedBytes(value, indent, bytes - 1)).toBeGreaterThanOrEqual(bytes);
      }),
    );
  });
});

describe('the bound on an answer', () => {
  it.each<[string, Partial<ChatBody>, number | null]>([
    ['the old field', { max_tokens: 7 }, 7],
    ['the new field', { max_tokens: undefined, max_completion_tokens: 8 }, 8],
    ['the smaller of both', { max_tokens: 100, max_completion_tokens: 8 }, 8],
    ['the smaller of both', { max_tokens: 8, max_completion_tokens: 100 }, 8],
    ['nothing', { max_tokens: null, max_completion_tokens: null }, null],
  ])('is the limit of the caller: %s', (_, body, asked) => {
    expect(outputTokensAsked({ ...question, ...body })).toBe(asked);
  });

  it('is the model’s most without a limit', () => {
    expect(tokenBounds({ ...question, max_tokens: null }, llama).outputTokens).toBe(4_096);
  });

  it('grows with the number of choices', () => {
    expect(tokenBounds({ ...question, n: 3 }, llama).outputTokens).toBe(300);
    expect(tokenBounds({ ...question, n: null }, llama).outputTokens).toBe(100);
    expect(tokenBounds({ ...question, n: 2, max_tokens: null }, llama).outputTokens).toBe(8_192);
  });

  it.each(['max_tokens', 'max_completion_tokens'])('rejects %s above the context', (field) => {
    const body = { ...question, max_tokens: null, [field]: 8_193 };
    expect(() => tokenBounds(body, llama)).toThrow(`context_length_exceeded: ${field} 8193`);
    expect(tokenBounds({ ...body, [field]: 8_192 }, llama).outputTokens).toBe(8_192);
  });
});
