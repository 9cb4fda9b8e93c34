/** The built package `@quipu/client` against a gateway. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import type * as charge from '../../packages/client/charge.js';
import type * as client from '../../packages/client/client.js';
import type * as statement from '../../packages/client/statement.js';
import { chatRequest, eventsOf, startWorld, type World } from './quipu.harness.js';
import { EVENTS, MICRO_USD, PacedUpstream, WORDS } from './resumed-streams.fixture.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const BUILT = path.join(ROOT, 'packages/client/dist/index.mjs');
const COMPILER = path.join(ROOT, 'node_modules/typescript-native/bin/tsc');
/** Minified and compressed, with its two packages. */
const BYTES_MAX = 9 * 1_024;

const FITS = `
import { createQuipu } from '@quipu/client';
const { api } = createQuipu({ baseUrl: 'http://127.0.0.1:8080', apiKey: 'sk-svc-1' });
const { data } = await api.GET('/api/v1/billing/statements/{month}', {
  params: { path: { month: '2026-11' } },
});
export const closing: string | undefined = data?.closing_micro_usd;
`;

/** The part of the package that the gateway's types do not concern. */
interface Package {
  readonly createQuipu: (options: client.QuipuOptions) => client.Quipu<object>;
  readonly verifyCharge: typeof charge.verifyCharge;
  readonly verifyStatement: typeof statement.verifyStatement;
}

const run = (file: string, ...words: readonly string[]) =>
  promisify(execFile)(process.execPath, [file, ...words], { cwd: ROOT });

