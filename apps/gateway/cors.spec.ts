import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Req, Res } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { AnswerRecorder } from '#areas/statistics/answer-recorder.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { EVENT_STORE } from '#platform/runtime/tokens.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { DirectRoutes } from './direct/direct-routes.js';
import { FailureLog } from './errors/failure-log.js';
import { Failures } from './errors/failures.js';
import { createGateway } from './gateway.application.js';
import { UpgradeRoutes } from './upgrades/upgrade-routes.js';
import { missingCredentials } from './identity/identity.failures.js';

@Controller('things')
class ThingsController {
  @Get()
  list(): object {
    return {};
  }

  @Get('guarded')
  guarded(): never {
    throw missingCredentials();
  }

  /** Writes the answer past Fastify, as streams do. */
  @Get('stream')
  stream(@Req() _request: FastifyRequest, @Res() reply: FastifyReply): void {
    reply.raw.writeHead(200, { ...reply.getHeaders() } as Record<string, string>).end('data: 1');
  }
}

@Module({})
class NoModule {}

const APP = 'https://app.example.org';

describe('cross-origin requests', () => {
  let app: NestFastifyApplication;

  const open = async (corsOrigins?: readonly string[]): Promise<void> => {
    const limits = { bodyLimitBytes: 1_024, receivingBytesMax: 4_096, receiveMsMax: 60_000 };
    const times = { uploadMsMax: 60_000, uploadIdleMsMax: 60_000 };
    const options = { ...limits, ...times, trustProxy: 0, ...(corsOrigins && { corsOrigins }) };
    const logger = pino({ level: 'silent' });
    const providers = [
      { provide: Failures, useValue: new Failures(new Areas([])) },
      DirectRoutes,
      UpgradeRoutes,
      { provide: FailureLog, useValue: new FailureLog(logger) },
      { provide: Ledger, useValue: new FakeLedger() },
      { provide: AnswerRecorder, useValue: { record: () => undefined } },
      { provide: EVENT_STORE, useValue: {} },
    ];
    const module = { module: NoModule, controllers: [ThingsController], providers };
    app = await createGateway(module, options, logger);
  };

  afterEach(() => app.close());

  const ask = async (method: 'GET' | 'OPTIONS', url: string, origin: string) => {
    const preflight = {
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'authorization,idempotency-key',
    };
    const headers = { origin, ...(method === 'OPTIONS' && preflight) };
    const { statusCode, headers: answered } = await app.inject({ method, url, headers });
    return { status: statusCode, headers: answered };
  };

  it('have no headers by default', async () => {
    await open();
    const { headers, status } = await ask('GET', '/things', APP);
    expect([status, headers['access-control-allow-origin']]).toEqual([200, undefined]);
    expect((await ask('OPTIONS', '/things', APP)).status).toBe(405);
  });

  it.each(['/things', '/things/guarded', '/things/stream', '/nowhere'])(
    'of an allowed origin may read the answer of %s',
    async (url) => {
      await open([APP, 'http://localhost:3000']);
      const { headers } = await ask('GET', url, APP);
      expect(headers).toMatchObject({
        'access-control-allow-origin': APP,
        'access-control-expose-headers': '*',
        vary: 'Origin',
        'x-request-id': expect.any(String),
      });
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    },
  );

  it('of an allowed origin may send every method and header', async () => {
    await open([APP]);
    const { status, headers } = await ask('OPTIONS', '/things', APP);
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-allow-headers': 'authorization,idempotency-key',
      'access-control-max-age': '600',
    });
    expect(headers['access-control-allow-methods']).toContain('DELETE');
  });

  it('of another origin are answered without the headers', async () => {
    await open([APP]);
    const { headers } = await ask('GET', '/things', 'https://app.example.org.evil.example');
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });
});
