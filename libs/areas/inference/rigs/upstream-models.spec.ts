import { afterEach, describe, expect, it } from '@jest/globals';
import { json, never, type Script, startUpstream, type Upstream } from './upstream.fake.js';
import { bearer, keyCredential } from './dialects/credentials.js';
import { upstreamModels } from './upstream-models.js';

describe('the models of an upstream', () => {
  let upstream: Upstream | undefined;

  afterEach(() => upstream?.close());

  const list = async (script: Script, signal = never, timeoutMs = 10_000) => {
    upstream = await startUpstream(script);
    const { baseUrl } = upstream;
    const options = {
      name: 'rack',
      baseUrl,
      credential: keyCredential('rack', { key: 'k-1' }, bearer),
      timeoutMs,
    };
    return upstreamModels(options, signal);
  };

  it('are the ids in its list, which is asked for with its key', async () => {
    const models = json(200, { object: 'list', data: [{ id: 'one' }, { id: 'two' }, {}, 3] });
    expect(await list(models)).toEqual(new Set(['one', 'two']));
    expect(upstream?.received[0]).toMatchObject({
      path: '/v1/models',
      headers: { authorization: 'Bearer k-1' },
    });
  });

  const text =
    (body: string): Script =>
    (response) =>
      response.writeHead(200).end(body);

  it.each<[string, Script, string, string]>([
    ['a status', json(404, {}), 'failed', 'rig rack answered with status 404 when asked'],
    ['no JSON', text('<html>'), 'malformed', 'the list of models of rig rack is not JSON'],
    ['no list', json(200, {}), 'malformed', 'the list of models of rig rack has no data'],
    [
      'too much',
      text('x'.repeat(4 * 1024 * 1024 + 1)),
      'malformed',
      'the list of models of rig rack is larger than 4194304 bytes',
    ],
    [
      'a closed connection',
      (response) => void response.destroy(),
      'unreachable',
      'rig rack cannot be reached',
    ],
  ])('are not known from %s', async (_, script, kind, message) => {
    await expect(list(script)).rejects.toMatchObject({
      kind,
      message: expect.stringContaining(message),
    });
  });

  it('are not known from silence', async () => {
    await expect(list(() => undefined, never, 200)).rejects.toMatchObject({
      kind: 'timed-out',
      message: 'rig rack did not list its models within 200 ms',
    });
  });

  it('are not asked for when the caller has left', async () => {
    await expect(list(json(200, {}), AbortSignal.abort())).rejects.toMatchObject({
      kind: 'cancelled',
    });
  });
});