describe('the client package', () => {
  const upstream = new PacedUpstream();
  let world: World;
  let built: Package;
  let folder: string;

  beforeAll(async () => {
    await run('dist/tools/client/build.js');
    built = (await import(pathToFileURL(BUILT).href)) as Package;
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-client-'));
    world = await startWorld([upstream.script], {
      environment: { QUIPU_AUDIT_CHECKPOINT_MS: '50' },
    });
  });

  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const connect = (options: Partial<client.QuipuOptions> = {}) =>
    built.createQuipu({
      baseUrl: world.quipu.url,
      apiKey: world.credentials.api_key,
      ...options,
    });

  const json = async <Answer>(route: string): Promise<Answer> => {
    const headers = { authorization: `Bearer ${world.credentials.api_key}` };
    return (await (await fetch(`${world.quipu.url}${route}`, { headers })).json()) as Answer;
  };

  const logKey = async (): Promise<string> =>
    (await (await fetch(`${world.quipu.url}/audit/key`)).text()).trim();

  it('exports these names', () => {
    expect(Object.keys(built)).toEqual([
      'AnswerStream',
      'ProofError',
      'QuipuError',
      'checkProof',
      'createQuipu',
      'decodeEvent',
      'priceOf',
      'verifyCharge',
      'verifyStatement',
    ]);
  });

  it(`has at most ${BYTES_MAX} bytes in a page, and no module of Node`, async () => {
    const { outputFiles } = await build({
      entryPoints: [BUILT],
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    });
    const bytes = gzipSync(outputFiles[0]?.contents ?? '').length;
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThanOrEqual(BYTES_MAX);
  });

  it('has the types of the routes, and none of others', async () => {
    const config = {
      extends: path.join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        incremental: false,
        tsBuildInfoFile: null,
        lib: ['esnext', 'dom'],
        types: [],
        paths: { '@quipu/client': [BUILT.replace(/mjs$/, 'd.mts')] },
      },
      files: ['fits.mts', 'lacks.mts'],
      include: [],
    };
    await writeFile(path.join(folder, 'fits.mts'), FITS);
    await writeFile(path.join(folder, 'lacks.mts'), FITS.replace('closing_micro', 'final_micro'));
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
    const compiled = run(COMPILER, '-p', folder, '--pretty', 'false');
    const { stdout } = (await compiled.catch((error: unknown) => error)) as { stdout: string };
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/lacks\.mts\(.*final_micro_usd/),
    ]);
  });

  it('is charged once for a request whose answer was lost', async () => {
    const attempts: Response[] = [];
    const quipu = connect({
      fetch: async (request) => {
        const response = await fetch(request);
        attempts.push(response);
        if (attempts.length > 1) return response;
        await response.arrayBuffer();
        throw new TypeError('the connection was reset');
      },
    });
    const stream = await quipu.stream('/v1/chat/completions', chatRequest());
    const answered = attempts.map(({ headers }) => headers.get('x-request-id'));
    for await (const event of stream) expect(event.id).toContain(answered[0]);
    expect(answered).toEqual([stream.requestId, expect.anything()]);
    const charges = (await world.events()).filter(({ type }) => type === 'HoldCaptured');
    expect(charges.map(({ data }) => data)).toEqual([
      expect.objectContaining({ amountMicroUsd: MICRO_USD }),
    ]);
  });

  it('resumes a stream whose connection is lost, and verifies its one charge', async () => {
    let broken = 0;
    /** Loses the connection after three chunks, as often as it is opened. */
    const losing = async (request: Request): Promise<Response> => {
      const response = await fetch(request);
      if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
        return response;
      }
      let chunks = 0;
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          controller.enqueue(chunk);
          chunks += 1;
          if (chunks < 3) return;
          broken += 1;
          controller.error(new TypeError('the connection was reset'));
        },
      });
      return new Response(response.body?.pipeThrough(cut), response);
    };
    const quipu = connect({ fetch: losing });
    const prompt = 'Resume.';
    upstream.allow(prompt, 4);
    const stream = await quipu.stream('/v1/chat/completions', {
      ...chatRequest(),
      messages: [{ role: 'user', content: prompt }],
    });
    const ids: (string | null)[] = [];
    let text = '';
    for await (const { id, data } of stream) {
      ids.push(id);
      upstream.allow(prompt, ids.length + 4);
      if (data === '[DONE]') continue;
      const { choices } = JSON.parse(data) as {
        readonly choices: readonly { readonly delta: { readonly content?: string } }[];
      };
      text += choices[0]?.delta.content ?? '';
    }
    expect(broken).toBeGreaterThan(0);
    expect(text).toBe(WORDS.join(''));
    expect(ids).toEqual(Array.from({ length: EVENTS }, (_, n) => `${stream.requestId}-${n + 1}`));

    const charged = await quipu.verifyCharge(stream.requestId, await logKey());
    expect(charged).toMatchObject({ status: 'charged', amountMicroUsd: BigInt(MICRO_USD) });
    const own = eventsOf(await world.events(), stream.requestId).map(({ type }) => type);
    expect(own).toEqual(['HoldPlaced', 'HoldCaptured']);
  });

  it('reads a stream on in another process, after the last event that it has', async () => {
    const stream = await connect().stream('/v1/chat/completions', chatRequest());
    for await (const event of stream) if (event.id?.endsWith('-2') === true) break;
    const rest = await connect().resumeStream(stream.lastEventId ?? '');
    const ids: (string | null)[] = [];
    for await (const { id } of rest) ids.push(id);
    expect(ids[0]).toBe(`${stream.requestId}-3`);
    expect(ids).toHaveLength(EVENTS - 2);
  });

  it('does not verify a charge that was changed', async () => {
    const stream = await connect().stream('/v1/chat/completions', chatRequest());
    for await (const event of stream) expect(event.data).not.toBe('');
    const answer = await json<charge.AuditedRequest>(`/audit/requests/${stream.requestId}`);
    const key = await logKey();
    const events = answer.events.map(({ encoding, proof }) => {
      const text = Buffer.from(encoding, 'base64').toString('latin1');
      const changed = text.replace(`"amountMicroUsd":"${MICRO_USD}"`, '"amountMicroUsd":"11"');
      return { proof, encoding: Buffer.from(changed, 'latin1').toString('base64') };
    });
    expect((await built.verifyCharge(answer, key)).amountMicroUsd).toBe(BigInt(MICRO_USD));
    expect(events).not.toEqual(answer.events.map(({ encoding, proof }) => ({ proof, encoding })));
    const verified = built.verifyCharge({ ...answer, events }, key);
    await expect(verified).rejects.toThrow('an event is not in the log');
  });

  it('recomputes the statement of the month', async () => {
    const month = new Date().toISOString().slice(0, 7);
    const answer = await json<{ readonly closing_micro_usd: string }>(
      `/api/v1/billing/statements/${month}`,
    );
    const { chargedMicroUsd, closingMicroUsd } = built.verifyStatement(answer);
    expect(chargedMicroUsd).toBe(4n * BigInt(MICRO_USD));
    expect(closingMicroUsd.toString()).toBe(answer.closing_micro_usd);
    const changed = { ...answer, closing_micro_usd: '1' };
    expect(() => built.verifyStatement(changed)).toThrow('closing_micro_usd is stated as 1');
  });

  it('names the code of a request that is rejected', async () => {
    const quipu = connect({ apiKey: 'sk-svc-wrong' });
    await expect(quipu.stream('/v1/chat/completions', chatRequest())).rejects.toMatchObject({
      name: 'QuipuError',
      status: 401,
      code: 'invalid_api_key',
    });
    await expect(connect().resumeStream(`${randomUUID()}-1`)).rejects.toMatchObject({
      status: 404,
    });
  });
});
