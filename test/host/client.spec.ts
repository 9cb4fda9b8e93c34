/** The client package in Chromium, and the example beside it in Python, against a gateway. */
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { type Browser, chromium, type Page } from 'playwright-core';
import {
  answering,
  chatRequest,
  MODEL,
  startWorld,
  type World,
} from '../end-to-end/quipu.harness.js';
import { requireProgram } from '../servers/required-program.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const CLIENT = path.join(ROOT, 'packages/client');
const EXAMPLE = path.join(CLIENT, 'examples/verify_charge.py');
const CHARGE = '"amountMicroUsd":"13"';

/** Asks for a stream and proves its charge, then again with an event that was changed. */
const PAGE = `
import { connect } from './client.ts';
import { verifyCharge } from './charge.ts';

window.verified = async (options, request, key) => {
  const quipu = connect(options);
  const stream = await quipu.stream('/v1/chat/completions', request);
  const texts = [];
  for await (const { data } of stream) texts.push(data);
  const charge = await quipu.verifyCharge(stream.requestId, key);
  const { data: answer } = await quipu.api.GET('/audit/requests/{id}', {
    params: { path: { id: stream.requestId } },
  });
  const events = answer.events.map(({ encoding, proof }) => ({
    proof,
    encoding: btoa(atob(encoding).replace('${CHARGE}', '"amountMicroUsd":"12"')),
  }));
  const changed = verifyCharge({ ...answer, events }, key);
  return {
    last: texts.at(-1),
    amount: String(charge.amountMicroUsd),
    reason: await changed.catch(({ name, message }) => name + ': ' + message),
  };
};
`;

const listening = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

describe('the client', () => {
  let pages: Server;
  let origin: string;
  let world: World;
  let key: string;

  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: PAGE, resolveDir: CLIENT, sourcefile: 'page.js' },
      bundle: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    });
    pages = createServer((request, response) => {
      const isScript = request.url === '/page.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(
        isScript ? outputFiles[0]?.contents : '<script type=module src=page.js></script>',
      );
    });
    origin = await listening(pages);
    world = await startWorld([answering('Two ', 'knots.')], {
      environment: { QUIPU_CORS_ORIGINS: origin, QUIPU_AUDIT_CHECKPOINT_MS: '50' },
    });
    key = (await (await fetch(`${world.quipu.url}/audit/key`)).text()).trim();
  });

  afterAll(async () => {
    pages.close();
    await world.close();
  });

  describe('in Chromium', () => {
    let browser: Browser;
    let page: Page;

    beforeAll(async () => {
      const executablePath = await requireProgram('chromium');
      browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
      page = await browser.newPage();
      await page.goto(origin);
    });

    afterAll(() => browser.close());

    it('reads a stream, proves its charge, and does not prove a changed one', async () => {
      const options = { baseUrl: world.quipu.url, apiKey: world.credentials.api_key };
      const words = [options, chatRequest(), key].map((word) => JSON.stringify(word));
      expect(await page.evaluate(`window.verified(${words.join(', ')})`)).toEqual({
        last: '[DONE]',
        amount: '13',
        reason: 'ProofError: an event is not in the log: its bytes or its proof were changed',
      });
    });
  });

  describe('in Python', () => {
    let forging: Server;
    let forger: string;

    /** Forges the answers of the gateway. */
    let change: (text: string) => string;

    const withOtherCharge = (text: string): string =>
      text.replace(/"encoding":"([^"]+)"/g, (_, encoding: string) => {
        const event = Buffer.from(encoding, 'base64').toString('latin1');
        const forged = Buffer.from(event.replace(CHARGE, '"amountMicroUsd":"12"'), 'latin1');
        return `"encoding":"${forged.toString('base64')}"`;
      });

    const withOtherSignature = (text: string): string =>
      text.replace(
        /(\u2014 \S+ [\w+/]{20})(\w)/g,
        (_, before: string, letter: string) => `${before}${letter === 'A' ? 'B' : 'A'}`,
      );

    const forge = async (url: string, init: RequestInit) => {
      const response = await fetch(`${world.quipu.url}${url}`, init);
      const { status, headers } = response;
      return { status, headers, changed: change(await response.text()) };
    };

    beforeAll(async () => {
      forging = createServer((request, response) => {
        const answer = async (): Promise<void> => {
          const body = Buffer.concat((await request.toArray()) as Buffer[]);
          const { authorization = '' } = request.headers;
          const { status, headers, changed } = await forge(request.url ?? '', {
            method: request.method ?? '',
            headers: { authorization, 'content-type': 'application/json' },
            ...(body.length > 0 && { body }),
          });
          response.statusCode = status;
          for (const name of ['x-request-id', 'retry-after']) {
            const value = headers.get(name);
            if (value !== null) response.setHeader(name, value);
          }
          response.end(changed);
        };
        void answer();
      });
      forger = await listening(forging);
    });

    afterAll(() => void forging.close());

    const run = async (environment: Readonly<Record<string, string>>) => {
      const { api_key: apiKey } = world.credentials;
      const own = { GATEWAY_KEY: apiKey, GATEWAY_MODEL: MODEL, GATEWAY_LOG_KEY: key };
      const env = { ...process.env, GATEWAY_URL: world.quipu.url, ...own, ...environment };
      const python = await requireProgram('python3');
      const ran = promisify(execFile)(python, [EXAMPLE], { env });
      const { stdout, stderr } = (await ran.catch((error: unknown) => error)) as Awaited<
        typeof ran
      >;
      return { stdout, stderr: stderr.trim() };
    };

    it('proves what a question cost, and reads the balance', async () => {
      const { stdout, stderr } = await run({});
      expect(stderr).toBe('');
      expect(stdout).toContain('2 output_tokens at 2000000 micro-dollars for 1000000');
      expect(stdout).toMatch(/proved: request \S+ cost 13 micro-dollars/);
      expect(stdout).toContain('the balance is 9.9999');
    });

    it.each([
      ['a charge', withOtherCharge, 'the event is not in the log'],
      ['a signature', withOtherSignature, 'the log has not signed the checkpoint'],
    ])('does not prove %s that was changed', async (_, changed, reason) => {
      change = changed;
      const { stdout, stderr } = await run({ GATEWAY_URL: forger });
      expect(stderr).toBe(`NOT proved: ${reason}`);
      expect(stdout).not.toContain('cost');
    });

    it('does not prove with another key', async () => {
      const [name, id, text] = key.split('+', 3);
      const other = `${name ?? ''}+${id ?? ''}+${text?.replace(/.(?=.{4}$)/, 'x') ?? ''}`;
      const { stderr } = await run({ GATEWAY_LOG_KEY: other });
      expect(stderr).toBe('NOT proved: the log has another key than the known one');
    });
  });
});
