import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ChangeAccountCommand } from '../change-account.handler.js';
import { type StatementTaxTerms } from './close-statement.js';
import { ACCOUNT, adjust, capture, deposit, open, place } from '../account.fixture.js';
import { openBilling } from '../billing-world.fixture.js';
import { StatementClosing } from './statement-closing.js';

const VAT: StatementTaxTerms = {
  country: 'DE',
  region: null,
  treatment: 'taxable',
  kind: 'vat',
  ratePpm: 190_000,
  source: 'a table',
};
const PARTIES = {
  seller: { name: 'Acme GmbH', address: null, taxId: 'DE123456789' },
  sealedCustomer: null,
};
const HOUR_MS = 3_600_000;

describe('closing the statements of past months', () => {
  let now: number;
  let billing: Awaited<ReturnType<typeof openBilling>>;
  let closing: StatementClosing;
  let asked: string[];
  let settings: { closeAfterMs: number; pollMs: number; seller: null };

  const sender = {
    execute: async (command: object) => {
      if (!(command instanceof ChangeAccountCommand)) throw new Error('not a change of an account');
      return billing.run(command.change);
    },
  };

  const look = () => closing.closeDue(sender, new AbortController().signal);

  beforeEach(async () => {
    now = Date.parse('2026-11-30T00:00:00.000Z');
    billing = await openBilling({ now: () => now });
    asked = [];
    const taxes = {
      termsOf: (accountId: string, at: string) => {
        asked.push(`${accountId} ${at}`);
        return Promise.resolve(VAT);
      },
    };
    settings = { closeAfterMs: 24 * HOUR_MS, pollMs: 5, seller: null };
    const clock = { now: () => now };
    const parties = { sealedOf: () => Promise.resolve(PARTIES) };
    const logger = pino({ level: 'silent' });
    closing = new StatementClosing(billing.projections, clock, logger, settings, taxes, parties);
    await billing.run(open);
    await billing.run(deposit(1_000));
    await billing.run(place([1_000, 1_000]));
    await billing.run(capture([900, 100]));
  });

  afterEach(() => billing.close());

  const statusOf = async (month: string) => (await billing.statement(ACCOUNT, month)).status;

  it('waits until the time after the end of the month is over', async () => {
    now = Date.parse('2026-12-01T23:59:59.999Z');
    await look();
    expect(await statusOf('2026-11')).toBe('closing');
    now += 1;
    await look();
    expect(await statusOf('2026-11')).toBe('closed');
    expect(asked).toEqual([`${ACCOUNT} 2026-11-30T23:59:59.999Z`]);
  });

  it('states the tax that is included', async () => {
    now = Date.parse('2026-12-02T00:00:00.000Z');
    await look();
    expect(await billing.statement(ACCOUNT, '2026-11')).toMatchObject({
      openingMicroUsd: '0',
      closingMicroUsd: '805',
      status: 'closed',
      tax: { country: 'DE', grossMicroUsd: '195', taxMicroUsd: '31' },
      parties: PARTIES,
      closedAt: '2026-12-02T00:00:00.000Z',
    });
  });

  it('closes a month once, and every later one after it', async () => {
    now = Date.parse('2026-12-05T00:00:00.000Z');
    await billing.run(adjust(95));
    now = Date.parse('2027-03-01T00:00:00.000Z');
    await look();
    const head = await billing.eventStore.head();
    await look();
    expect(await billing.eventStore.head()).toBe(head);
    expect(await billing.statement(ACCOUNT, '2026-11')).toMatchObject({ closingMicroUsd: '805' });
    expect(await billing.statement(ACCOUNT, '2026-12')).toMatchObject({
      openingMicroUsd: '805',
      closingMicroUsd: '900',
      status: 'closed',
      totals: { adjustedMicroUsd: '95', chargedMicroUsd: '0' },
    });
    expect(await billing.check()).toMatchObject({ balanced: true, adjusted: 95n });
  });

  it('never changes a closed statement: a late charge is on the next one', async () => {
    now = Date.parse('2026-12-02T00:00:00.000Z');
    await look();
    const before = await billing.statement(ACCOUNT, '2026-11');
    await billing.run(place([1_000, 0]));
    await billing.run(capture([1_000, 0]));
    const { position, ...after } = await billing.statement(ACCOUNT, '2026-11');
    expect({ ...after, position: before.position }).toEqual(before);
    expect(BigInt(position) > BigInt(before.position)).toBe(true);
    expect(await billing.statement(ACCOUNT, '2026-12')).toMatchObject({
      totals: { chargedMicroUsd: '150' },
      lines: [{ day: '2026-11-21', amountMicroUsd: '150' }, { amountMicroUsd: '0' }],
    });
  });

  it('reports a statement that it cannot close', async () => {
    now = Date.parse('2026-12-02T00:00:00.000Z');
    const away = { execute: () => Promise.reject(new Error('the log is away')) };
    expect(await closing.closeDue(away, new AbortController().signal)).toBe('the log is away');
    expect(await look()).toBeNull();
    expect(await statusOf('2026-11')).toBe('closed');
  });

  it('looks again and again while it leads, and stops', async () => {
    now = Date.parse('2026-12-01T00:00:00.000Z');
    await closing.start(sender);
    expect(closing.status()).toMatchObject({ phase: 'live', failure: null });
    now = Date.parse('2026-12-02T00:00:00.000Z');
    while ((await statusOf('2026-11')) !== 'closed') await sleep(5);
    await closing.stop();
    expect(closing.status()).toMatchObject({ phase: 'closed' });
  });

  it('does not wait for the next poll after a failure', async () => {
    now = Date.parse('2026-12-02T00:00:00.000Z');
    settings.pollMs = HOUR_MS;
    let failures = 0;
    const failsOnce = {
      execute: (command: object) => {
        if (failures > 0) return sender.execute(command);
        failures += 1;
        return Promise.reject(new Error('the log is away'));
      },
    };
    await closing.start(failsOnce);
    while ((await statusOf('2026-11')) !== 'closed') await sleep(5);
    await closing.stop();
    expect(failures).toBe(1);
  });
});
