import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { OpenRequests } from '#apps/operations/open-requests.js';
import { CreateUserCommand } from '#areas/identity/users/create-user.handler.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { ACCOUNT, JobsWorld, type ShownJob } from './jobs.harness.js';
import { eventually } from './quipu.harness.js';

interface ServerSentEvent {
  readonly id: number;
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface JobPage {
  readonly jobs: readonly ShownJob[];
  readonly next_after: string | null;
}

const parse = (block: string): ServerSentEvent => {
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
  const data = JSON.parse(field('data')) as ServerSentEvent['data'];
  return { id: Number(field('id')), name: field('event'), data };
};

/** The events of a stream, without its comments. */
async function* eventsIn(response: Response): AsyncGenerator<ServerSentEvent> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    yield* blocks.filter((block) => !block.startsWith(':')).map(parse);
  }
}

describe('the jobs of an account', () => {
  const world = new JobsWorld();
  const { ask, jobOf, isIn, loom, weave } = world;
  let renter: string;

  beforeAll(async () => {
    await world.begin();
    const ada = { username: 'ada', email: 'ada@example.org', role: 'renter' };
    const user = { ...ada, password: null };
    const command = new CreateUserCommand(user, contextOf(randomUUID(), 'test'));
    renter = (await world.standalone.app.get(CommandBus).execute(command)).apiKey;
  });

  afterAll(() => world.end());

  const read = async (
    way: string,
    key = world.admin,
  ): Promise<{ status: number; body: unknown }> => {
    const response = await ask(way, { key });
    return { status: response.status, body: await response.json() };
  };

  const pageOf = async (query: string): Promise<JobPage> =>
    (await read(`?${query}`)).body as JobPage;

  const bind = async (): Promise<string> => {
    const response = await fetch(`${world.standalone.url}/api/v1/postcards/albums`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.admin}`, 'content-type': 'application/json' },
      body: JSON.stringify({ greetings: ['Greetings', 'From the coast'] }),
    });
    return ((await response.json()) as { readonly id: string }).id;
  };

  const follow = (id: string, lastEventId?: string, key = world.admin): Promise<Response> =>
    ask(`/${id}/events`, {
      key,
      ...(lastEventId !== undefined && { headers: { 'last-event-id': lastEventId } }),
    });

  it('are listed newest first, in pages, by type and state', async () => {
    const album = await bind();
    await isIn(album, 'completed');
    const first = await weave(1);
    loom().allow(1);
    await isIn(first, 'completed');
    const second = await weave(1);
    loom().allow(1);
    await isIn(second, 'completed');

    const newest = await pageOf('limit=1');
    expect(newest).toMatchObject({ success: true, jobs: [{ id: second }], next_after: second });
    const next = await pageOf(`limit=1&after=${second}`);
    expect(next).toMatchObject({ jobs: [{ id: first }], next_after: first });
    const last = await pageOf(`limit=1&after=${first}`);
    expect(last).toMatchObject({ jobs: [{ id: album }], next_after: null });

    const woven = await pageOf('type=weaving&limit=1');
    expect(woven).toMatchObject({ jobs: [{ id: second }], next_after: second });
    const rest = await pageOf(`type=weaving&limit=1&after=${second}`);
    expect(rest).toMatchObject({ jobs: [{ id: first }], next_after: null });
    expect(await pageOf('type=postcard-album&state=completed')).toMatchObject({
      jobs: [{ id: album }],
      next_after: null,
    });
    expect(await pageOf('state=failed')).toMatchObject({ jobs: [], next_after: null });
  });

  it.each([
    ['limit', 'limit=0'],
    ['limit', 'limit=101'],
    ['state', 'state=sleeping'],
    ['type', 'type=No%20Type'],
    ['account_id', 'account_id=*'],
    ['colour', 'colour=red'],
  ])('have a list that names the wrong %s', async (field, query) => {
    const { status, body } = await read(`?${query}`);
    expect(status).toBe(400);
    expect((body as { readonly message: string }).message).toContain(field);
  });

  it('have a list that rejects an unknown cursor', async () => {
    expect(await read(`?after=${randomUUID()}`)).toMatchObject({
      status: 400,
      body: { success: false, code: 'job_cursor_unknown', param: 'after' },
    });
  });

  it('show their state, their charge and the reference of their result', async () => {
    const id = await bind();
    await eventually(() => hasCharge(id));
    expect(await read(`/${id}`)).toEqual({
      status: 200,
      body: {
        success: true,
        job: {
          id,
          account_id: ACCOUNT,
          type: 'postcard-album',
          state: 'completed',
          summary: { greetings: 2 },
          after: [],
          parent_id: null,
          retry_of: null,
          attempt: 1,
          attempts_max: 3,
          progress: expect.objectContaining({ done: 2, total: 2, details: { pages: 2 } }),
          usage: [{ meter: 'words', quantity: 4 }],
          result: {
            address: expect.stringMatching(/^[0-9a-f]{64}$/),
            bytes: expect.any(Number),
            summary: { pages: 2 },
            is_kept: true,
          },
          error: null,
          limit: null,
          charge: { outcome: 'charged', amount_micro_usd: '400' },
          submitted_at: expect.any(String),
          start_before: expect.any(String),
          started_at: expect.any(String),
          run_until: null,
          paused_until: null,
          ended_at: expect.any(String),
        },
      },
    });
  });

  const hasCharge = async (id: string): Promise<boolean> =>
    ((await jobOf(id)) as ShownJob & { readonly charge: object | null }).charge !== null;

  it('are followed to the settlement, and resumed behind the last event', async () => {
    const id = await bind();
    const response = await follow(id);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const events = await Array.fromAsync(eventsIn(response));
    expect(events.map((event) => event.id)).toEqual(events.map((_, index) => index));
    expect(events[0]).toMatchObject({ name: 'submitted', data: { job_id: id } });
    const names = events.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['dispatched', 'started', 'progressed']));
    expect(names.slice(-2)).toEqual(['completed', 'settled']);
    expect(events.at(-1)?.data).toMatchObject({ outcome: 'charged', amount_micro_usd: '400' });

    const resumed = await Array.fromAsync(eventsIn(await follow(id, '1')));
    expect(resumed).toEqual(events.slice(2));
    const head = String(events.length - 1);
    expect(await Array.fromAsync(eventsIn(await follow(id, head)))).toEqual([]);
  });

  it('are followed live, resumed in the middle, and cancelled', async () => {
    const id = await weave(5);
    const caller = new AbortController();
    const response = await ask(`/${id}/events`, { signal: caller.signal });
    let last = 0;
    for await (const event of eventsIn(response)) {
      last = event.id;
      if (event.name === 'started') loom().allow(1);
      if (event.name === 'progressed') break;
    }
    caller.abort();

    const later = Array.fromAsync(eventsIn(await follow(id, String(last))));
    const cancelled = await ask(`/${id}/cancel`, { method: 'POST' });
    expect(cancelled.status).toBe(200);
    expect(await cancelled.json()).toMatchObject({
      success: true,
      job: { id, state: expect.stringMatching(/^cancell/) },
    });
    const events = await later;
    expect(events[0]).toMatchObject({ id: last + 1, name: 'cancellation_requested' });
    expect(events.at(-1)).toMatchObject({ name: 'cancelled' });
    const again = await ask(`/${id}/cancel`, { method: 'POST' });
    expect(await again.json()).toMatchObject({ success: true, job: { state: 'cancelled' } });
  });

  it('are followed through silence by comments, until the caller leaves', async () => {
    const requests = world.standalone.app.get(OpenRequests, { strict: false });
    await eventually(() => requests.count === 0);
    const id = await weave(1);
    const caller = new AbortController();
    const response = await ask(`/${id}/events`, { signal: caller.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('\n\n: keep-alive\n\n')) {
      const chunk = await reader?.read();
      expect(chunk?.done).toBe(false);
      text += chunk?.value ?? '';
    }
    expect(requests.count).toBe(1);
    const head = await ask(`/${id}/events`, { method: 'HEAD' });
    expect(head.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(requests.count).toBe(1);
    caller.abort();
    await eventually(() => requests.count === 0);
    loom().allow(1);
    await isIn(id, 'completed');
  });

  it.each(['99', 'last', '-1', '9'.repeat(19)])(
    'are not followed behind the event %s, which they do not have',
    async (lastEventId) => {
      const { id } = (await pageOf('type=weaving&limit=1')).jobs[0] ?? { id: '' };
      const response = await follow(id, lastEventId);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ success: false, param: 'Last-Event-ID' });
    },
  );

  it('are not there for another account, and are for an Admin', async () => {
    const id = await weave(1);
    const absent = { status: 404, body: { success: false, code: 'job_not_found' } };
    for (const way of [`/${id}`, `/${id}/events`, `/${randomUUID()}`, '/nonsense']) {
      expect(await read(way, renter)).toMatchObject(absent);
    }
    const cancel = await ask(`/${id}/cancel`, { method: 'POST', key: renter });
    expect({ status: cancel.status, body: await cancel.json() }).toMatchObject(absent);
    expect(await read('', renter)).toMatchObject({ body: { jobs: [], next_after: null } });
    expect(await read(`?account_id=${ACCOUNT}`, renter)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_role' },
    });
    expect(await read(`?after=${id}`, renter)).toMatchObject({
      status: 400,
      body: { code: 'job_cursor_unknown' },
    });
    const { body } = await read('?account_id=2');
    expect(body).toMatchObject({ jobs: [] });
    loom().allow(1);
    await isIn(id, 'completed');
  });

  it('demand a credential', async () => {
    const response = await fetch(`${world.standalone.url}/api/v1/jobs`);
    expect(response.status).toBe(401);
  });

  it('may be followed by 20 streams of an account, which end with the process', async () => {
    const id = await weave(1);
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow(id)));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    const refused = await follow(id);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ success: false, code: 'too_many_job_streams' });
    const ended = streams.map((stream) => Array.fromAsync(eventsIn(stream)));
    await world.standalone.stop();
    for (const events of await Promise.all(ended)) {
      expect(events.map(({ name }) => name)).not.toContain('error');
      expect(events[0]).toMatchObject({ id: 0, name: 'submitted' });
    }
    await world.start();
  });
});
