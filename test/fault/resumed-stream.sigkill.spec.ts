import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startUpstream, type Upstream } from '#areas/inference/rigs/upstream.fake.js';
import { scriptedCatalog } from '../end-to-end/quipu.harness.js';
import {
  CHAT,
  EVENTS,
  eventsIn,
  PacedUpstream,
  readEvents,
} from '../end-to-end/resumed-streams.fixture.js';
import { freePorts } from '../servers/server-process.js';
import { KillableQuipu } from './killable-quipu.js';
import { auditOf } from './ledger-of-log.js';

describe('SIGKILL of the gateway of a resumable stream', () => {
  const paced = new PacedUpstream();
  let home: string;
  let upstream: Upstream;
  let victim: KillableQuipu;
  let key: string;

  beforeAll(async () => {
    upstream = await startUpstream(paced.script);
    home = await mkdtemp(path.join(tmpdir(), 'quipu-resumed-'));
    const catalog = path.join(home, 'catalog.yaml');
    await writeFile(catalog, scriptedCatalog(upstream.baseUrl));
    const [port = 0] = await freePorts(1);
    // A stream is lost after a quarter of the grace.
    victim = new KillableQuipu(home, port, catalog, { QUIPU_RESUME_GRACE_SECONDS: '2' });
    await victim.start();
    const bootstrap = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
    ({ api_key: key } = JSON.parse(bootstrap) as { api_key: string });
  });

  afterAll(async () => {
    await victim.kill('SIGKILL');
    await upstream.close();
    await rm(home, { recursive: true, force: true });
  });

  it('leaves what was kept, a clear end, and one charge for the retry', async () => {
    const prompt = randomUUID();
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${key}`,
      'idempotency-key': randomUUID(),
      'x-quipu-resumable': 'true',
    };
    const ask = () => {
      const body = JSON.stringify(CHAT.body(prompt));
      return fetch(`${victim.url}${CHAT.route}`, { method: 'POST', headers, body });
    };
    paced.allow(prompt, 3);
    const broken = await ask();
    const streamId = broken.headers.get('x-request-id') ?? '';
    const first = await readEvents(broken, 3);
    const resume = (after: number): Promise<Response> => {
      const lastEventId = { 'last-event-id': `${streamId}-${after}` };
      const url = `${victim.url}/v1/streams/${streamId}`;
      return fetch(url, { headers: { ...headers, ...lastEventId } });
    };
    // Once they are read at another place, they are kept.
    expect(await readEvents(await resume(0), 3)).toBe(first);
    await victim.kill('SIGKILL');
    await victim.start();

    const kept = await (await resume(0)).text();
    expect(kept.startsWith(first)).toBe(true);
    expect(kept.slice(first.length)).toMatch(/^data: .*"code":"stream_lost"/);
    expect(eventsIn(await (await resume(3)).text())).toEqual([]);

    paced.allow(prompt, 'all');
    expect(eventsIn(await (await ask()).text())).toHaveLength(EVENTS);
    const events = await victim.events();
    expect(auditOf(events).faults).toEqual([]);
    const ends = events.filter(({ type }) => /^Hold(Captured|Released|Expired)$/.test(type));
    expect(ends.map(({ type, data }) => [type, (data as { holdId: string }).holdId])).toEqual([
      ['HoldReleased', streamId],
      ['HoldCaptured', expect.not.stringMatching(streamId)],
    ]);
  });
});
