import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { catalogEvents } from '#events/catalog/rate-card.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { openSqliteReadStore } from '#platform/read-store/sqlite/sqlite-read-store.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { ProjectionHost } from '#platform/runtime/projections/projection-host.js';
import { Projections } from '#platform/runtime/projections/projections.js';
import { rateCards } from '#projections/catalog/rate-cards.projection.js';
import { Catalog } from './catalog.js';
import { CatalogError } from './catalog.error.js';
import { PublishRateCardHandler } from './publish-rate-card.handler.js';
import { rateCardDecider } from './rate-card.decider.js';
import { RateCardHandler, RateCardQuery } from './rate-card.handler.js';
import { RATE_CARD_STREAM } from './rate-card-runner.js';
import { RateCards } from './rate-cards.js';

const T0 = Date.parse('2026-01-01T00:00:00.000Z');
const HOUR_MS = 3_600_000;
const logger = pino({ level: 'silent' });
const codec = new EventCodec(catalogEvents);

const yaml = (inputUsd: string, more = ''): string => `rigs:
  - { name: up, kind: openai, base_url: http://h/v1, hourly_usd: 1.99 }
models:
  - { id: acme/one, owned_by: acme, rigs: [up], context: 10,
      price: { input_usd_per_mtok: ${inputUsd}, output_usd_per_mtok: 2 } }
${more}`;
const TWO = `  - { id: two, owned_by: o, rigs: [up], context: 10,
      price: { input_usd_per_mtok: 0, output_usd_per_mtok: 0 } }
`;

const until = async (holds: () => boolean): Promise<void> => {
  for (let waits = 0; !holds(); waits += 1) {
    if (waits > 500) throw new Error('the condition never held');
    await sleep(10);
  }
};

