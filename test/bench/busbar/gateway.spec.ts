import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePorts } from '../../servers/server-process.js';

const run = promisify(execFile);
const ROOT = path.resolve('.');
const MANIFEST = path.join(ROOT, 'test/bench/busbar/gateway.sh');
const READY_MS_MAX = 60_000;
const TEST_MS_MAX = 120_000;

/** An answer in the shape of OpenAI, with the usage that the books need: 3 micro-dollars. */
const ANSWER = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
});
const ANSWER_MICRO_USD = '3';

describe('the manifest for the open benchmark of gateways', () => {
  let folder: string;
  let upstream: Server;
  let environment: NodeJS.ProcessEnv;
  let port: number;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'busbar-'));
    upstream = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER);
    });
    upstream.listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    [port = 0] = await freePorts(1);
    environment = {
      ...process.env,
      GW_SRC: ROOT,
      GW_DIR: folder,
      GW_PORT: String(port),
      CORES: '0',
      MOCK_PORT: String((upstream.address() as AddressInfo).port),
    };
  });

  afterAll(async () => {
    await bash('gw_stop');
    upstream.close();
    await rm(folder, { recursive: true });
  });

  /** As a runner calls it: the manifest is sourced, then its functions are called. */
  const bash = async (script: string): Promise<string> => {
    const sourced = `set -uo pipefail; source ${MANIFEST}; ${script}`;
    const { stdout } = await run('bash', ['-c', sourced], { env: environment });
    return stdout.trim();
  };

  const asked = async (token: string): Promise<Response> => {
    const deadlineMs = performance.now() + READY_MS_MAX;
    for (;;) {
      const request = fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({
          model: 'openai/gpt-4o-mini',
          messages: [{ role: 'user', content: 'warm' }],
          max_tokens: 16,
        }),
      });
      const answer = await request.catch(() => undefined);
      if (answer?.status === 200) return answer;
      if (performance.now() > deadlineMs)
        throw new Error(`${(await answer?.text()) ?? 'no answer'}: ${await bash('gw_diag')}`);
      await delay(200);
    }
  };

  const charged = async (): Promise<unknown> =>
    JSON.parse(await bash('_quipu_cli ledger check')).charged_micro_usd;

  it(
    'answers through the mock, and charges, after the plain launch',
    async () => {
      const token = await bash('gw_build && gw_launch && echo "$GW_AUTH"');
      const answer = await asked(token);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'ok' } }] });
      expect(Number(await bash('gw_rss'))).toBeGreaterThan(50);
      expect(Number(await bash('gw_hwm'))).toBeGreaterThan(50);
      expect(await bash('gw_version')).toMatch(/^\d+\.\d+\.\d+/);
      expect(await charged()).toBe(ANSWER_MICRO_USD);
      await bash('gw_stop');
      expect(await bash('_quipu_pids')).toBe('');
    },
    TEST_MS_MAX,
  );

  it(
    'checks budgets and limits of each request in the governed lane',
    async () => {
      const answer = await asked(await bash('gw_governed_launch && gw_governed_token'));
      expect(answer.status).toBe(200);
      const { budgets } = JSON.parse(await bash('_quipu_cli budget show --user bench'));
      expect(budgets).toMatchObject([
        {
          day: { limit_micro_usd: '1000000000000', charged_micro_usd: ANSWER_MICRO_USD },
          requests_per_minute: 1_000_000_000,
          tokens_per_minute: 1_000_000_000_000,
        },
      ]);
    },
    TEST_MS_MAX,
  );
});
