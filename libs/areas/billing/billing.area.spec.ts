import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HoldReleased } from '#events/billing/account.events.js';
import { rewriteEvents } from '#platform/event-store/sqlite/rewritten-events.fixture.js';
import { collectionOf } from '#platform/runtime/projections/generations.js';
import { spend as spendSums, spendPrefix } from '#projections/requests/spend.projection.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import {
  ACCOUNT,
  capture,
  deposit,
  ENDED_AT,
  HOLD,
  MONTH,
  open,
  opened,
  OTHER_HOLD,
  place,
  rental,
} from './account.fixture.js';
import { accountStream } from './accounts.js';
import { type Billing, openBilling } from './billing-world.fixture.js';
import { expireHold, ExpireHoldHandler } from './expire-hold.handler.js';

/** Six hours after the charge of these specs. */
const NOW_MS = Date.parse(ENDED_AT) + 6 * 3_600_000;

describe('billing on its stores', () => {
  let billing: Billing;
  let nowMs = NOW_MS;
  const clock = { now: () => nowMs };

  beforeEach(async () => {
    nowMs = NOW_MS;
    billing = await openBilling(clock);
    await billing.run(open);
    await billing.run(deposit(10_000));
  });

  afterEach(() => billing.close());

  const spend = async (): Promise<void> => {
    await billing.run(place([1_000, 1_000]));
    await billing.run(capture([1_000, 500]));
  };

  it('says what a command led to', async () => {
    const receipt = await billing.run(place([1_000, 1_000]));
    expect(receipt).toMatchObject({ availableMicroUsd: 9_250n, events: [{ type: 'HoldPlaced' }] });
    expect(receipt.eventId).toMatch(/^[0-9a-f-]{36}$/);
    expect(await billing.run(open)).toMatchObject({ eventId: null, events: [] });
  });

  it('answers with the balance that the caller has just changed', async () => {
    await spend();
    const { position } = await billing.run(place([1_000, 0], { holdId: OTHER_HOLD }));
    expect(await billing.overview(ACCOUNT)).toEqual({
      balance: 9_550n,
      available: 9_400n,
      held: 150n,
      openHolds: 1,
      deposited: 10_000n,
      adjusted: 0n,
      chargedInference: 450n,
      chargedCompute: 0n,
      chargedInWindow: 450n,
      windowHours: 24,
      position,
    });
  });

  it('counts inference and compute apart, and both as spent', async () => {
    await spend();
    const line = { meter: 'loom_seconds', quantity: 60, unitPriceMicroUsd: '5', perUnits: 1 };
    const { data } = place([0, 0], { holdId: OTHER_HOLD });
    const { purpose, group } = rental;
    await billing.run({ type: 'PlaceHold', data: { ...data, purpose, group, lines: [line] } });
    const charge = capture([0, 0], OTHER_HOLD).data;
    await billing.run({ type: 'CaptureHold', data: { ...charge, purpose, lines: [line] } });
    expect(await billing.overview(ACCOUNT)).toMatchObject({
      balance: 9_250n,
      adjusted: 0n,
      chargedInference: 450n,
      chargedCompute: 300n,
      chargedInWindow: 750n,
    });
    expect(await billing.check()).toMatchObject({ balanced: true, charged: 750n });
  });

  it('reports open holds, and reads no more events than asked for', async () => {
    await spend();
    await billing.run(place([1_000, 0], { holdId: OTHER_HOLD }));
    const { openHolds, events } = await billing.check();
    expect(openHolds).toEqual([
      expect.objectContaining({ accountId: ACCOUNT, holdId: OTHER_HOLD }),
    ]);
    await expect(billing.check(undefined, events)).resolves.toMatchObject({ balanced: true });
    await expect(billing.check(undefined, events - 1)).rejects.toMatchObject({
      code: 'ledger_too_large',
    });
  });

  it('counts a charge as burnt for 24 hours', async () => {
    await spend();
    nowMs = Date.parse(ENDED_AT) + 24 * 3_600_000;
    expect((await billing.overview(ACCOUNT)).chargedInWindow).toBe(450n);
    nowMs += 60_000;
    expect((await billing.overview(ACCOUNT)).chargedInWindow).toBe(0n);
  });

  it('knows an account that has no events as empty', async () => {
    expect(await billing.overview('8')).toMatchObject({ balance: 0n, available: 0n, openHolds: 0 });
    expect(await billing.invoices('8', 1, 20)).toMatchObject({ records: [], total: 0 });
  });

  it('keeps accounts apart whose ids begin alike', async () => {
    await billing.run({ type: 'OpenAccount', data: { ...opened.data, accountId: '77' } });
    await spend();
    expect(await billing.overview('77')).toMatchObject({ deposited: 0n, chargedInWindow: 0n });
    expect(await billing.invoices('77', 1, 20)).toMatchObject({ total: 0 });
  });

  it('lists deposits and statements, newest first, by the page', async () => {
    await spend();
    await billing.run(deposit(5, 'second'));
    const { records, total } = await billing.invoices(ACCOUNT, 1, 2);
    expect(total).toBe(3);
    expect(records).toMatchObject([
      { kind: 'deposit', number: 2 },
      { kind: 'deposit', number: 1 },
    ]);
    expect((await billing.invoices(ACCOUNT, 2, 2)).records).toMatchObject([
      { kind: 'usage', month: '2026-11', amount: '450', charges: 1 },
    ]);
    expect((await billing.invoices(ACCOUNT, 3, 2)).records).toEqual([]);
  });

  it('expires a hold with the time of the clock', async () => {
    await billing.run(place([1_000, 1_000]));
    const handler = new ExpireHoldHandler(billing.accounts, clock);
    const expiry = expireHold({ accountId: ACCOUNT, holdId: HOLD }, contextOf(HOLD, 'saga'));
    const expiredAt = new Date(NOW_MS).toISOString();
    expect((await handler.execute(expiry)).events).toMatchObject([{ data: { expiredAt } }]);
  });

  it('proves conservation', async () => {
    await spend();
    await billing.run(place([1_000, 0], { holdId: OTHER_HOLD }));
    const seen: bigint[] = [];
    const report = await billing.check((position) => seen.push(position));
    expect(report).toEqual({
      balanced: true,
      accounts: 1,
      events: 5,
      position: await billing.eventStore.head(),
      deposited: 10_000n,
      charged: 450n,
      held: 150n,
      adjusted: 0n,
      available: 9_400n,
      inTransit: 0n,
      openHolds: [expect.objectContaining({ holdId: OTHER_HOLD, amount: 150n })],
      faults: [],
      damaged: [],
      chain: { events: 5, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      readModelFailure: null,
    });
    expect(seen.at(-1)).toBe(report.position);
  });

  it('finds a spend that is not the sum of its statement', async () => {
    await spend();
    expect((await billing.check()).balanced).toBe(true);
    const range = { prefix: spendPrefix('plain'), limit: 1 };
    const [found] = (await billing.projections.list(spendSums, range)).documents;
    if (!found) throw new Error('nothing was spent');
    const { key, document, position } = found;
    const cells = document.cells.map((cell) => ({ ...cell, amount: '1' }));
    const collection = collectionOf(spendSums.name, { version: spendSums.version, generation: 1 });
    const write = { collection, key, document: { cells }, position: position + 1n };
    await billing.readStore.commit({ writes: [write] });
    const { balanced, faults } = await billing.check();
    expect(balanced).toBe(false);
    expect(faults.map(({ law }) => law)).toEqual([
      `the spend of ${MONTH} (plain) is the sum of its statement`,
    ]);
  });

  it('finds an entry that was written past the decider', async () => {
    const forged = HoldReleased.of({
      accountId: ACCOUNT,
      holdId: OTHER_HOLD,
      reason: 'refused',
      releasedAt: ENDED_AT,
      purpose: 'translation',
      placedAt: ENDED_AT,
      amountMicroUsd: '1',
      availableMicroUsd: '10001',
    });
    const stream = accountStream(ACCOUNT);
    const context = contextOf(randomUUID(), 'forger');
    const stored = billing.codec.store(forged, stream, 'Forge', context, 0);
    await billing.eventStore.append(stream, [stored], 'any');
    const { balanced, faults } = await billing.check();
    expect(balanced).toBe(false);
    expect(faults.map(({ law }) => law)).toEqual([
      'a hold ends once',
      'deposits - charges - holds + adjustments = available',
      'the read model equals the fold of the log',
    ]);
  });

  it('names an event that was changed, whatever the laws say of it', async () => {
    await spend();
    rewriteEvents(billing.file, 'position = 3', ({ metadata }) => ({
      metadata: metadata.replace('spec', 'Spec'),
    }));
    expect(await billing.check()).toMatchObject({
      balanced: false,
      faults: [],
      damaged: [
        {
          position: 3n,
          stream: accountStream(ACCOUNT),
          reason: 'it differs from the appended event',
        },
      ],
    });
  });

  it('lists every unreadable event, and audits the accounts without one', async () => {
    await spend();
    await billing.run({ type: 'OpenAccount', data: { ...opened.data, accountId: '8' } });
    rewriteEvents(billing.file, 'position = 2', () => ({ data: '{' }));
    rewriteEvents(billing.file, 'position = 3', ({ data }) => ({
      data: data.replace('holdId', 'holdIe'),
    }));
    const { balanced, faults, damaged, events, readModelFailure } = await billing.check();
    expect({ balanced, faults, events, readModelFailure }).toEqual({
      balanced: false,
      faults: [],
      events: 3,
      readModelFailure: null,
    });
    expect(damaged.map(({ position, stream }) => ({ position, stream }))).toEqual([
      { position: 2n, stream: accountStream(ACCOUNT) },
      { position: 3n, stream: accountStream(ACCOUNT) },
    ]);
  });
});
