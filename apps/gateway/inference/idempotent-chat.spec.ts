import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import {
  type Admission,
  ANSWER_BYTES_MAX,
  type AnswerStore,
  type StoredAnswer,
} from '#areas/inference/idempotency/answer-store.port.js';
import { question, REQUEST_ID } from '#areas/inference/inference-world.specification.js';
import { type Caller } from '../identity/caller.decorator.js';
import { type AnswerTap, type ChatExchange } from './chat-exchange.js';
import { parseChatBody } from './chat.body.js';
import { IdempotentChat } from './idempotent-chat.js';

const caller = { accountId: '7', userId: 7 } as unknown as Caller;

/** The edge with a store that admits as told and an exchange that answers as told. */
const openEdge = (
  outcome: Admission['outcome'],
  answering: (tap: AnswerTap) => Promise<boolean> = () => Promise.resolve(true),
) => {
  const ends: (StoredAnswer | 'too-large' | 'abandoned')[] = [];
  const asked: object[] = [];
  const stored: StoredAnswer = {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-quipu-event-id': 'first' },
    body: Buffer.from('data: [DONE]\n\n'),
  };
  const admission = {
    outcome,
    answer: stored,
    finish: (answer: StoredAnswer | 'too-large') => Promise.resolve(ends.push(answer)),
    abandon: () => Promise.resolve(ends.push('abandoned')),
  } as unknown as Admission;
  const answers = {
    admit: (request: object) => {
      asked.push(request);
      return Promise.resolve(admission);
    },
  } as unknown as AnswerStore;
  const exchange = {
    answer: async (_chat: unknown, reply: { send: (text: string) => unknown }, tap: AnswerTap) => {
      const whole = await answering(tap);
      reply.send('answered');
      return whole;
    },
  } as unknown as ChatExchange;
  const chat = {
    body: parseChatBody(question),
    caller,
    requestId: REQUEST_ID,
    startedAt: performance.now(),
  };
  const app = fastify();
  let failed: unknown;
  app.get('/', async (_, reply) => {
    await new IdempotentChat(answers, exchange)
      .answer('key', chat, reply)
      .catch((error: unknown) => {
        failed = error;
        void reply.send('failed');
      });
    return reply;
  });
  const ask = async () => ({ answer: await app.inject('/'), failed });
  const keyed = (key: string) =>
    new IdempotentChat(answers, exchange).answer(key, chat, undefined as never);
  return { ends, asked, ask, keyed };
};

describe('a chat with an Idempotency-Key', () => {
  it('asks the store for the caller’s account, the key and the whole body', async () => {
    const { ask, asked } = openEdge('started');
    await ask();
    expect(asked).toEqual([
      {
        scope: 'account:7',
        key: 'key',
        body: Buffer.from(JSON.stringify(parseChatBody(question))),
      },
    ]);
  });

  it('keeps a whole answer', async () => {
    const { ask, ends } = openEdge('started', (tap) => {
      tap.head({ 'x-quipu-rig': 'a' });
      tap.text('one ');
      tap.text('two');
      return Promise.resolve(true);
    });
    await ask();
    expect(ends).toEqual([
      { status: 200, headers: { 'x-quipu-rig': 'a' }, body: Buffer.from('one two') },
    ]);
  });

  it('leaves the key free when the answer was cut short', async () => {
    const { ask, ends } = openEdge('started', () => Promise.resolve(false));
    await ask();
    expect(ends).toEqual(['abandoned']);
  });

  it('leaves the key free when there was no answer, and says why', async () => {
    const { ask, ends } = openEdge('started', () => Promise.reject(new Error('no rig')));
    expect((await ask()).failed).toMatchObject({ message: 'no rig' });
    expect(ends).toEqual(['abandoned']);
  });

  it('keeps only that there was an answer when it is too large', async () => {
    const { ask, ends } = openEdge('started', (tap) => {
      tap.text('x'.repeat(ANSWER_BYTES_MAX));
      tap.text('x');
      return Promise.resolve(true);
    });
    await ask();
    expect(ends).toEqual(['too-large']);
  });

  it('gets the first answer again, marked', async () => {
    const { ask, ends } = openEdge('replay');
    const { answer } = await ask();
    expect(answer.payload).toBe('data: [DONE]\n\n');
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-quipu-event-id': 'first',
      'x-quipu-idempotent-replay': 'true',
    });
    expect(ends).toEqual([]);
  });

  it.each([
    ['conflict', 'idempotency_conflict'],
    ['running', 'idempotency_running'],
    ['too-large', 'idempotency_answer_too_large'],
  ] as const)('is refused: %s', async (outcome, code) => {
    const { ask } = openEdge(outcome);
    expect((await ask()).failed).toMatchObject({
      failure: { status: 409, code, param: 'Idempotency-Key' },
    });
  });

  it.each(['', 'ключ', 'x'.repeat(256)])('is refused when the key is none: %p', async (key) => {
    const { keyed, asked } = openEdge('started');
    await expect(keyed(key)).rejects.toMatchObject({
      failure: { status: 400, code: 'invalid_idempotency_key', param: 'Idempotency-Key' },
    });
    expect(asked).toEqual([]);
  });
});
