import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import request from 'supertest';
import {
  chunksOf,
  completionOf,
  DONE,
  eventOf,
  json,
  type Script,
  sse,
  statement,
  usageChunkOf,
} from '#areas/inference/rigs/upstream.fake.js';
import { attemptsOf } from '#areas/traces/recorded-attempts.js';
import { type RigAttemptsRecorded } from '#events/costs/rig-attempt.events.js';
import { CommandLine, type CreatedUser } from './command-line.fixture.js';
import { chatRequest, eventually, MODEL, startWorld, type World } from './quipu.harness.js';

/** Digits that occur nowhere else. */
const SECRET = '777123';
const COST_USD = `0.000${SECRET}`;
const USAGE = { ...statement(9, 3), cost: Number(COST_USD), cost_details: { upstream: 1 } };

const answer: Script = (response, received) => {
  const script =
    received.body['stream'] === true
      ? sse([...chunksOf('A', ' quipu').map(eventOf), eventOf(usageChunkOf(USAGE)), DONE])
      : json(200, completionOf('A quipu', USAGE));
  script(response, received);
};

const catalogOf = (baseUrl: string): string => `
rigs:
  - name: reseller
    kind: openai
    base_url: '${baseUrl}'
    models: [{ id: ${MODEL}, cost_field: { path: usage.cost, unit: usd } }]
models:
  - { id: ${MODEL}, upstream_id: scripted-1, owned_by: acme, rigs: [reseller], context: 8192,
      max_output: 100, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
`;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

