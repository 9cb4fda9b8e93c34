import { describe, expect, it } from '@jest/globals';
import { UnknownOutcomeError } from '#platform/event-store/event-store.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '#platform/runtime/command-context.js';
import { RequestCutError } from '#platform/runtime/request-cut.js';
import { isSettledRun, SettleSpikesCommand, SettleSpikesHandler } from './settle-spikes.handler.js';
import { SpikingRunError } from './spiking.errors.js';
import { NOW, RecordingLedger, REQUEST_ID } from './spiking-world.fixture.js';

describe('the settlement of a run that was left', () => {
  it('reads its charge from the account, under ids of its own', async () => {
    const ledger = new RecordingLedger();
    const handler = new SettleSpikesHandler(ledger, { now: () => Date.parse(NOW) });
    const left = { accountId: '7', requestId: 'the first', startedAtMs: Date.parse(NOW) - 1_000 };
    const command = new SettleSpikesCommand(left, contextOf(REQUEST_ID, 'user:7'));
    expect(await handler.execute(command)).toBe('charged');
    expect(ledger.settled).toEqual([
      {
        accountId: '7',
        holdId: 'the first',
        notBefore: '2026-11-22T14:59:59.000Z',
        reason: 'internal_error',
        releasedAt: NOW,
        correlationId: REQUEST_ID,
        isOwnRequest: true,
      },
    ]);
  });

  it.each([
    ['the run failed', new SpikingRunError('failed', 'no'), true],
    ['it was cut', new RequestCutError('timed_out'), true],
    ['it was rejected', new DomainError('insufficient_balance'), true],
    ['the hold is gone', new DomainError('hold_not_open'), false],
    ['the log was lost', new UnknownOutcomeError('no answer'), false],
  ])('is needed unless the charge is known: %s', (_, error, isKnown) => {
    expect(isSettledRun(error)).toBe(isKnown);
  });
});
