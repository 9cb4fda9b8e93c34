import { RequestMethod } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { areas } from '#apps/composition/areas.js';
import { declaredRoutes, type DeclaredRoute } from '#apps/gateway/declared-routes.fixture.js';
import { SCOPE_KEY } from '#apps/gateway/identity/scope.decorator.js';
import { type Scope, SCOPES } from '#events/identity/key-policy.vocabulary.js';
import { startWorld, type World } from './quipu.harness.js';

interface Failure {
  readonly code?: string;
  readonly metadata?: { readonly scope?: string };
}

const WITHOUT_BODY: readonly RequestMethod[] = [RequestMethod.GET, RequestMethod.DELETE];

/** Requests at the same time. */
const LANES = 8;

describe('a key', () => {
  let world: World;

  beforeAll(async () => {
    world = await startWorld([]);
  });

  afterAll(() => world.close());

  const send = (verb: string, path: string, key: string, body?: object) =>
    fetch(`${world.quipu.url}/${path}`, {
      method: verb,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });

  /** The one route whose credential is in its form. */
  const sync = (key: string) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ api_key: key, job_id: '1', file_path: 'a' }))
      form.set(name, value);
    form.set('file_content', new Blob(['knots']), 'a');
    return fetch(`${world.quipu.url}/api/jobs/sync_file`, { method: 'POST', body: form });
  };

  const keyWith = async (...scopes: readonly Scope[]): Promise<string> => {
    const order = { name: 'walk', scopes };
    const { api_key: issuer } = world.credentials;
    const issued = await send('POST', 'api/v1/auth/keys', issuer, order);
    return ((await issued.json()) as { readonly api_key: string }).api_key;
  };

  /** The scope that the answer misses, or null. */
  const missing = async ({ verb, path }: DeclaredRoute, key: string): Promise<string | null> => {
    const address = path.replaceAll(/:\w+|\*/g, 'none');
    const body = WITHOUT_BODY.includes(verb) ? undefined : {};
    const answer = await (path === 'api/jobs/sync_file'
      ? sync(key)
      : send(RequestMethod[verb], address, key, body));
    if (answer.status !== 403) {
      await answer.body?.cancel();
      return null;
    }
    const { error, ...own } = (await answer.json()) as Failure & { readonly error?: Failure };
    const { code, metadata } = error ?? own;
    return code === 'scope_missing' ? (metadata?.scope ?? 'unnamed') : null;
  };

  const keyWithout = (scope: string) => keyWith(...SCOPES.filter((other) => other !== scope));

  it('is admitted by every route of this scope, and no other scope is', async () => {
    const wrong: string[] = [];
    const keys = new Map<string, { readonly only: string; readonly others: string }>();
    for (const scope of SCOPES) {
      keys.set(scope, { only: await keyWith(scope), others: await keyWithout(scope) });
    }
    const none = await keyWith();
    const routes = [...(await declaredRoutes(areas))];
    const lane = async (): Promise<void> => {
      for (let route = routes.pop(); route; route = routes.pop()) {
        const scope = route.metadata(SCOPE_KEY) as string;
        const { only, others } = keys.get(scope) ?? { only: none, others: none };
        const refused = scope === 'open' ? null : scope;
        const found = [await missing(route, only), await missing(route, others)];
        if (found[0] !== null || found[1] !== refused) wrong.push(`${route.name}: ${found.join()}`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    expect(wrong).toEqual([]);
  });
});
