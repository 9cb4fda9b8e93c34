import { describe, expect, it } from '@jest/globals';
import { bundleEvents } from '#events/dtn/dtn.events.js';
import { UserId } from '#events/vocabulary.js';
import { MemoryBlobs } from '#platform/blobs/memory-blobs.fake.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { PaidProcesses } from '#platform/ledger/paid-work/paid-process.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { FaultyEventStore } from '#platform/runtime/faulty-stores.fake.js';
import { type BundleRoutes } from './bundle-routes.js';
import { CustodyFunds } from './custody-funds.js';
import { dtnSettingsOf } from './dtn-settings.fixture.js';
import {
  type BundleOrder,
  HandOverBundleCommand,
  HandOverBundleHandler,
} from './hand-over.handler.js';
import { StoredBundles } from './stored-bundles.js';

const NOW = Date.UTC(2026, 10, 25, 19);
const price = { unitPriceMicroUsd: '1', perUnits: 1 };
const prices = new Map([
  ['custody_bundles', price],
  ['custody_byte_hours', price],
]);
const order: BundleOrder = {
  ...{ accountId: '7', userId: UserId.parse(7), payload: '68656c6c6f', priority: 'normal' },
  ...{ source: 'dtn://quipu/out', destination: 'dtn://moon/in', lifetimeSec: 86_400 },
};
const context = contextOf('01996f4e-0000-7000-8000-000000000001', 'user:7');

const open = () => {
  const ledger = new FakeLedger();
  const clock = { now: () => NOW };
  const blobs = new MemoryBlobs();
  const log = new FaultyEventStore();
  const bundles = new StoredBundles(blobs, log, new EventCodec(bundleEvents));
  const list = { inForce: () => ({ rateCardVersion: 3, prices }) };
  const funds = new CustodyFunds(new PaidProcesses(ledger, clock), ledger, list, clock);
  const found: { failure?: Error } = {};
  const routes = {
    find: () =>
      found.failure ? Promise.reject(found.failure) : Promise.resolve({ routes: [], plan: null }),
  } as unknown as BundleRoutes;
  const projections = { get: () => Promise.resolve({ document: null, position: 1n }) } as never;
  const settings = dtnSettingsOf();
  const handler = new HandOverBundleHandler(bundles, routes, funds, projections, settings, clock);
  const handOver = (more: Partial<BundleOrder> = {}) =>
    handler.execute(new HandOverBundleCommand({ ...order, ...more }, context));
  const events = async () => (await Array.fromAsync(log.readAll())).flat();
  return { ledger, blobs, found, handOver, events };
};

describe('a bundle that is handed over', () => {
  it('is held before it is stored, and the event names the hold', async () => {
    const { ledger, blobs, handOver } = open();
    const { hold, status } = await handOver();
    expect(ledger.calls).toEqual(['demandFunds', 'place']);
    expect(status).toBe('stored');
    expect(hold?.holdId).toBe(ledger.placed.holdId);
    expect(blobs.addresses).toHaveLength(1);
  });

  it('is held once, also when it is handed over again', async () => {
    const { ledger, handOver } = open();
    const first = await handOver();
    expect(await handOver()).toEqual(first);
    expect(ledger.orders).toHaveLength(1);
  });

  it.each(['demandFunds', 'place'] as const)(
    'is rejected before a byte is stored where %s finds no money',
    async (method) => {
      const { ledger, blobs, handOver, events } = open();
      ledger.failures[method] = new DomainError('insufficient_balance', 'too little');
      await expect(handOver()).rejects.toBe(ledger.failures[method]);
      expect(blobs.addresses).toEqual([]);
      expect(await events()).toEqual([]);
    },
  );

  it('frees its hold where no route can be searched', async () => {
    const { ledger, found, handOver, events } = open();
    found.failure = new DomainError('orbit_busy', 'too many');
    await expect(handOver()).rejects.toBe(found.failure);
    expect(ledger.calls).toEqual(['demandFunds', 'place', 'settle']);
    expect(await events()).toEqual([]);
  });

  it('is free where it is rejected', async () => {
    const { ledger, handOver } = open();
    expect(await handOver({ lifetimeSec: 0 })).toMatchObject({ status: 'rejected' });
    expect(ledger.orders).toEqual([]);
  });
});