describe('what rigs cost', () => {
  let world: World;
  let ada: CreatedUser;
  let requestId: string;
  const commands = new CommandLine(() => world);
  const today = new Date().toISOString().slice(0, 10);
  const http = () => request(world.quipu.url);
  const as = (key: string) => ({ authorization: `Bearer ${key}` });
  const ask = (body: Readonly<Record<string, unknown>> = {}) =>
    http().post('/v1/chat/completions').set(as(ada.api_key)).send(chatRequest(body));
  const marginOf = async (query: object = {}) => {
    const { body } = await http()
      .get('/api/v1/margin')
      .query({ from: today, to: today, ...query })
      .set(as(world.credentials.api_key))
      .expect(200);
    return body as { readonly rows: readonly Readonly<Record<string, unknown>>[] };
  };

  beforeAll(async () => {
    // The first request is answered by the second attempt.
    world = await startWorld([json(500, { error: { message: 'oh' } }), answer], { catalogOf });
    ada = await commands.createUser('ada', 'renter');
    await commands.result('account', 'credit', '--user', 'ada', '--usd', '1', '--reason', 'spec');
    const first = await ask().expect(200);
    expect(JSON.stringify([first.body, first.headers])).not.toMatch(/"cost|777123/);
    requestId = String(first.headers['x-request-id']);
    const streamed = await ask({ stream: true, stream_options: { include_usage: true } });
    expect(streamed.text).toContain('"usage"');
    expect(streamed.text).not.toMatch(/"cost|777123/);
    await eventually(async () => (await marginOf()).rows[0]?.['attempts'] === 3);
  });

  afterAll(() => world.close());

  it('is in the margin, with the attempts that no customer paid for', async () => {
    const { rows } = await marginOf({ by: 'model,rig,account,day,sent' });
    // 9 tokens at 1 and 3 at 2 micro-dollars, twice.
    expect(rows).toEqual([
      {
        day: today,
        account: String(ada.user_id),
        rig: 'reseller',
        model: MODEL,
        sent: 'scripted-1',
        charges: 2,
        charged_usd: '0.00003',
        attempts: 3,
        stated_costs: 2,
        computed_costs: 0,
        input_tokens: 18,
        output_tokens: 6,
        cost_usd: '0.001554246',
        margin_usd: '-0.001524246',
      },
    ]);
  });

  it('is kept apart from the account, in events that name the hold', async () => {
    const events = await world.log();
    const recorded = events.filter(({ type }) => type === 'RigAttemptsRecorded');
    expect(recorded.every(({ stream }) => stream.startsWith('costs-'))).toBe(true);
    const attempts = recorded.flatMap(({ data }) =>
      attemptsOf(data as RigAttemptsRecorded['data']),
    );
    expect(attempts.filter(({ holdId }) => holdId === requestId)).toMatchObject([
      { outcome: 'failed', cost: null },
      { outcome: 'answered', cost: { basis: 'stated', picoUsd: '777123000' } },
    ]);
    const others = await world.events();
    const text = JSON.stringify(others.map(({ data, metadata }) => [data, metadata]));
    expect(text).not.toContain(SECRET);
  });

  it('is on no route that a customer can read', async () => {
    const { body } = await http().get('/openapi.json');
    const values: Readonly<Record<string, string>> = {
      request_id: requestId,
      requestId,
      id: requestId,
      month: today.slice(0, 7),
      model: MODEL,
      account_id: String(ada.user_id),
    };
    const paths = Object.entries((body as Document).paths)
      .filter(([, operations]) => 'get' in operations)
      .map(([route]) => route.replace(/\{([^}]+)\}/g, (_, name: string) => values[name] ?? '1'));
    expect(paths.length).toBeGreaterThan(50);
    for (const route of paths) {
      // A stream that never ends is cut.
      const { status, text } = await readFor(`${world.quipu.url}${route}`, ada.api_key);
      expect([route, status, text.includes(SECRET)]).toEqual([route, status, false]);
    }
    await http()
      .get('/api/v1/margin')
      .query({ from: today, to: today })
      .set(as(ada.api_key))
      .expect(403);
    await http().get('/api/v1/margin').query({ from: today, to: today }).expect(401);
  });

  it('is the same from the command line, from the log and after a rebuild', async () => {
    const { rows } = await marginOf();
    const options = ['--from', today, '--to', today];
    expect(await commands.result('margin', ...options)).toMatchObject({ rows });
    await commands.result('projections', 'rebuild', 'margins');
    expect((await marginOf()).rows).toEqual(rows);
    const csv = await http()
      .get('/api/v1/margin/report.csv')
      .query({ from: today, to: today })
      .set(as(world.credentials.api_key))
      .expect(200);
    expect(csv.text.split('\r\n').slice(0, 2)).toEqual([
      'model,charges,charged_usd,attempts,stated_costs,computed_costs,input_tokens,' +
        'output_tokens,cost_usd,margin_usd',
      `${MODEL},2,0.00003,3,2,0,18,6,0.001554246,-0.001524246`,
    ]);
  });

  it('is compared with the bill of the provider', async () => {
    const file = path.join(world.home, 'bill.csv');
    await writeFile(
      file,
      'start_time_iso,amount_value,amount_currency,line_item\n' +
        `${today}T00:00:00+00:00,0.0016,usd,"scripted-1-2026-01-01, input_tokens"\n`,
    );
    expect(await commands.result('reconcile', file)).toMatchObject({
      format: 'OpenAI costs',
      rows: [
        {
          day: today,
          model: 'scripted-1',
          billed_usd: '0.0016',
          cost_usd: '0.001554246',
          charged_usd: '0.00003',
          billed_less_cost_usd: '0.000045754',
          attempts: 3,
          attempts_of_unknown_cost: 1,
        },
      ],
    });
    const none = await commands.run('reconcile', path.join(world.home, 'none.csv'));
    expect(JSON.parse(none.stderr)).toMatchObject({ code: 'bad_bill' });
  });

  it.each([
    [{ from: '2026-13-01', to: today }, 'from'],
    [{ from: '2020-01-01', to: today }, 'from'],
    [{ from: today, to: 'now' }, 'to'],
    [{ from: today, to: today, by: 'week' }, 'by'],
  ])('refuses %j by the name of the field', async (query, field) => {
    const { body } = await http()
      .get('/api/v1/margin')
      .query(query)
      .set(as(world.credentials.api_key))
      .expect(400);
    expect(JSON.stringify(body)).toContain(`${field}: expected`);
  });
});

/** The beginning of an answer: what comes within a moment. */
const readFor = async (url: string, key: string) => {
  const leaving = AbortSignal.timeout(2_000);
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${key}` },
      signal: leaving,
      redirect: 'manual',
    });
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>)
        text += decoder.decode(part, { stream: true });
    } catch (error) {
      if (!leaving.aborted) throw error;
    }
    return { status: response.status, text };
  } catch (error) {
    if (!leaving.aborted) throw error;
    return { status: 0, text: '' };
  }
};
