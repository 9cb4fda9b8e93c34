import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { answering, eventually, MODEL, startWorld, type World } from './quipu.harness.js';

const WORKFLOWS = '/api/v1/workflows';

interface NodeResult {
  readonly status: string;
  readonly output: unknown;
  readonly code: string | null;
}

interface Run {
  readonly success: boolean;
  readonly run_id: string;
  readonly status: string;
  readonly elapsed_ms: number;
  readonly node_results: Readonly<Record<string, NodeResult>>;
  readonly critical_path: readonly string[];
  readonly amount_micro_usd: string | null;
}

const answer = answering('Cords ', 'with ', 'knots.');

describe('workflows', () => {
  let world: World;
  let server: Server;
  let url: string;
  const asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  /** How often the server fails before it answers, by path. */
  const failures = new Map<string, number>();

  beforeAll(async () => {
    server = createServer((message, response) => {
      const at = message.url ?? '';
      asked.push({ path: at, headers: message.headers });
      const left = failures.get(at) ?? 0;
      failures.set(at, left - 1);
      response.writeHead(left > 0 ? 503 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ topics: ['knots', 'wool'], path: at }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}`;
    world = await startWorld([answer], {
      environment: { QUIPU_HTTP_TOOL_HOSTS: `private:127.0.0.1:${port}` },
    });
  });

  afterAll(async () => {
    await world.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const http = () => request(world.quipu.url);
  const authorization = () => ({ authorization: `Bearer ${world.credentials.api_key}` });
  const post = (path: string, body: object) =>
    http().post(`${WORKFLOWS}${path}`).set(authorization()).send(body);
  const get = (path: string) => http().get(`${WORKFLOWS}${path}`).set(authorization());

  const create = async (name: string, definition: object): Promise<number> => {
    const { body } = await post('', { name, definition }).expect(201);
    return (body as { readonly workflow_id: number }).workflow_id;
  };

  const run = async (id: number, inputs: object = {}): Promise<Run> => {
    const { body } = await post('/run', { workflow_id: id, inputs, async: false }).expect(200);
    return body as Run;
  };

  it('run a graph of tools, branches and items, and charge it by node', async () => {
    failures.set('/find', 1);
    const id = await create('report', {
      inputs: { topic: { default: 'quipus' } },
      nodes: [
        {
          name: 'find',
          kind: 'http',
          parameters: { url: `${url}/find` },
          retry: { attempts_max: 2, first_pause_ms: 1 },
        },
        {
          name: 'each',
          kind: 'map',
          after: ['find'],
          parameters: {
            items: '{{ nodes.find.output.body.topics }}',
            tool: 'chat',
            parameters: {
              model: MODEL,
              prompt: 'Write about {{ item }} of {{ inputs.topic }}.',
              max_tokens: 20,
            },
          },
        },
        {
          name: 'choose',
          kind: 'branch',
          after: ['each'],
          parameters: {
            cases: [
              {
                when: {
                  value: '{{ nodes.each.output[1].text }}',
                  operator: 'contains',
                  to: 'knots',
                },
                then: ['publish'],
              },
            ],
            otherwise: ['alarm'],
          },
        },
        {
          name: 'publish',
          kind: 'http',
          after: ['choose'],
          parameters: {
            url: `${url}/publish`,
            method: 'POST',
            body: { texts: '{{ nodes.each.output }}' },
          },
        },
        { name: 'alarm', kind: 'http', after: ['choose'], parameters: { url: `${url}/alarm` } },
        {
          name: 'done',
          kind: 'wait',
          after: ['publish', 'alarm'],
          trigger_rule: 'none_failed',
          parameters: { seconds: 0 },
        },
      ],
    });
    const before = asked.length;
    const ended = await run(id, { topic: 'Peru' });
    expect(ended).toMatchObject({
      success: true,
      status: 'completed',
      node_results: {
        find: { status: 'succeeded', attempts: 2, output: { status: 200 } },
        each: { status: 'succeeded', items: { succeeded: 2 } },
        choose: { status: 'succeeded', output: { chosen: ['publish'] } },
        publish: { status: 'succeeded', response_bytes: 46 },
        alarm: { status: 'skipped', code: 'skipped' },
        done: { status: 'succeeded' },
      },
    });
    expect(ended.critical_path).toEqual(['find', 'each', 'choose', 'publish', 'done']);
    const calls = asked.slice(before);
    expect(calls.map(({ path }) => path)).toEqual(['/find', '/find', '/publish']);
    // Both attempts have one key, so that a server acts once.
    expect(calls[0]?.headers['idempotency-key']).toBe(calls[1]?.headers['idempotency-key']);
    const captured = (await world.events()).filter(({ type }) => type === 'HoldCaptured');
    const charge = captured.find(
      ({ data }) => (data as { readonly holdId: string }).holdId === ended.run_id,
    );
    expect(charge?.data).toMatchObject({
      purpose: 'workflow_run',
      rig: 'scripted',
      lines: [
        { step: 'each/0', meter: 'input_tokens' },
        { step: 'each/0', meter: 'output_tokens' },
        { step: 'each/1', meter: 'input_tokens' },
        { step: 'each/1', meter: 'output_tokens' },
      ],
      amountMicroUsd: ended.amount_micro_usd,
      evidence: { workflowId: id, version: 1, status: 'completed' },
    });
  });
});
