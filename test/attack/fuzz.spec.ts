import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startUpstream, type Upstream } from '#areas/inference/rigs/upstream.fake.js';
import { answering, chatRequest, scriptedCatalog } from '../end-to-end/quipu.harness.js';
import { faultsOf, SECURITY_HEADERS } from './answer-laws.js';
import { PARAMETERS, WALK_MS_MAX } from './attack.options.js';
import { type Attacked, startAttacked } from './attacked.harness.js';
import {
  type Credentials,
  type HostileRequest,
  hostileRequest,
  STATUSES_OF,
} from './hostile-request.arbitrary.js';
import { type OpenApiDocument, type Operation, operationsOf } from './openapi.operations.js';
import { sendRaw } from './raw-request.js';

const statusesOf = (
  { statuses, statusesOfPath }: Operation,
  twist: HostileRequest['twist'],
): ReadonlySet<number> => {
  const documented = twist === 'method' ? statusesOfPath : statuses;
  return documented.union(new Set(STATUSES_OF[twist]));
};

/** The seed, the smallest request, and the laws that its answer breaks. */
const reportOf = (error: unknown): string =>
  error instanceof Error ? `${error.message}\n${String(error.cause)}` : String(error);

describe('fuzzed requests to every operation of the OpenAPI document', () => {
  let upstream: Upstream;
  let attacked: Attacked;
  let document: OpenApiDocument;
  let operations: readonly Operation[];
  let credentials: Credentials | undefined;
  const walked: string[] = [];

  beforeAll(async () => {
    upstream = await startUpstream(answering('Knots', '.'));
    attacked = await startAttacked(scriptedCatalog(upstream.baseUrl));
    document = await attacked.document();
    const { username, password } = attacked.credentials;
    operations = operationsOf(document, { ...chatRequest(), username, password });
  });

  afterAll(async () => {
    await attacked.close();
    await upstream.close();
  });

  const faultsOfAnswerTo = async (operation: Operation, request: HostileRequest) => {
    const { twist, envelopes, method } = request;
    return faultsOf(await sendRaw(attacked.url, request), {
      statuses: statusesOf(operation, twist),
      serverErrors: [501, 503],
      envelopes,
      mediaTypes: twist === 'none' ? operation.mediaTypes : () => [],
      // Bytes that are no request have no id.
      headers: [...SECURITY_HEADERS, ...(twist === 'framing' ? [] : ['x-request-id'])],
      isHead: method === 'HEAD',
    });
  };

  const attack = async (operation: Operation): Promise<void> => {
    // Some requests end the session.
    credentials = await attacked.logIn(credentials);
    await fc.assert(
      fc.asyncProperty(hostileRequest(operation, credentials), async (request) => {
        const faults = await faultsOfAnswerTo(operation, request);
        if (faults.length > 0) throw new Error(faults.join('\n'));
      }),
      PARAMETERS,
    );
    walked.push(operation.id);
  };

  it(
    'break no law of an answer',
    async () => {
      const failures: string[] = [];
      for (const operation of operations) {
        const { id, method, path } = operation;
        await attack(operation).catch((error: unknown) => {
          failures.push(`${id}, ${method} ${path}: ${reportOf(error)}`);
        });
      }
      expect(failures).toEqual([]);
    },
    WALK_MS_MAX,
  );

  it('were sent to each of them', () => {
    const described = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(described.length).toBeGreaterThan(20);
    expect(walked.toSorted()).toEqual(described.toSorted());
  });

  it('reached a rig, and were charged', async () => {
    const types = (await attacked.events()).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['HoldPlaced', 'HoldCaptured', 'SessionStarted']));
  });

  it('leave the process ready, every hold closed and the ledger balanced', async () => {
    expect(await attacked.wounds()).toEqual([]);
  });
});
