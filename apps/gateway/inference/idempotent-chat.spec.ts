import { describe, expect, it } from '@jest/globals';
import { type CommandBus } from '@nestjs/cqrs';
import { fastify } from 'fastify';
import {
  type Admission,
  ANSWER_BYTES_MAX,
  type AnswerStore,
  type LeftAttempt,
  type SettleAttempt,
  type StoredAnswer,
} from '#platform/idempotency/answer-store.port.js';
import {
  insufficient,
  NOW,
  openInference,
  question,
  REQUEST_ID,
} from '#areas/inference/inference-world.specification.js';
import { RequestCutError } from '#areas/inference/request-cut.js';
import { RouteError } from '#areas/inference/rigs/route-error.js';
import { type SettleChatCommand, SettleChatHandler } from '#areas/inference/settle-chat.handler.js';
import { UnknownOutcomeError } from '#platform/event-store/event-store.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { HttpFailure } from '../errors/http-failure.js';
import { type Caller } from '../identity/caller.decorator.js';
import { type AnswerEnd, type AnswerTap, type ChatExchange } from './chat-exchange.js';
import { parseChatBody } from './chat.body.js';
import { IdempotentChat } from './idempotent-chat.js';

const caller = { accountId: '7', userId: 7 } as unknown as Caller;

/** The edge with a store that admits as told and an exchange that answers as told. */
const openEdge = (
  outcome: Admission['outcome'],
  answering: (tap: AnswerTap) => Promise<AnswerEnd> = () => Promise.resolve('whole'),
) => {
  const ends: (StoredAnswer | 'too-large' | 'abandoned' | 'left')[] = [];
  const asked: object[] = [];
  const inference = openInference();
  const settle = new SettleChatHandler(inference.ledger, { now: () => Date.parse(NOW) });
  const commands = {
    execute: (command: SettleChatCommand) => settle.execute(command),
  } as unknown as CommandBus;
  let settling: SettleAttempt | undefined;
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
    leave: () => Promise.resolve(ends.push('left')),
  } as unknown as Admission;
  const answers = {
    admit: (request: object, settleLeft: SettleAttempt) => {
      asked.push(request);
      settling = settleLeft;
      return Promise.resolve(admission);
    },
  } as unknown as AnswerStore;
  const exchange = {
    answer: async (_chat: unknown, reply: { send: (text: string) => unknown }, tap: AnswerTap) => {
      const end = await answering(tap);
      reply.send('answered');
      return end;
    },
  } as unknown as ChatExchange;
  const chat = {
    body: parseChatBody(question),
    caller,
    requestId: REQUEST_ID,
    startedAt: performance.now(),
    receivedAtMs: Date.now(),
  };
  const app = fastify();
  let failed: unknown;
  const idempotent = new IdempotentChat(answers, exchange, commands);
  app.get('/', async (_, reply) => {
    await idempotent.answer('key', chat, reply).catch((error: unknown) => {
      failed = error;
      void reply.send('failed');
    });
    return reply;
  });
  const ask = async () => ({ answer: await app.inject('/'), failed });
  const keyed = (key: string) => idempotent.answer(key, chat, undefined as never);
  const { ledger } = inference;
  return { ends, asked, ask, keyed, ledger, settle: (left: LeftAttempt) => settling?.(left) };
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
        attempt: REQUEST_ID,
      },
    ]);
  });

  it('asks the account what became of an attempt that was left', async () => {
    const { ask, settle, ledger } = openEdge('started');
    await ask();
    ledger.found = 'charged';
    const startedAtMs = Date.parse(NOW) - 60_000;
    expect(await settle({ attempt: 'the first', startedAtMs })).toBe('charged');
    expect(ledger.calls).toEqual([
      {
        call: 'settle',
        left: {
          accountId: '7',
          holdId: 'the first',
          notBefore: new Date(startedAtMs).toISOString(),
          reason: 'internal_error',
          releasedAt: NOW,
        },
        // Not the id of the request, which has a hold of its own.
        context: expect.objectContaining({
          requestId: expect.not.stringContaining(REQUEST_ID),
          correlationId: REQUEST_ID,
          causationId: REQUEST_ID,
          actor: 'user:7',
        }),
      },
    ]);
  });

  it('keeps a whole answer', async () => {
    const { ask, ends } = openEdge('started', (tap) => {
      tap.head({ 'x-quipu-rig': 'a' });
      tap.text('one ');
      tap.text('two');
      return Promise.resolve('whole');
    });
    await ask();
    expect(ends).toEqual([
      { status: 200, headers: { 'x-quipu-rig': 'a' }, body: Buffer.from('one two') },
    ]);
  });

  it('leaves the key free when the answer was cut short', async () => {
    const { ask, ends } = openEdge('started', () => Promise.resolve('cut'));
    await ask();
    expect(ends).toEqual(['abandoned']);
  });

  it.each([
    ['no rig', new RouteError('down', 'no rig', [])],
    ['cut', new RequestCutError('timed_out')],
    ['refused', insufficient],
    [
      'not offered',
      new HttpFailure({ status: 501, code: 'routing_mode_unavailable', message: '' }),
    ],
  ])('leaves the key free when there was no answer, and says why: %s', async (_, error) => {
    const { ask, ends } = openEdge('started', () => Promise.reject(error));
    expect((await ask()).failed).toBe(error);
    expect(ends).toEqual(['abandoned']);
  });

  it.each([
    ['the log was lost', new UnknownOutcomeError('no answer')],
    ['the hold is gone', new DomainError('hold_not_open')],
  ])('leaves the attempt to be settled when it may have been charged: %s', async (_, error) => {
    const { ask, ends } = openEdge('started', () => Promise.reject(error));
    expect((await ask()).failed).toBe(error);
    expect(ends).toEqual(['left']);
  });

  it('leaves a stream to be settled that may have been charged', async () => {
    const { ask, ends } = openEdge('started', () => Promise.resolve('in-doubt'));
    await ask();
    expect(ends).toEqual(['left']);
  });

  it('keeps only that there was an answer when it is too large', async () => {
    const { ask, ends } = openEdge('started', (tap) => {
      tap.text('x'.repeat(ANSWER_BYTES_MAX));
      tap.text('x');
      return Promise.resolve('whole');
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
    ['charged', 'idempotency_answer_lost'],
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
