import { type DynamicModule, Module } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { type OperationsSettings } from './operations-access.js';
import { createOperationsApplication } from './operations.application.js';
import { asOperator, OPERATIONS_TOKEN } from './operations.fixture.js';
import { OperationsModule } from './operations.module.js';
import { OperationsServer } from './operations.server.js';

const HOST = '127.0.0.1';
const REASON = { code: 'rig_down', detail: 'the rig at /srv/rig is down' };
const BRIEF = { status: 'not_ready' };
const WHOLE = {
  status: 'not_ready',
  reasons: [REASON.code],
  details: [REASON.detail],
  rigs: ['/srv/rig'],
};

class SickRigs {
  readiness() {
    return { reasons: [REASON], facts: { rigs: ['/srv/rig'] } };
  }
}

@Module({})
class Root {
  static of(settings: OperationsSettings): DynamicModule {
    const metrics: [] = [];
    const providers = [SickRigs];
    return {
      module: Root,
      global: true,
      imports: [OperationsModule.of({ providers, readiness: [SickRigs], metrics, settings })],
      providers: [{ provide: Registry, useValue: new Registry() }],
      exports: [Registry],
    };
  }
}

describe('health and metrics', () => {
  let app: NestFastifyApplication;
  let callersUrl: string;
  let operationsUrl: string;

  const start = async (settings: Partial<OperationsSettings> = {}): Promise<void> => {
    const module = Root.of({ host: HOST, ...settings });
    app = await createOperationsApplication(module, pino({ level: 'silent' }));
    await app.listen(0, HOST);
    const server = app.get(OperationsServer);
    await server.listen();
    callersUrl = await app.getUrl();
    operationsUrl = `http://${HOST}:${server.port}`;
  };

  afterEach(() => app.close());

  const ask = async (url: string, init?: RequestInit) => {
    const response = await fetch(url, init);
    const text = await response.text();
    return { status: response.status, text, headers: response.headers };
  };
  const json = ({ status, text }: { readonly status: number; readonly text: string }) => ({
    status,
    body: JSON.parse(text) as unknown,
  });

  it('show everyone whether the process is live and ready, with the same status', async () => {
    await start();
    expect(json(await ask(`${callersUrl}/health/live`))).toEqual({
      status: 200,
      body: { status: 'live' },
    });
    expect(json(await ask(`${callersUrl}/health/ready`))).toEqual({ status: 503, body: BRIEF });
    expect(json(await ask(`${callersUrl}/health/ready`, asOperator))).toMatchObject({
      body: BRIEF,
    });
  });

  it('have no metrics on the port for callers without a token in the settings', async () => {
    await start();
    const { status, text } = await ask(`${callersUrl}/metrics`, asOperator);
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ success: false, code: 'not_found' });
  });

  describe('with a token', () => {
    it.each(['callers', 'operations'])('show everything to it on the port for %s', async (port) => {
      await start({ token: OPERATIONS_TOKEN, port: 0 });
      const url = port === 'callers' ? callersUrl : operationsUrl;
      expect(json(await ask(`${url}/health/ready`, asOperator))).toEqual({
        status: 503,
        body: WHOLE,
      });
      const { status, text } = await ask(`${url}/metrics`, asOperator);
      expect(status).toBe(200);
      expect(text).toContain('process_cpu_seconds_total');
    });

    it.each([undefined, 'Bearer', `Bearer ${OPERATIONS_TOKEN}x`, `Basic ${OPERATIONS_TOKEN}`])(
      'show little to others: %s',
      async (authorization) => {
        await start({ token: OPERATIONS_TOKEN, port: 0 });
        const init = { headers: { ...(authorization !== undefined && { authorization }) } };
        for (const url of [callersUrl, operationsUrl]) {
          expect(json(await ask(`${url}/health/ready`, init))).toEqual({
            status: 503,
            body: BRIEF,
          });
          const { status, text, headers } = await ask(`${url}/metrics`, init);
          expect(status).toBe(401);
          expect(headers.get('www-authenticate')).toBe('Bearer');
          expect(JSON.parse(text)).toMatchObject({ code: 'missing_credentials' });
        }
      },
    );
  });

  describe('on the operations port', () => {
    it('show everything', async () => {
      await start({ port: 0 });
      expect(json(await ask(`${operationsUrl}/health/live`))).toMatchObject({ status: 200 });
      expect(json(await ask(`${operationsUrl}/health/ready?x=1`))).toEqual({
        status: 503,
        body: WHOLE,
      });
      const { status, text, headers } = await ask(`${operationsUrl}/metrics`);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toContain('text/plain');
      expect(text).toContain('process_cpu_seconds_total');
    });

    it('are all there is', async () => {
      await start({ port: 0 });
      expect(await ask(`${operationsUrl}/v1/models`)).toMatchObject({ status: 404 });
      const posted = await ask(`${operationsUrl}/metrics`, { method: 'POST' });
      expect(posted.status).toBe(405);
      expect(posted.headers.get('allow')).toBe('GET, HEAD');
    });

    it('answer until the process has closed', async () => {
      await start({ port: 0 });
      await app.close();
      await expect(fetch(`${operationsUrl}/health/live`)).rejects.toThrow();
    });

    it('do not start on a port that is taken', async () => {
      await start({ port: 0 });
      const port = Number(new URL(operationsUrl).port);
      const module = Root.of({ host: HOST, port });
      const other = await createOperationsApplication(module, pino({ level: 'silent' }));
      await expect(other.get(OperationsServer).listen()).rejects.toThrow('EADDRINUSE');
      await other.close();
    });
  });
});
