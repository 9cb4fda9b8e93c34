import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { INPUT_LENGTH_MAX } from '#areas/workflows/runs/start-run.handler.js';
import { ITEMS_MAX } from '#areas/workflows/definition/control-nodes.js';
import { startUpstream, type Upstream } from '#areas/inference/rigs/upstream.fake.js';
import { answering, chatRequest, scriptedCatalog } from '../end-to-end/quipu.harness.js';
import { PARAMETERS, RUNS, WALK_MS_MAX } from './attack.options.js';
import { type Attacked, startAttacked } from './attacked.harness.js';
import { type Credentials, type Header, header, presented } from './hostile-request.arbitrary.js';
import { HELD_MS_MAX, LoopWatch } from './loop-watch.js';
import { type Operation, operationsOf } from './openapi.operations.js';
import { type RawRequest, sendRaw } from './raw-request.js';
import { worstBodiesOf } from './worst-bodies.js';

/** To each operation: these requests are large. */
const SENT = Math.ceil(RUNS / 2);
const JSON_TYPE = 'application/json';
const ID = '0198c0de-0000-7000-8000-000000000002';
/** Of a target: the head of a request has 16 KiB. */
const QUERY_CHARACTERS = 12_000;
const PARTS = 60_000;

/** Forms of which a careless parser does much before it sees a limit. */
const WORST_FORMS: readonly (readonly [type: string, body: string])[] = [
  ['multipart/form-data; boundary=x', '--x\r\n\r\n\r\n'.repeat(PARTS)],
  ['multipart/form-data; boundary=x', '--x\r\n'.repeat(PARTS)],
  ['multipart/form-data; boundary=x', `--x\r\n${'a: b\r\n'.repeat(PARTS)}`],
  [
    'multipart/form-data; boundary=x',
    `--x\r\ncontent-disposition: form-data; name="${'a'.repeat(1_000_000)}"\r\n\r\n`,
  ],
  ['application/x-www-form-urlencoded', 'a=1&'.repeat(PARTS)],
  ['application/x-www-form-urlencoded', '&'.repeat(PARTS)],
  ['application/x-www-form-urlencoded', `a=${'%41'.repeat(1_000_000)}`],
  ['application/x-www-form-urlencoded', `${'a'.repeat(1_000_000)}=1`],
];

/** Expands to nearly a mebibyte, the most of one value, with the longest input. */
const WIDE = '{{ inputs.text }}'.repeat(15);
const HALF = '{{ inputs.text }}'.repeat(7);

/** Nodes that expand to all that a run may have. */
const WORST_RUNS: Readonly<Record<string, readonly object[]>> = {
  'the items of a map': [
    {
      name: 'each',
      kind: 'map',
      parameters: {
        items: Array.from({ length: ITEMS_MAX }, (_, n) => n),
        tool: 'calculator',
        parameters: { expression: WIDE },
      },
    },
  ],
  'nodes at once': [
    { name: 'first', kind: 'wait', parameters: { seconds: 0 } },
    ...Array.from({ length: 70 }, (_, n) => ({
      name: `n${n}`,
      kind: 'calculator',
      after: ['first'],
      parameters: { expression: `{{ nodes.first.status }}${WIDE}` },
    })),
  ],
  'branches that search': Array.from({ length: 60 }, (_, n) => ({
    name: `n${n}`,
    kind: 'branch',
    parameters: {
      cases: [{ when: { value: HALF, operator: 'contains', to: `xy${HALF}` }, then: [] }],
    },
  })),
};

