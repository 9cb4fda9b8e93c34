import { describe, expect, it } from '@jest/globals';
import { type CommandBus } from '@nestjs/cqrs';
import {
  insufficient,
  NOW,
  openInference,
  REQUEST_ID,
} from '#areas/inference/inference-world.fixture.js';
import { RequestCutError } from '#platform/runtime/request-cut.js';
import { RouteError } from '#areas/inference/rigs/route-error.js';
import { type SettleChatCommand, SettleChatHandler } from '#areas/inference/settle-chat.handler.js';
import { UnknownOutcomeError } from '#platform/event-store/event-store.errors.js';
import { AnswerStoreError } from '#platform/idempotency/answer-store.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '#platform/runtime/command-context.js';
import { type Caller } from '../identity/caller.decorator.js';
import { ChatSettler } from './chat.settler.js';

const caller = { accountId: '7', userId: 7 } as unknown as Caller;

const openSettler = () => {
  const { ledger } = openInference();
  const settle = new SettleChatHandler(ledger, { now: () => Date.parse(NOW) });
  const commands = {
    execute: (command: SettleChatCommand) => settle.execute(command),
  } as unknown as CommandBus;
  return { ledger, settler: new ChatSettler(commands) };
};

describe('the settler of chats', () => {
  it('reads the outcome of an abandoned attempt from the account', async () => {
    const { ledger, settler } = openSettler();
    ledger.found = 'charged';
    const startedAtMs = Date.parse(NOW) - 60_000;
    const request = { caller, context: contextOf(REQUEST_ID, 'user:7') };
    expect(await settler.settle({ attempt: 'the first', startedAtMs }, request)).toBe('charged');
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
        // The request has another id and another hold.
        context: expect.objectContaining({
          requestId: expect.not.stringContaining(REQUEST_ID),
          correlationId: REQUEST_ID,
          causationId: REQUEST_ID,
          actor: 'user:7',
        }),
      },
    ]);
  });

  it.each([
    ['no rig', new RouteError('down', 'no rig', [])],
    ['cut', new RequestCutError('timed_out')],
    ['refused', insufficient],
  ])('knows the charge of an attempt that ended with: %s', (_, error) => {
    expect(openSettler().settler.isSettled(error)).toBe(true);
  });

  it.each([
    ['the log was lost', new UnknownOutcomeError('no answer')],
    ['the hold is gone', new DomainError('hold_not_open')],
    ['the answer store was lost', new AnswerStoreError('store-unavailable', 'no answer')],
  ])('does not know the charge of an attempt that ended with: %s', (_, error) => {
    expect(openSettler().settler.isSettled(error)).toBe(false);
  });
});
