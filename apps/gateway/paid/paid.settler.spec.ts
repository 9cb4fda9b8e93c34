import { describe, expect, it } from '@jest/globals';
import { RigError } from '#areas/inference/rigs/chat-backend.js';
import { RouteError } from '#areas/inference/rigs/route-error.js';
import { SandboxError } from '#areas/sandbox/sandbox.errors.js';
import { PipelineError } from '#areas/sharding/sharding.errors.js';
import { SpikingRunError } from '#areas/spiking/spiking.errors.js';
import { SwarmRunError } from '#areas/swarm/swarm.errors.js';
import { UnknownOutcomeError } from '#platform/event-store/event-store.errors.js';
import { AnswerStoreError } from '#platform/idempotency/answer-store.errors.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { areas } from '../../composition/areas.js';
import { Failures } from '../errors/failures.js';
import { type Caller } from '../identity/caller.decorator.js';
import { PaidSettler } from './paid.settler.js';

const NOW = '2026-11-21T05:00:00.000Z';
const REQUEST_ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const caller = { accountId: '7', userId: 7 } as unknown as Caller;

const openSettler = () => {
  const ledger = new FakeLedger();
  const clock = { now: () => Date.parse(NOW) };
  const requests = new PaidRequests(ledger, { settleMsMax: 60_000 }, clock);
  return { ledger, settler: new PaidSettler(requests, new Failures(new Areas(areas))) };
};

describe('the settler of paid requests', () => {
  it('reads the outcome of an abandoned attempt from the account', async () => {
    const { ledger, settler } = openSettler();
    ledger.found = 'charged';
    const startedAtMs = Date.parse(NOW) - 60_000;
    const request = { caller, context: contextOf(REQUEST_ID, 'user:7') };
    expect(await settler.settle({ attempt: 'the first', startedAtMs }, request)).toBe('charged');
    expect(ledger.settled).toEqual([
      {
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
    ['a broken stream', new RigError('broken-off', 'it ended early')],
    ['a pipeline that failed', new PipelineError('failed', 'a stage was lost')],
    ['a network that failed', new SpikingRunError('failed', 'it stopped')],
    ['a module that failed', new SandboxError('failed', 'it stopped')],
    ['models that failed', new SwarmRunError('failed', 'no member answered')],
    ['cut', new RequestCutError('timed_out')],
    ['rejected', new DomainError('insufficient_balance', 'too little')],
  ])('knows the charge of an attempt that ended with: %s', (_, error) => {
    expect(openSettler().settler.isSettled(error)).toBe(true);
  });

  it.each([
    ['the log was lost', new UnknownOutcomeError('no answer')],
    ['the hold is not open', new DomainError('hold_not_open')],
    ['the answer store was lost', new AnswerStoreError('store-unavailable', 'no answer')],
    ['a defect', new TypeError('a defect')],
  ])('does not know the charge of an attempt that ended with: %s', (_, error) => {
    expect(openSettler().settler.isSettled(error)).toBe(false);
  });
});
