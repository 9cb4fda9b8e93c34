import { beforeEach, describe, expect, it } from '@jest/globals';
import { type GuardedTexts } from '#events/guards/guard.events.js';
import { orderOf } from '#platform/chats/chat-order.fixture.js';
import { type GuardWebhooks } from '../webhooks/guard-webhooks.js';
import {
  choicesIn,
  chunk,
  completionOf,
  finishesOf,
  guardWith,
  joined,
  letters,
  streamed,
} from './guarded-chat.fixture.js';
import { type GuardedChat } from './guarded-chat.js';

const MAIL = 'ada@knots.example';
const REDACT = 'id: mail, what: email, on: answer, do: redact';

let recorded: Omit<GuardedTexts, 'readAt'>[];
let asked: (readonly string[])[];
let verdictOf: GuardWebhooks['verdictOf'];

/** Finds `secret`, and writes stars in its place. */
beforeEach(() => {
  recorded = [];
  asked = [];
  verdictOf = (_rule, _work, texts, on) => {
    expect(on).toBe('answer');
    asked.push(texts);
    const matches = texts.join('\n').split('secret').length - 1;
    return Promise.resolve({ matches, texts: texts.map((one) => one.replaceAll('secret', '***')) });
  };
});

const away = () => Promise.reject(new Error('away'));

const hook = (more: string) =>
  `id: dlp, what: webhook, url: "https://guard.example/", on: answer, window: 64, ${more}`;
const guardOf = (...lines: readonly string[]): GuardedChat =>
  guardWith(lines, { recorded, verdictOf: (...given) => verdictOf(...given) });

describe('a whole answer that a webhook reads', () => {
  const answer = async (guard: GuardedChat, content: string) =>
    (await guard.answer(completionOf({ content })))['choices'];

  it('is redacted, after the rules that find their matches here', async () => {
    const choices = await answer(guardOf(hook('do: redact'), REDACT), `a secret of ${MAIL}`);
    expect(choices).toMatchObject([{ message: { content: 'a *** of [redacted:mail]' } }]);
    expect(asked).toEqual([['a secret of [redacted:mail]']]);
    expect(recorded).toMatchObject([{ on: 'answer', hits: [{ rule: 'mail' }, { rule: 'dlp' }] }]);
  });

  it.each([
    ['do: block', 'a secret', ''],
    ['do: block', 'Hello', 'Hello'],
    ['do: flag', 'a secret', 'a secret'],
  ])('with %s: %s is delivered as "%s"', async (rule, content, delivered) => {
    const finish = delivered === '' ? 'content_filter' : 'stop';
    expect(await answer(guardOf(hook(rule)), content)).toMatchObject([
      { message: { content: delivered }, finish_reason: finish },
    ]);
  });

  it('is blocked where the webhook is away, unless it fails open', async () => {
    verdictOf = away;
    expect(await answer(guardOf(hook('do: flag')), 'Hello')).toMatchObject([
      { message: { content: '' }, finish_reason: 'content_filter' },
    ]);
    expect(recorded).toMatchObject([{ hits: [{ rule: 'dlp', matches: 0, hasFailed: true }] }]);
    const open = guardOf(hook('do: block, fails: open'));
    expect(await answer(open, 'Hello')).toMatchObject([{ message: { content: 'Hello' } }]);
  });
});

describe('a streamed answer that a webhook reads', () => {
  it('is redacted across its parts, and asked about in pieces that overlap', async () => {
    const text = `${'a '.repeat(60)}a secret${' b'.repeat(60)} and a secret`;
    const lines = [...letters(text), chunk({}, 'stop')];
    const { chunks } = await streamed(guardOf(hook('do: redact')), lines);
    expect(joined(chunks, 'content')).toBe(text.replaceAll('secret', '***'));
    expect(finishesOf(chunks)).toEqual(['stop']);
    expect(choicesIn(chunks).at(-1)?.finish_reason).toBe('stop');
    expect(asked.length).toBeGreaterThan(3);
    expect(Math.max(...asked.flat().map(({ length }) => length))).toBe(128);
    expect(recorded).toMatchObject([{ on: 'answer', hits: [{ rule: 'dlp', matches: 2 }] }]);
  });

  it('ends with content_filter where it is blocked, and stops the rig', async () => {
    const lines = [...letters(`${'a '.repeat(200)}secret${' b'.repeat(400)}`), chunk({}, 'stop')];
    const order = orderOf({ stream: true });
    const { chunks, asked: read } = await streamed(guardOf(hook('do: block')), lines, order);
    expect(read).toBeLessThan(lines.length - 400);
    expect(joined(chunks, 'content')).toMatch(/^(a )+$/);
    expect(finishesOf(chunks)).toEqual(['content_filter']);
  });

  it('ends so where the webhook is away, also for a rule that only flags', async () => {
    verdictOf = away;
    const lines = [...letters('a'.repeat(500)), chunk({}, 'stop')];
    const { chunks } = await streamed(guardOf(hook('do: flag')), lines);
    expect(joined(chunks, 'content')).toBe('');
    expect(finishesOf(chunks)).toEqual(['content_filter']);
  });

  it('continues without the webhook where it fails open, which is asked once', async () => {
    let times = 0;
    verdictOf = () => ((times += 1), away());
    const lines = [...letters('a'.repeat(500)), chunk({}, 'stop')];
    const { chunks } = await streamed(guardOf(hook('do: redact, fails: open')), lines);
    expect(joined(chunks, 'content')).toBe('a'.repeat(500));
    expect(times).toBe(1);
    expect(recorded).toMatchObject([{ hits: [{ rule: 'dlp', hasFailed: true }] }]);
  });

  it('is not held back where it is only flagged and fails open', async () => {
    const lines = [...letters('a secret'), chunk({}, 'stop')];
    const { chunks } = await streamed(guardOf(hook('do: flag, fails: open')), lines);
    expect(chunks).toHaveLength(lines.length);
    expect(joined(chunks, 'content')).toBe('a secret');
    expect(recorded).toMatchObject([{ hits: [{ rule: 'dlp', matches: 1 }] }]);
  });

  it('has the arguments of its calls read', async () => {
    const call = { index: 0, id: 'x', type: 'function', function: { name: 'f', arguments: '' } };
    const part = (text: string) =>
      chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] });
    const lines = [chunk({ tool_calls: [call] }), part('{"a":"sec'), part('ret"}')];
    const guard = guardOf(hook('do: redact'));
    const { chunks } = await streamed(guard, [...lines, chunk({}, 'tool_calls')]);
    const sent = choicesIn(chunks).flatMap(({ delta }) => delta.tool_calls ?? []);
    expect(sent.map((one) => one.function.arguments).join('')).toBe('{"a":"***"}');
  });
});