describe('one request', () => {
  let upstream: Upstream;
  let watch: LoopWatch;
  let attacked: Attacked;
  let operations: readonly Operation[];
  let credentials: Credentials | undefined;

  beforeAll(async () => {
    upstream = await startUpstream(answering('Knots', '.'));
    watch = await LoopWatch.open();
    // As on two cores: runs of workflows, projections and sagas share the thread that answers.
    const shared = { QUIPU_PROCESSES: '1', QUIPU_PROJECTOR_THREAD: '0' };
    attacked = await startAttacked(scriptedCatalog(upstream.baseUrl), shared, watch.environment);
    const { username, password } = attacked.credentials;
    operations = operationsOf(await attacked.document(), {
      ...chatRequest(),
      username,
      password,
    });
    await watch.begin();
  });

  afterAll(async () => {
    await attacked.close();
    await upstream.close();
  });

  const shownTo = ({ schemes }: Operation): readonly Header[] => {
    const [, value] = Object.entries(credentials ?? {}).find(([name]) => schemes.has(name)) ?? [];
    return value === undefined ? [] : presented(value)[0];
  };

  let senders = 0;

  const requestTo = (
    operation: Operation,
    changes: Partial<Pick<RawRequest, 'target' | 'body'>> & { readonly type?: string },
  ): RawRequest => {
    const { type = JSON_TYPE, target = operation.path.replaceAll(/\{[^}]+\}/g, ID) } = changes;
    const body = changes.body ?? null;
    // Limits for each address are of another suite.
    senders += 1;
    const from = `10.${senders >> 16}.${(senders >> 8) & 255}.${senders & 255}`;
    const headers = [
      ...shownTo(operation),
      header('x-forwarded-for', from),
      ...(body === null ? [] : [header('content-type', type)]),
    ];
    return { method: operation.method, target, headers, body };
  };

  /** The request that holds the loop for too long. */
  const heldBy = async (name: string, request: RawRequest): Promise<string[]> => {
    const held = await watch.heldBy(() => sendRaw(attacked.url, request).catch(() => undefined));
    return held <= HELD_MS_MAX ? [] : [`${name}: ${held.toFixed(0)} ms`];
  };

  /** The requests that are sent to an operation: all of them, or as many as a run has for each. */
  const drawn = <Request>(requests: readonly Request[]): readonly Request[] => {
    if (requests.length <= SENT) return requests;
    const seed = PARAMETERS.seed === undefined ? {} : { seed: PARAMETERS.seed };
    const [some = []] = fc.sample(
      fc.shuffledSubarray([...requests], { minLength: SENT, maxLength: SENT }),
      { numRuns: 1, ...seed },
    );
    return some;
  };

  const walk = async (
    requestsOf: (operation: Operation) => readonly (() => readonly [string, RawRequest])[],
  ): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const operation of operations) {
      const requests = drawn(requestsOf(operation));
      // Some requests end the session.
      if (requests.length > 0) credentials = await attacked.logIn(credentials);
      for (const make of requests) {
        const [name, request] = make();
        const { method, path } = operation;
        found.push(...(await heldBy(`${method} ${path} ${name}`, request)));
      }
    }
    return found;
  };

  it(
    'holds the event loop for 100 ms at most, with the worst of each field',
    async () => {
      const found = await walk((operation) =>
        worstBodiesOf(operation).map((worst) => () => {
          const { name, text } = worst();
          return [name, requestTo(operation, { body: Buffer.from(text) })] as const;
        }),
      );
      expect(found).toEqual([]);
    },
    WALK_MS_MAX * 3,
  );

  it(
    'holds it no longer with the worst form',
    async () => {
      const found = await walk((operation) =>
        WORST_FORMS.filter(([type]) =>
          operation.bodyTypes.some((accepted) => type.startsWith(accepted)),
        ).map(
          ([type, body], n) =>
            () =>
              [`form ${n}`, requestTo(operation, { type, body: Buffer.from(body) })] as const,
        ),
      );
      expect(found).toEqual([]);
    },
    WALK_MS_MAX * 3,
  );

  it(
    'holds it no longer with the worst query and path, or without',
    async () => {
      const found = await walk((operation) => {
        const { path, parameters } = operation;
        const long = '{'.repeat(QUERY_CHARACTERS / 3);
        const queries = parameters
          .filter((one) => one.in === 'query')
          .flatMap(({ name }) =>
            [`${name}=${encodeURIComponent(long)}`, `${name}=1&`.repeat(QUERY_CHARACTERS / 20)].map(
              (query) => `${path.replaceAll(/\{[^}]+\}/g, ID)}?${query}`,
            ),
          );
        const segments = ['a'.repeat(500), '%7B'.repeat(160), '..%2f'.repeat(100)];
        const paths = path.includes('{')
          ? segments.map((segment) => path.replaceAll(/\{[^}]+\}/g, segment))
          : [];
        const plain = path.replaceAll(/\{[^}]+\}/g, ID);
        return [plain, ...queries, ...paths].map(
          (target) => () => [target.slice(0, 100), requestTo(operation, { target })] as const,
        );
      });
      expect(found).toEqual([]);
    },
    WALK_MS_MAX * 3,
  );

  it.each(['/openapi.json', '/docs', '/docs/swagger-ui-bundle.js', '/metrics', '/health/ready'])(
    'holds it no longer for %s',
    async (target) => {
      const request = { method: 'GET', target, headers: [], body: null };
      expect(await heldBy(target, request)).toEqual([]);
    },
  );

  it.each(Object.entries(WORST_RUNS))(
    'holds it no longer when it starts a run: %s',
    async (title, nodes) => {
      credentials = await attacked.logIn(credentials);
      const authorization = `Bearer ${attacked.credentials.api_key}`;
      const post = (target: string, body: object): Promise<Response> =>
        fetch(`${attacked.url}/api/v1/workflows${target}`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      const created = await post('', {
        name: title.replaceAll(' ', '-'),
        definition: { inputs: { text: {} }, nodes },
      });
      expect(created.status).toBe(201);
      const { workflow_id } = (await created.json()) as { readonly workflow_id: number };
      const run = { workflow_id, inputs: { text: 'x'.repeat(INPUT_LENGTH_MAX) }, async: false };
      const statuses: number[] = [];
      const held = await watch.heldBy(async () => {
        statuses.push((await post('/run', run)).status);
      });
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(held).toBeLessThanOrEqual(HELD_MS_MAX);
    },
    WALK_MS_MAX,
  );

  it('is found when it holds the loop for longer', async () => {
    expect(await watch.heldBy(() => watch.compute())).toBeGreaterThan(HELD_MS_MAX);
  });

  it('leaves the process ready, every hold closed and the ledger balanced', async () => {
    expect(await attacked.wounds()).toEqual([]);
  });
});
