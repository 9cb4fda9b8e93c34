import { describe, expect, it } from '@jest/globals';
import { type Catalog } from '#areas/catalog/catalog.js';
import { ScriptedRigs } from '#areas/inference/inference-world.specification.js';
import { type EventStore, type EventStoreHealth } from '#platform/event-store/event-store.port.js';
import { type Runtime } from '#platform/runtime/runtime.js';
import { OpenRequests } from '../inference/open-requests.js';
import { LAG_MAX, Readiness } from './readiness.js';

const reader = { name: 'invoices', phase: 'live', position: 90n, failure: null, retryAt: null };
const projection = { ...reader, projection: 'invoices', version: 1, generation: 1, lag: '10' };

interface Parts {
  readonly health: EventStoreHealth;
  readonly projections: readonly (Omit<typeof projection, 'failure'> & Failing)[];
  readonly reactions: readonly (Omit<typeof reader, 'failure'> & Failing)[];
}

interface Failing {
  readonly failure: string | null;
}

/** A process whose parts say what they are told to. */
const openProcess = ({
  health = { writable: true, reason: null },
  projections = [projection],
  reactions = [{ ...reader, name: 'hold-expiry' }],
}: Partial<Parts> = {}) => {
  const requests = new OpenRequests({ requestMsMax: 1_000, settleMsMax: 1_000 });
  const runtime = {
    projections: { status: () => Promise.resolve(projections) },
    reactions: () => reactions,
  } as unknown as Runtime;
  const eventStore = {
    health: () => Promise.resolve(health),
    head: () => Promise.resolve(100n),
  } as unknown as EventStore;
  const catalog = { status: () => ({ models: 1, failure: null }) } as unknown as Catalog;
  const readiness = new Readiness(runtime, eventStore, catalog, new ScriptedRigs(), requests);
  return { readiness, requests };
};

describe('readiness', () => {
  it('says that all is well, and what it looked at', async () => {
    const { readiness, requests } = openProcess();
    const open = requests.open();
    const report = await readiness.report();
    open.close();
    expect(report).toEqual({
      status: 'ready',
      reasons: [],
      event_store: { writable: true, reason: null },
      head: '100',
      projections: [{ ...projection, position: '90' }],
      reactions: [{ ...reader, name: 'hold-expiry', position: '90' }],
      catalog: { models: 1, failure: null },
      rigs: [],
      open_requests: 1,
    });
    expect(() => JSON.stringify(report)).not.toThrow();
  });

  it('is held back for as long as the start says', async () => {
    const { readiness } = openProcess();
    const release = readiness.holdBack('starting');
    expect(await readiness.report()).toMatchObject({ status: 'not_ready', reasons: ['starting'] });
    release();
    expect(await readiness.report()).toMatchObject({ status: 'ready', reasons: [] });
  });

  it('names a store that cannot be written', async () => {
    const health = { writable: false, reason: 'no space left on device' };
    expect(await openProcess({ health }).readiness.report()).toMatchObject({
      status: 'not_ready',
      reasons: ['the event store cannot be written: no space left on device'],
    });
  });

  it.each<[string, Partial<Parts>]>([
    ['projection', { projections: [{ ...projection, phase: 'stopped', failure: 'bad event' }] }],
    ['saga', { reactions: [{ ...reader, phase: 'stopped', failure: 'bad event' }] }],
  ])('names a %s that has stopped', async (_, parts) => {
    expect(await openProcess(parts).readiness.report()).toMatchObject({
      status: 'not_ready',
      reasons: ['invoices has stopped: bad event'],
    });
  });

  it('names a projection that is too far behind, and none that is just not', async () => {
    const behind = { ...projection, lag: String(LAG_MAX + 1n) };
    expect(await openProcess({ projections: [behind] }).readiness.report()).toMatchObject({
      status: 'not_ready',
      reasons: ['invoices is 10001 positions behind'],
    });
    const close = { ...projection, lag: String(LAG_MAX) };
    expect(await openProcess({ projections: [close] }).readiness.report()).toMatchObject({
      status: 'ready',
    });
  });

  it('is over as soon as a drain begins', async () => {
    const { readiness, requests } = openProcess();
    await requests.drain(1);
    expect(await readiness.report()).toMatchObject({ status: 'not_ready', reasons: ['draining'] });
  });
});