describe('catalog', () => {
  let folder: string;
  let catalogFile: string;
  let localModelsFolder: string;
  /** Of the catalog that was opened last. */
  let cards: RateCards | undefined;
  let eventStore: EventStore;
  let readStore: ReadStore;
  let now: number;
  const clock = { now: () => now };
  let catalogs: Catalog[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quipu-catalog-'));
    await mkdir(join(folder, 'etc'));
    catalogFile = join(folder, 'etc', 'catalog.yaml');
    localModelsFolder = join(folder, 'home', 'models');
    eventStore = await openSqliteEventStore({ file: join(folder, 'events.db') });
    readStore = await openSqliteReadStore({ file: join(folder, 'views.db') });
    now = T0;
    catalogs = [];
  });

  afterEach(async () => {
    await Promise.all(catalogs.map((catalog) => catalog.stop()));
    await eventStore.close();
    await readStore.close();
    await rm(folder, { recursive: true });
  });

  /** A catalog as in another process: only the file and the log are shared. */
  const newCatalog = (file = catalogFile): Catalog => {
    const runner = new CommandRunner({
      decider: rateCardDecider,
      eventStore,
      codec: codec.for(catalogEvents),
    });
    const settings = { catalogFile: file, localModelsFolder };
    cards = new RateCards(eventStore, codec, clock, logger);
    const publisher = new PublishRateCardHandler(runner);
    const catalog = new Catalog(settings, publisher, cards, clock, logger);
    catalogs.push(catalog);
    return catalog;
  };

  const started = async (source: string): Promise<Catalog> => {
    await writeFile(catalogFile, source);
    const catalog = newCatalog();
    await catalog.start();
    return catalog;
  };

  const published = async (): Promise<number> => {
    let count = 0;
    for await (const page of eventStore.read(RATE_CARD_STREAM)) count += page.length;
    return count;
  };

  it('serves the models of the file at the published prices', async () => {
    const catalog = await started(yaml('0.1', TWO));
    expect(catalog.models().map(({ id }) => id)).toEqual(['acme/one', 'two']);
    expect(catalog.model('acme/one')).toMatchObject({ createdEpochSeconds: T0 / 1_000 });
    expect(catalog.model('none')).toBeUndefined();
    expect(catalog.rigs().map(({ name }) => name)).toEqual(['up']);
    expect(catalog.rateFor('acme/one', now)).toEqual({
      version: 1,
      inputMicroUsdPerMtok: '100000',
      outputMicroUsdPerMtok: '2000000',
      batchDiscountPercent: 50,
    });
    expect(catalog.rateFor('none', now)).toBeUndefined();
    expect(catalog.rateFor('acme/one', T0 - 1)).toBeUndefined();
    expect(catalog.status()).toMatchObject({ failure: null, loadedAt: '2026-01-01T00:00:00.000Z' });
  });

  it('prices meters by the card in force', async () => {
    await started(`${yaml('0.1')}meters: [{ meter: knots, usd: 0.02, per: 1000 }]\n`);
    expect(cards?.metersAt(now)).toEqual({
      rateCardVersion: 1,
      prices: new Map([['knots', { unitPriceMicroUsd: '20000', perUnits: 1_000 }]]),
    });
    expect(cards?.metersAt(T0 - 1)).toBeUndefined();
  });

  describe('beside a process with another file', () => {
    const idsOf = (catalog: Catalog) => catalog.models().map(({ id }) => id);
    const other = yaml('0.3').replaceAll('acme/one', 'acme/other');
    const both = `${yaml('0.4')}${other.slice(other.indexOf('  - { id:'))}`;

    it('serves the models of the newest card, says so, publishes again on request', async () => {
      const first = await started(yaml('0.1', TWO));
      let changes = 0;
      first.onChange(() => (changes += 1));
      const file = join(folder, 'etc', 'other.yaml');
      await writeFile(file, other);
      const second = newCatalog(file);
      await second.start();
      await until(() => first.models().length === 0);
      expect(changes).toBe(1);
      expect(first.model('acme/one')).toBeUndefined();
      expect(first.status().overruled).toBe(
        'rate card 2 of another process does not price acme/one, two, not served here',
      );
      expect(second.status().overruled).toBeNull();
      await first.reload();
      expect(idsOf(first)).toEqual(['acme/one', 'two']);
      expect(first.status().overruled).toBeNull();
      await until(() => second.models().length === 0);
      await first.reload();
      expect(await published()).toBe(3);
    });

    it('says where prices differ', async () => {
      const first = await started(yaml('0.1'));
      const file = join(folder, 'etc', 'both.yaml');
      await writeFile(file, both);
      await newCatalog(file).start();
      await until(() => first.status().overruled !== null);
      expect(idsOf(first)).toEqual(['acme/one']);
      expect(first.status().overruled).toBe(
        'rate card 2 of another process has other prices for acme/one',
      );
      expect(first.rateFor('acme/one', now)?.inputMicroUsdPerMtok).toBe('400000');
    });
  });

  it('publishes nothing at a restart with the same prices, and keeps `created`', async () => {
    const first = await started(yaml('0.1'));
    await first.stop();
    now += HOUR_MS;
    const second = await started(`# a comment\n${yaml('0.10')}`);
    expect(await published()).toBe(1);
    expect(second.model('acme/one')?.createdEpochSeconds).toBe(T0 / 1_000);
  });

  it('reads a changed or replaced file by itself, and keeps the old rates', async () => {
    const catalog = await started(yaml('0.1'));
    const changes: number[] = [];
    catalog.onChange((changed) => changes.push(changed.models().length));
    now += HOUR_MS;
    await writeFile(`${catalogFile}.new`, yaml('0.2', TWO));
    await rename(`${catalogFile}.new`, catalogFile);
    await until(() => catalog.model('two') !== undefined);
    expect(catalog.rateFor('acme/one', now)).toMatchObject({
      version: 2,
      inputMicroUsdPerMtok: '200000',
    });
    expect(catalog.rateFor('acme/one', now - 1)).toMatchObject({
      version: 1,
      inputMicroUsdPerMtok: '100000',
    });
    expect(changes).toEqual([2]);
  });

  it('serves local models as they are added', async () => {
    const catalog = await started(yaml('0.1'));
    await writeFile(join(localModelsFolder, 'tiny.gguf'), 'GGUF');
    await until(() => catalog.model('local/tiny.gguf') !== undefined);
    expect(catalog.rateFor('local/tiny.gguf', now)).toMatchObject({ inputMicroUsdPerMtok: '0' });
    expect(catalog.rigs()).toMatchObject([{ name: 'up' }, { name: 'local-models' }]);
  });

  it('does not start on a bad file, and publishes nothing of it', async () => {
    await expect(started(yaml('-1'))).rejects.toThrow(CatalogError);
    await expect(newCatalog(join(folder, 'none.yaml')).start()).rejects.toThrow(/cannot be read/);
    expect(await published()).toBe(0);
  });

  it('keeps the old catalog when the file becomes invalid, reports it, and recovers', async () => {
    const catalog = await started(yaml('0.1'));
    await writeFile(catalogFile, yaml('-1', TWO));
    await until(() => catalog.status().failure !== null);
    expect(catalog.status().failure).toContain('catalog.yaml:5:36: models[0].price');
    expect(catalog.models()).toHaveLength(1);
    expect(await published()).toBe(1);
    await writeFile(catalogFile, yaml('0.1'));
    await until(() => catalog.status().failure === null);
  });

  it('reads the file on `reload`, and notifies listeners of changes only', async () => {
    const catalog = await started(yaml('0.1'));
    let changes = 0;
    const stopListening = catalog.onChange(() => (changes += 1));
    await catalog.reload();
    expect(changes).toBe(0);
    await writeFile(catalogFile, yaml('0.3'));
    await catalog.reload();
    expect(changes).toBe(1);
    stopListening();
    await writeFile(catalogFile, yaml('0.4'));
    await catalog.reload();
    expect(changes).toBe(1);
    expect(catalog.rateFor('acme/one', now)).toMatchObject({ version: 3 });
  });

  it('applies a card that another process published', async () => {
    const one = await started(yaml('0.1'));
    const otherFile = join(folder, 'other.yaml');
    await writeFile(otherFile, yaml('0.1'));
    const other = newCatalog(otherFile);
    await other.start();
    expect(await published()).toBe(1);
    await writeFile(catalogFile, yaml('0.2'));
    await one.reload();
    await until(() => other.rateFor('acme/one', now)?.version === 2);
    expect(other.rateFor('acme/one', now)).toMatchObject({ inputMicroUsdPerMtok: '200000' });
  });

  it('answers with the newest card and with past cards, as of the log', async () => {
    const catalog = await started(yaml('0.1'));
    await writeFile(catalogFile, yaml('0.2'));
    await catalog.reload();
    const host = new ProjectionHost([rateCards], eventStore, readStore, codec, clock, logger);
    const projections = new Projections(host, eventStore, readStore);
    await host.start();
    try {
      const handler = new RateCardHandler(projections);
      const newest = await handler.execute(new RateCardQuery('newest'));
      expect(newest.card).toMatchObject({
        version: 2,
        models: [{ modelId: 'acme/one', inputMicroUsdPerMtok: '200000' }],
        compute: [{ rig: 'up', microUsdPerHour: '1990000' }],
      });
      expect(newest.position).toBe(await eventStore.head());
      const first = await handler.execute(new RateCardQuery({ version: 1 }));
      expect(first.card).toMatchObject({ models: [{ inputMicroUsdPerMtok: '100000' }] });
      await expect(handler.execute(new RateCardQuery({ version: 3 }))).rejects.toMatchObject({
        code: 'rate_card_not_found',
      });
    } finally {
      await host.stop();
    }
  });

  it('answers with the card that was in force at any past instant', async () => {
    const catalog = await started(yaml('1'));
    for (let version = 2; version <= 9; version += 1) {
      now += HOUR_MS;
      await writeFile(catalogFile, yaml(String(version)));
      await catalog.reload();
    }
    const host = new ProjectionHost([rateCards], eventStore, readStore, codec, clock, logger);
    await host.start();
    try {
      const handler = new RateCardHandler(new Projections(host, eventStore, readStore));
      const versionAt = async (ms: number): Promise<number> => {
        const at = new Date(ms).toISOString();
        return (await handler.execute(new RateCardQuery({ at }))).card.version;
      };
      for (let hour = 0; hour < 9; hour += 1) {
        const from = T0 + hour * HOUR_MS;
        const versions = [await versionAt(from), await versionAt(from + HOUR_MS - 1)];
        expect(versions).toEqual([hour + 1, hour + 1]);
      }
      await expect(versionAt(T0 - 1)).rejects.toMatchObject({ code: 'rate_card_not_found' });
    } finally {
      await host.stop();
    }
  });
});
