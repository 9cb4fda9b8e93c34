import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ExecutionContext } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { type FastifyRequest } from 'fastify';
import { Catalog } from '#areas/catalog/catalog.js';
import { RateCardQuery } from '#areas/catalog/rate-card.handler.js';
import { type EntryPoints, FLEET_SETTINGS } from '#areas/fleet/fleet.settings.js';
import { OwnModels } from '#platform/own-models/own-models.js';
import { registered } from '#platform/own-models/own-model.fixture.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { HttpFailure } from '../errors/http-failure.js';
import { ApiGuard } from '../identity/api.guard.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { Areas, defineArea } from '#platform/runtime/areas/area.js';
import { type ListedModel, type ModelSource } from '#platform/runtime/areas/model-source.js';
import { AreaModels } from './area-models.js';
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

const knots: ListedModel = {
  id: 'snnlib/knots',
  createdEpochSeconds: 1_790_000_000,
  ownedBy: 'snnlib',
  endpoints: [],
  meters: ['knots', 'macs'],
};
/** One has a model of the catalog in its place, one has no price, and one a twin. */
class Looms implements ModelSource {
  readonly listedModels = [
    knots,
    { ...knots, id: nano.id },
    { ...knots, id: 'unpriced', meters: ['knots', 'looms'] },
    { ...knots, id: 'painter', endpoints: ['/v1/images/generations'] },
    { ...knots, id: 'painter', ownedBy: 'twin' },
  ];
}
const price = { unitPriceMicroUsd: '3', perUnits: 100 };
const meterPrices: MeterPrices = {
  inForce: () => ({
    rateCardVersion: 3,
    prices: new Map([
      ['knots', price],
      ['macs', price],
    ]),
  }),
};
const looms = defineArea({ name: 'looms', module: Looms, modelSources: [Looms] });

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

/** The models of account 7, as the service shows them to it alone. */
const removedModels: string[] = [];
const own = registered.data;
const ownModels = {
  ofAccount: (accountId: string) => (accountId === '7' ? [own] : []),
  find: (name: string, accountId: string) =>
    name === '7/nano-tuned' && accountId === '7' ? own : undefined,
  remove: (_: string, name: string) => {
    removedModels.push(name);
    return Promise.resolve();
  },
};

const asCaller = (context: ExecutionContext): boolean => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const accountId = String(request.headers['x-account'] ?? '8');
  Object.assign(request, { caller: { accountId, userId: 1, credential: { keyId: 'key-1' } } });
  return true;
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
        Looms,
        AreaModels,
        { provide: Areas, useValue: new Areas([looms]) },
        { provide: MeterPrices, useValue: meterPrices },
        { provide: OwnModels, useValue: ownModels },
        { provide: FLEET_SETTINGS, useValue: fleet },
        { provide: QueryBus, useValue: queries },
        { provide: CommandBus, useValue: {} },
        { provide: CLOCK, useValue: { now: () => Date.parse('2026-11-21T00:00:00.000Z') } },
      ],
    })
      .overrideGuard(ApiGuard)
      .useValue({ canActivate: asCaller })
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
  const painter = { ...network, id: 'painter', endpoints: ['/v1/images/generations'] };

  it.each(['/v1/models', '/api/v1/models'])('lists the models at %s', async (url) => {
    const reply = await app.inject({ url });
    expect(reply.json()).toEqual({ object: 'list', data: [model, network, painter] });
  });

  it('shows the entry points beside the models, where they are configured', async () => {
    const entryPoints = { global: null, uk: 'https://uk.example.org/v1', na: null, apac: null };
    fleet.entryPoints = entryPoints;
    const reply = await app.inject({ url: '/v1/models' });
    fleet.entryPoints = null;
    expect(reply.json()).toEqual({
      object: 'list',
      data: [model, network, painter],
      api_urls: entryPoints,
    });
  });

  it.each([
    '/v1/models/quipu/nano',
    '/v1/models/quipu%2Fnano',
    '/api/v1/models/quipu/nano',
    '/api/v1/models/quipu%2Fnano',
  ])('finds a model at %s', async (url) => {
    expect((await app.inject({ url })).json()).toEqual(model);
  });

  it('finds a model of an area', async () => {
    expect((await app.inject({ url: '/v1/models/snnlib/knots' })).json()).toEqual(network);
  });

  it('names a model that does not exist', () => {
    const caller = { accountId: '8' } as Caller;
    const find = (): unknown => app.get(ModelsController).findWithSlashes('acme/none', caller);
    expect(find).toThrow(
      new HttpFailure({
        status: 404,
        code: 'model_not_found',
        message: "the model 'acme/none' does not exist",
      }),
    );
  });

  it('shows a model that belongs to an account to this account alone', async () => {
    const headers = { 'x-account': '7' };
    const shown = {
      id: '7/nano-tuned',
      object: 'model',
      created: Date.parse(own.registeredAt) / 1_000,
      owned_by: '7',
    };
    const list = await app.inject({ url: '/v1/models', headers });
    expect(list.json()).toEqual({ object: 'list', data: [model, network, painter, shown] });
    const found = await app.inject({ url: '/v1/models/7/nano-tuned', headers });
    expect(found.json()).toEqual(shown);
    const find = (): unknown =>
      app.get(ModelsController).findWithSlashes('7/nano-tuned', { accountId: '8' } as Caller);
    expect(find).toThrow(HttpFailure);
  });

  it('lets its account alone delete it', async () => {
    const url = '/v1/models/7%2Fnano-tuned';
    const deleted = await app.inject({ method: 'DELETE', url, headers: { 'x-account': '7' } });
    expect(deleted.json()).toEqual({ id: '7/nano-tuned', object: 'model', deleted: true });
    expect(removedModels).toEqual(['7/nano-tuned']);
    const refused = await app.inject({ method: 'DELETE', url });
    expect(refused.statusCode).not.toBe(200);
    expect(removedModels).toHaveLength(1);
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
