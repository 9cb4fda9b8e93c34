import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Catalog } from '#areas/catalog/catalog.js';
import { RateCardQuery } from '#areas/catalog/rate-card.handler.js';
import { type EntryPoints, FLEET_SETTINGS } from '#areas/fleet/fleet.settings.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { HttpFailure } from '../errors/http-failure.js';
import { ApiGuard } from '../identity/api.guard.js';
import { ListedNetworks } from '#areas/spiking/listed-networks.js';
import { ModelsController } from './models.controller.js';
import { RatesController } from './rates.controller.js';

const nano = {
  id: 'quipu/nano',
  ownedBy: 'quipu',
  contextTokens: 1_024,
  maxOutputTokens: 256,
  createdEpochSeconds: 1_767_225_600,
};

/** Answers the catalog queries of the controllers. */
const catalog = {
  models: () => [nano],
  model: (id: string) => (id === nano.id ? nano : undefined),
  rigs: () => [{ name: 'built-in', kind: 'embedded' }],
};

const knots = { slug: 'snnlib/knots', writtenAtEpochSeconds: 1_790_000_000 };
/** One of them has a model of the catalog in its place. */
const networks = { list: [knots, { ...knots, slug: nano.id }] };

const card = {
  version: 3,
  effectiveFrom: '2026-01-01T00:00:00.000Z',
  publishedAt: '2026-01-01T00:00:00.000Z',
  sourceSha256: 'a'.repeat(64),
  batchDiscountPercent: 50,
  models: [
    { modelId: nano.id, inputMicroUsdPerMtok: '50000', outputMicroUsdPerMtok: '100000' },
    { modelId: 'gone', inputMicroUsdPerMtok: '1', outputMicroUsdPerMtok: '0' },
  ],
  compute: [{ rig: 'built-in', microUsdPerHour: '1990000' }],
  meters: [{ meter: 'knots', unitPriceMicroUsd: '3', perUnits: 100 }],
};

/** As settings make it; a test sets it. */
const fleet: { entryPoints: EntryPoints | null } = { entryPoints: null };

describe('catalog over HTTP', () => {
  let app: NestFastifyApplication;
  const asked: unknown[] = [];

  beforeAll(async () => {
    const queries = {
      execute: (query: RateCardQuery) => {
        asked.push(query);
        return Promise.resolve({ card, position: 42n });
      },
    };
    const module = await Test.createTestingModule({
      controllers: [ModelsController, RatesController],
      providers: [
        { provide: Catalog, useValue: catalog },
        { provide: ListedNetworks, useValue: networks },
        { provide: FLEET_SETTINGS, useValue: fleet },
        { provide: QueryBus, useValue: queries },
        { provide: CommandBus, useValue: {} },
        { provide: CLOCK, useValue: { now: () => Date.parse('2026-11-21T00:00:00.000Z') } },
      ],
    })
      .overrideGuard(ApiGuard)
      .useValue({ canActivate: () => true })
      .compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  });

  afterAll(() => app.close());

  const model = { id: 'quipu/nano', object: 'model', created: 1_767_225_600, owned_by: 'quipu' };
  const network = {
    id: 'snnlib/knots',
    object: 'model',
    created: 1_790_000_000,
    owned_by: 'snnlib',
  };

  it.each(['/v1/models', '/api/v1/models'])('lists the models at %s', async (url) => {
    const reply = await app.inject({ url });
    expect(reply.json()).toEqual({ object: 'list', data: [model, network] });
  });

  it('shows the entry points beside the models, where they are configured', async () => {
    const entryPoints = { global: null, uk: 'https://uk.example.org/v1', na: null, apac: null };
    fleet.entryPoints = entryPoints;
    const reply = await app.inject({ url: '/v1/models' });
    fleet.entryPoints = null;
    expect(reply.json()).toEqual({ object: 'list', data: [model, network], api_urls: entryPoints });
  });

  it.each([
    '/v1/models/quipu/nano',
    '/v1/models/quipu%2Fnano',
    '/api/v1/models/quipu/nano',
    '/api/v1/models/quipu%2Fnano',
  ])('finds a model at %s', async (url) => {
    expect((await app.inject({ url })).json()).toEqual(model);
  });

  it('finds a spiking network, which chats take', async () => {
    expect((await app.inject({ url: '/v1/models/snnlib/knots' })).json()).toEqual(network);
  });

  it('names a model that does not exist', () => {
    const find = (): unknown => app.get(ModelsController).findWithSlashes('acme/none');
    expect(find).toThrow(
      new HttpFailure({
        status: 404,
        code: 'model_not_found',
        message: "the model 'acme/none' does not exist",
      }),
    );
  });

  it('shows the card in USD, with the models of the catalog', async () => {
    const reply = await app.inject({ url: '/api/v1/billing/rates.php' });
    expect(reply.json()).toEqual({
      success: true,
      currency: 'USD',
      rate_card: {
        version: 3,
        effective_from: '2026-01-01T00:00:00.000Z',
        published_at: '2026-01-01T00:00:00.000Z',
        source_sha256: 'a'.repeat(64),
        batch_discount_percent: 50,
      },
      models: [
        {
          id: 'quipu/nano',
          owned_by: 'quipu',
          input_usd_per_mtok: 0.05,
          output_usd_per_mtok: 0.1,
          context: 1_024,
          max_output: 256,
        },
        {
          id: 'gone',
          owned_by: null,
          input_usd_per_mtok: 0.000001,
          output_usd_per_mtok: 0,
          context: null,
          max_output: null,
        },
      ],
      compute: [{ rig: 'built-in', kind: 'embedded', hourly_usd: 1.99 }],
      meters: [{ meter: 'knots', usd: 0.000003, per: 100 }],
      position: '42',
    });
    expect(asked).toEqual([new RateCardQuery('newest')]);
  });
});
