import { beforeEach, describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { FakeLedger } from '../ledger.fake.js';
import { type PaidOrder } from './paid-order.js';
import { PaidRequests } from './paid-request.js';

const NOW = Date.parse('2026-11-24T10:00:00.000Z');
const SETTLE_MS = 5_000;
const LABELS = { key: 'key-1', tags: ['project=alpha'], endUser: 'hash' };
const REQUEST_ID = '01996f4e-0000-7000-8000-000000000001';

/** The services of an area on the ledger of the contract. */
export interface PaidArea {
  readonly requestMsMax: number;
  /**
   * @param work called when the work of a request begins; the work fails with its error
   * @returns runs one request to its answer
   */
  readonly open: (
    paid: PaidRequests,
    clock: { readonly now: () => number },
    work: () => void,
  ) => Promise<(order: PaidOrder, signal: AbortSignal) => Promise<unknown>>;
}

/** The rules for every area that charges for a request whose caller waits. */
export const paidWorkContract = (name: string, { requestMsMax, open }: PaidArea): void => {
  describe(`paid work contract: ${name}`, () => {
    let ledger: FakeLedger;
    let events: string[];
    let failure: Error | null;
    let run: (order?: Partial<PaidOrder>) => Promise<unknown>;

    beforeEach(async () => {
      ledger = new FakeLedger();
      events = [];
      failure = null;
      const clock = { now: () => NOW };
      const paid = new PaidRequests(ledger, { settleMsMax: SETTLE_MS }, clock);
      const ask = await open(paid, clock, () => {
        events.push(...ledger.calls, 'work');
        if (failure) throw failure;
      });
      const order: PaidOrder = {
        accountId: '7',
        receivedAtMs: NOW,
        context: contextOf(REQUEST_ID, 'user:7', LABELS),
      };
      run = (changes = {}) => ask({ ...order, ...changes }, new AbortController().signal);
    });

    it('holds under the id of the request before the work, and charges after it', async () => {
      await run();
      expect(events).toEqual(['place', 'work']);
      expect(ledger.calls).toEqual(['place', 'capture completed']);
      const place = { accountId: '7', holdId: REQUEST_ID };
      const expiresAt = new Date(NOW + requestMsMax + SETTLE_MS).toISOString();
      expect(ledger.placed).toMatchObject({ ...place, ...LABELS, expiresAt });
      expect(ledger.captured).toMatchObject({ ...place, purpose: ledger.placed.purpose });
    });

    it.each([
      ['late', { receivedAtMs: NOW - requestMsMax }],
      ['that a retry has taken over', { confirm: () => Promise.resolve(false) }],
    ])('releases the hold of a request %s, and does not work on it', async (_, order) => {
      await expect(run(order)).rejects.toEqual(new RequestCutError('timed_out'));
      expect(events).toEqual([]);
      expect(ledger.ends).toEqual(['release timed_out']);
    });

    it('works on a request that is almost late', async () => {
      await run({ receivedAtMs: NOW - requestMsMax + 1, confirm: () => Promise.resolve(true) });
      expect(ledger.ends).toEqual(['capture completed']);
    });

    it('releases the hold when the owner of the request is not known', async () => {
      const error = new Error('the answer store is away');
      await expect(run({ confirm: () => Promise.reject(error) })).rejects.toBe(error);
      expect(events).toEqual([]);
      expect(ledger.ends).toEqual(['release internal_error']);
    });

    it('does not work on a request that the account cannot pay', async () => {
      ledger.failures.place = new DomainError('insufficient_balance', 'too little');
      await expect(run()).rejects.toBe(ledger.failures.place);
      expect(events).toEqual([]);
      expect(ledger.ends).toEqual([]);
    });

    it('releases the hold of work that failed', async () => {
      failure = new Error('the work failed');
      await expect(run()).rejects.toThrow();
      expect(ledger.ends).toEqual([expect.stringMatching(/^release /)]);
    });

    it('releases the hold when the charge cannot be written', async () => {
      ledger.failures.capture = new Error('the log is away');
      await expect(run()).rejects.toThrow();
      expect(ledger.ends).toEqual(['capture completed', 'release internal_error']);
    });
  });
};
