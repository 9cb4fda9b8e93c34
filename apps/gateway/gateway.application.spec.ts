import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, type DynamicModule, Get, Module, Param, Post, Req } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { type KeyPolicy } from '#events/identity/key-policy.vocabulary.js';
import { UserId } from '#events/vocabulary.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { inferenceFailures } from '#areas/inference/inference.failures.js';
import { RouteError } from '#areas/inference/rigs/route-error.js';
import { AnswerRecorder } from '#areas/statistics/answer-recorder.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { EVENT_STORE } from '#platform/runtime/tokens.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { Areas, defineArea } from '#platform/runtime/areas/area.js';
import { DirectRoutes } from './direct/direct-routes.js';
import { FailureLog } from './errors/failure-log.js';
import { Failures } from './errors/failures.js';
import { UpgradeRoutes } from './upgrades/upgrade-routes.js';
import { createGateway } from './gateway.application.js';

@Controller('things')
class ThingsController {
  @Get(':name')
  find(@Param('name') name: string): object {
    if (name === 'down') throw new RouteError('down', 'every rig is down', [], { rigs: ['a'] });
    if (name === 'defect') throw new TypeError('a defect');
    return { name };
  }

  /** As the guard of a route and its handler would. */
  @Post(':name')
  ask(@Param('name') name: string, @Req() request: FastifyRequest): object {
    request.caller = CALLER;
    return this.find(name);
  }
}

const CALLER: Caller = {
  userId: UserId.parse(7),
  accountId: '7',
  role: 'renter',
  credential: { kind: 'api_key', id: 'hash', keyId: 'key-1', policy: {} as KeyPolicy },
};

@Module({})
class NoModule {}

const area = defineArea({ name: 'things', failures: inferenceFailures, module: NoModule });

describe('the log of a gateway', () => {
  let app: NestFastifyApplication;
  let lines: Record<string, unknown>[];

  beforeEach(async () => {
    lines = [];
    const write = (text: string): void => {
      lines.push(JSON.parse(text) as Record<string, unknown>);
    };
    const limits = { bodyLimitBytes: 1_024, receivingBytesMax: 4_096, receiveMsMax: 60_000 };
    const options = { ...limits, uploadMsMax: 60_000, uploadIdleMsMax: 60_000, trustProxy: 0 };
    const logger = pino({}, { write });
    const module: DynamicModule = {
      module: NoModule,
      controllers: [ThingsController],
      providers: [
        { provide: Areas, useValue: new Areas([area]) },
        { provide: Failures, useValue: new Failures(new Areas([area])) },
        DirectRoutes,
        UpgradeRoutes,
        { provide: Ledger, useClass: FakeLedger },
        { provide: AnswerRecorder, useValue: { record: () => undefined } },
        { provide: EVENT_STORE, useValue: {} },
        { provide: FailureLog, useValue: new FailureLog(logger) },
      ],
    };
    app = await createGateway(module, options, logger);
    lines.length = 0;
  });

  afterEach(() => app.close());

  const get = (name: string) => app.inject({ method: 'GET', url: `/things/${name}?secret=1` });

  const linesOf = (msg: string) => lines.filter((line) => line['msg'] === msg);

  it('has a line for each request, without its query', async () => {
    const { headers } = await get('bead');
    expect(lines).toMatchObject([
      { msg: 'request', method: 'GET', path: '/things/bead', status: 200 },
    ]);
    expect(lines[0]).toMatchObject({ requestId: headers['x-request-id'] });
  });

  it('has one line for many requests that fail at the same rig, and no stack', async () => {
    for (let sent = 0; sent < 50; sent += 1) expect((await get('down')).statusCode).toBe(503);
    await app.close();
    const failed = linesOf('request failed');
    expect(failed[0]).toMatchObject({
      path: '/things/down',
      status: 503,
      code: 'rigs_down',
      rig: 'a',
      reason: 'every rig is down',
    });
    const repeated = failed.reduce((sum, line) => sum + Number(line['repeated'] ?? 1), 0);
    expect(repeated).toBe(50);
    expect(failed.length).toBeLessThan(10);
    expect(JSON.stringify(lines)).not.toContain('stack');
    expect(linesOf('request')).toEqual([]);
  });

  it.each(['down', 'defect', 'unknown/bead', 'bead'])(
    'has caller and model of a request for %s',
    async (name) => {
      const payload = { model: 'acme/scripted', messages: ['a prompt'] };
      const { headers } = await app.inject({ method: 'POST', url: `/things/${name}`, payload });
      const known = !name.startsWith('unknown') && {
        account: '7',
        key: 'key-1',
        model: 'acme/scripted',
      };
      expect(lines).toMatchObject([
        { requestId: headers['x-request-id'], method: 'POST', ...known },
      ]);
      expect(JSON.stringify(lines)).not.toContain('a prompt');
    },
  );

  it.each([['a text\nof the caller'], ['x'.repeat(129)], [{ id: 'acme' }], [7]])(
    'has no model that is not an id: %j',
    async (model) => {
      await app.inject({ method: 'POST', url: '/things/down', payload: { model } });
      expect(lines).toMatchObject([{ account: '7', code: 'rigs_down' }]);
      expect(lines[0]).not.toHaveProperty('model');
    },
  );

  it('serves the OpenAPI document from memory', async () => {
    const read = () => app.inject({ method: 'GET', url: '/openapi.json' });
    const first = await read();
    expect(first.json()).toMatchObject({ openapi: expect.any(String) });
    expect(first.headers['content-type']).toBe('application/json; charset=utf-8');
    const stringify = jest.spyOn(JSON, 'stringify');
    try {
      expect((await read()).body).toBe(first.body);
      const written = stringify.mock.calls.map(([value]: readonly unknown[]) => value);
      expect(written).not.toContainEqual(expect.objectContaining({ openapi: expect.anything() }));
    } finally {
      stringify.mockRestore();
    }
  });

  it('has the stack of a defect', async () => {
    expect((await get('defect')).statusCode).toBe(500);
    expect(linesOf('request failed')).toMatchObject([
      { code: 'internal_error', err: { message: 'a defect', stack: expect.any(String) } },
    ]);
  });
});
