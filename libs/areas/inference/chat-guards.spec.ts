import { describe, expect, it } from '@jest/globals';
import { type ChatGuard, type ChatGuards } from '#platform/chats/chat-guards.port.js';
import { orderOf } from '#platform/chats/chat-order.fixture.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ChatTool } from './chat.tool.js';
import { completionOf, delta, llama, openInference, usage } from './inference-world.fixture.js';
import { RigChatCalls } from './rig-chat-calls.js';

const BLOCKED = new DomainError('guard_blocked', 'the rule cards blocks this request');
const shown = completionOf('shown');
const never = new AbortController().signal;

/** Blocks prompts with this word, adds a word to others, and shows one answer. */
const guard: ChatGuard = {
  request: async (prompts) => {
    await guard.check(prompts);
    const content = `${String(prompts.body.messages[0]?.content)} guarded`;
    return { ...prompts, body: { ...prompts.body, messages: [{ role: 'user', content }] } };
  },
  check: ({ body }) =>
    JSON.stringify(body).includes('4242') ? Promise.reject(BLOCKED) : Promise.resolve(),
  texts: (body) => Promise.resolve(body),
  answer: () => Promise.resolve(shown),
  complete: async (order, signal, next) => ({
    ...(await next(await guard.request(order), signal)),
    text: JSON.stringify(shown),
  }),
  stream: async (order, signal, next) => next(await guard.request(order), signal),
};

const asking = (content: string) => ({ messages: [{ role: 'user', content }] });
const open = () => {
  const works: unknown[] = [];
  const guards: ChatGuards = {
    of: (work) => {
      works.push(work);
      return guard;
    },
  };
  const inference = openInference({ guards });
  inference.rigs.completion = () =>
    Promise.resolve({ completion: completionOf('as the rig said'), usage: usage(3, 2) });
  const { catalog, rigs, modes } = inference;
  const calls = new RigChatCalls(catalog, rigs, modes, guards);
  const tool = new ChatTool(catalog, rigs, modes, guards);
  return { ...inference, calls, tool, works };
};

const call = { accountId: '7', pricedAtMs: 0, signal: never } as never;
const line = (content: string) => ({
  body: { model: llama.id, max_tokens: 5, ...asking(content) },
  write: (completion: object) => ({ ...completion }),
});

describe('the guard of a chat', () => {
  it('is asked before the hold, and reads the answer', async () => {
    const { complete, rigs, works, ledger } = open();
    await expect(complete(orderOf(asking('4242')))).rejects.toBe(BLOCKED);
    expect(ledger.calls).toEqual([]);
    const { text } = await complete(orderOf(asking('hello')));
    expect(rigs.body).toMatchObject(asking('hello guarded'));
    expect(JSON.parse(text)).toEqual(shown);
    expect(works[0]).toEqual({
      accountId: '7',
      model: llama.id,
      requestId: orderOf().context.requestId,
    });
  });

  it('is asked before the hold of a stream', async () => {
    const { stream, rigs, ledger } = open();
    rigs.script = async function* () {
      yield await Promise.resolve([delta('Knots')]);
      return usage(3, 1);
    };
    await expect(stream(orderOf(asking('4242')))).rejects.toBe(BLOCKED);
    expect(ledger.calls).toEqual([]);
    const { pages } = await stream(orderOf(asking('hello')));
    await pages[Symbol.asyncDispose]();
    expect(rigs.body).toMatchObject(asking('hello guarded'));
  });

  it('reads the lines of batches and responses in the background', async () => {
    const { calls, rigs } = open();
    const order = { accountId: '7', priority: 'batch', pricedAtMs: 0 } as const;
    await expect(calls.guard(line('4242'), '7')).rejects.toBe(BLOCKED);
    await expect(calls.complete(line('4242'), order, never)).rejects.toBe(BLOCKED);
    expect(rigs.asked).toEqual([]);
    const { body } = await calls.complete(line('hello'), order, never);
    expect(rigs.body).toMatchObject(asking('hello guarded'));
    expect(body).toMatchObject({ choices: shown['choices'] });
    expect(calls.failureOf(BLOCKED)).toMatchObject({ status: 400, code: 'guard_blocked' });
    expect(calls.retryOf(BLOCKED)).toBe('never');
    expect(calls.retryOf(new DomainError('guard_failed', 'away'))).toBe('limited');
  });

  it('reads the calls of the tool', async () => {
    const { tool, rigs } = open();
    const input = (prompt: string) => ({ model: llama.id, prompt, max_tokens: 5 });
    await expect(tool.run(input('4242'), call)).rejects.toMatchObject({
      name: 'ToolError',
      code: 'guard_blocked',
    });
    const { output } = await tool.run(input('hello'), call);
    expect(output.text).toBe('shown');
    expect(rigs.body).toMatchObject(asking('hello guarded'));
  });
});
