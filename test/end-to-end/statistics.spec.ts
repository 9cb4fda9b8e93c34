import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { METRIC_TYPES } from '#apps/gateway/statistics/statistics.dto.js';
import { runCommand } from './command-line.fixture.js';
import { answering, chatRequest, startWorld, type World } from './quipu.harness.js';

const METRICS = '/api/v1/stats/metrics';

/** Every field of the answer, and the kind of its values. */
const FIELDS: Readonly<Record<string, RegExp>> = {
  success: /^true$/,
  timestamp: /^\d{10}$/,
  timespan: /^\d+[hd]$/,
  metric_type: /^[a-z]+$/,
  'privacy_policy.data_type': /^aggregated$/,
  'privacy_policy.pii_protection': /^no user, account, balance, /,
  'privacy_policy.aggregation': /^(figures are published|a figure of fewer than \d+) /,
  'summary.total_compute_nodes': /^\d+$/,
  'summary.online_nodes': /^\d+$/,
  'summary.total_active_units': /^null$/,
  'summary.total_tflops_capacity': /^null$/,
  'summary.avg_gpu_temperature_c': /^null$/,
  'summary.avg_power_draw_w': /^null$/,
  'summary.total_inferences_24h': /^(\d+|null)$/,
  'summary.revenue_usd_timespan': /^(0(\.\d+)?|null)$/,
  'summary.position': /^\d+$/,
  'charts.revenue_trend': /^null$/,
  'charts.revenue_trend.title': /^Revenue in USD$/,
  'charts.revenue_trend.labels.*': /^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/,
  'charts.revenue_trend.datasets.*.name': /^revenue_usd$/,
  'charts.revenue_trend.datasets.*.data.*': /^(0(\.\d+)?|null)$/,
  'charts.revenue_trend.position': /^\d+$/,
  'charts.gpu_brand_distribution': /^null$/,
  'charts.gpu_brand_distribution.title': /^Nodes by brand$/,
  'charts.gpu_brand_distribution.position': /^\d+$/,
  'charts.telemetry_timeseries': /^null$/,
  'charts.telemetry_timeseries.title': /^Telemetry of the nodes$/,
  'charts.telemetry_timeseries.labels.*': /^\d{4}-\d\d-\d\dT\d\d:\d\d:00\.000Z$/,
  'charts.telemetry_timeseries.datasets.*.name': /^avg_(gpu_temperature_c|power_draw_w)$/,
  'charts.telemetry_timeseries.datasets.*.data.*': /^null$/,
  'charts.telemetry_timeseries.position': /^\d+$/,
  position: /^\d+$/,
};

const leavesOf = (value: unknown, path = ''): readonly (readonly [string, string])[] => {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, inner]) => {
    const step = isList ? '*' : key;
    return leavesOf(inner, path === '' ? step : `${path}.${step}`);
  });
};

const EMAIL = 'ada@example.org';
const PROMPT = 'Which knot keeps accounts?';

describe('the statistics of the platform', () => {
  let world: World;
  const get = (query: object, key = world.credentials.api_key) =>
    request(world.quipu.url).get(METRICS).query(query).set('Authorization', `Bearer ${key}`);

  beforeAll(async () => {
    const environment = { QUIPU_STATISTICS_GROUP_MIN: '1' };
    world = await startWorld([answering('Knots', ' keep', ' accounts', '.')], { environment });
    const messages = [{ role: 'user' as const, content: PROMPT }];
    await world.openai.chat.completions.create({
      ...chatRequest(),
      messages,
      safety_identifier: EMAIL,
    });
  });

  afterAll(() => world.close());

  it('have every field of the interface, at one log position', async () => {
    const { body } = await get({}).expect(200);
    expect(body).toMatchObject({ success: true, timespan: '24h', metric_type: 'all' });
    const events = await world.events();
    expect(BigInt(String(body.position))).toBeGreaterThanOrEqual(events.at(-1)?.position ?? 0n);
    const positions = leavesOf(body).filter(([path]) => path.endsWith('position'));
    expect(positions).toHaveLength(5);
    expect(new Set(positions.map(([, position]) => position)).size).toBe(1);
    expect(body.summary).toMatchObject({ total_compute_nodes: 1, online_nodes: 1 });
  });

  it('say how much data the answers to an account had, and to all for an Admin', async () => {
    const moved = (query: object, key = world.credentials.api_key) =>
      request(world.quipu.url)
        .get('/api/v1/stats/data_moved')
        .query(query)
        .set('Authorization', `Bearer ${key}`);
    const { body } = await moved({}).expect(200);
    expect(body).toMatchObject({
      success: true,
      scope: 'account',
      month: new Date().toISOString().slice(0, 7),
      charged: { answers: 1, unmeasured_answers: 0 },
      rigs: [{ rig: 'scripted', answers: 1, unmeasured_answers: 0 }],
    });
    const { bytes_out: content } = body.charged;
    expect(content).toBe(body.rigs[0].bytes_out);
    const captured = (await world.events()).find(({ type }) => type === 'HoldCaptured');
    expect(captured?.data).toMatchObject({ bytesOut: content });
    expect(content).toBeGreaterThan('Knots keep accounts.'.length);
    const platform = await moved({ scope: 'platform' }).expect(200);
    expect(platform.body).toMatchObject({ charged: { bytes_out: content }, scope: 'platform' });
    await moved({ scope: 'platform' }, world.credentials.renter_key).expect(403);
    expect((await moved({ month: '2020-01' }).expect(200)).body).toMatchObject({ answers: 0 });
    await moved({ month: '2026-13' }).expect(400);
  });

  it('have no field and no text but the ones that are meant to be public', async () => {
    const secrets = [
      ...Object.values(world.credentials).filter((one) => typeof one === 'string' && one !== ''),
      ...[EMAIL, PROMPT, 'Knots', 'scripted', new URL(world.upstream.baseUrl).host, '127.0.0.1'],
    ].map(String);
    for (const timespan of ['1h', '24h', '3d', '7d', '365d']) {
      for (const type of METRIC_TYPES) {
        const { text } = await get({ timespan, metric_type: type }).expect(200);
        for (const [path, value] of leavesOf(JSON.parse(text))) {
          expect([path, value]).toEqual([path, expect.stringMatching(FIELDS[path] ?? /^$/)]);
        }
        const found = secrets.filter((secret) => text.includes(secret));
        expect(found.filter((secret) => !METRICS.includes(secret))).toEqual([]);
      }
    }
  });

  it('have only the charts that were asked for', async () => {
    const { body } = await get({ metric_type: 'revenue' }).expect(200);
    expect(body.charts).toMatchObject({ revenue_trend: { title: 'Revenue in USD' } });
    expect(body.charts).toMatchObject({ gpu_brand_distribution: null, telemetry_timeseries: null });
  });

  it('may be asked of a past state', async () => {
    const { body } = await get({ asOf: '0' }).expect(200);
    expect(body).toMatchObject({ position: '0', summary: { total_compute_nodes: 0 } });
    await get({ asOf: '9223372036854775807' }).expect(400);
  });

  it.each([
    ['timespan', '0d'],
    ['timespan', '366d'],
    ['timespan', '1w'],
    ['timespan', 'all'],
    ['metric_type', 'users'],
    ['asOf', 'then'],
  ])('reject another %s by name: %s', async (field, value) => {
    const { body } = await get({ [field]: value }).expect(400);
    expect(body).toMatchObject({ success: false, message: expect.stringContaining(field) });
  });

  const quipu = async (...words: readonly string[]) => {
    const ended = await runCommand(world.environment, [...words, '--json']);
    const output: unknown = JSON.parse(ended.stdout || ended.stderr);
    return { exitCode: ended.exitCode, output };
  };

  it('are recomputed from zero by a command', async () => {
    const { body } = await get({}).expect(200);
    const at = String(body.position);
    const { exitCode, output } = await quipu('stats', 'recompute', '--at', at);
    expect({ exitCode, output }).toMatchObject({
      exitCode: 0,
      output: { success: true, equal: true, position: at, differences: [] },
    });
  });

  it('are not recomputed beyond the log, or for another timespan', async () => {
    const beyond = await quipu('stats', 'recompute', '--at', '9223372036854775807');
    expect(beyond).toMatchObject({ exitCode: 2, output: { success: false, code: 'usage' } });
    const other = await quipu('stats', 'recompute', '--timespan', '1w');
    expect(other).toMatchObject({ exitCode: 1, output: { code: 'invalid_timespan' } });
  });

  it('need a credential, of any kind and role', async () => {
    await request(world.quipu.url).get(METRICS).expect(401);
    await get({}, world.credentials.renter_key).expect(200);
  });

  it('count the bytes of every route: downloads, streams, answers without a charge', async () => {
    const bytesOut = async (): Promise<readonly [bytes: number, answers: number]> => {
      world = await world.restart();
      const response = await fetch(`${world.quipu.url}/api/v1/stats/data_moved`, {
        headers: { authorization: `Bearer ${world.credentials.api_key}` },
      });
      const { bytes_out: bytes, answers } = (await response.json()) as Record<string, number>;
      return [bytes ?? NaN, answers ?? NaN];
    };
    const [before, answersBefore] = await bytesOut();
    const text = 'x'.repeat(100_000);
    const file = await world.openai.files.create({
      file: new File([text], 'long.txt'),
      purpose: 'user_data',
    });
    expect(await (await world.openai.files.content(file.id)).text()).toBe(text);
    const [once, answersOnce] = await bytesOut();
    // The figure was read as well: once before the restart.
    expect(answersOnce).toBe(answersBefore + 3);
    expect(once - before).toBeGreaterThan(text.length);
    expect(once - before).toBeLessThan(text.length + 5_000);
    const stream = await world.openai.chat.completions.create({ ...chatRequest(), stream: true });
    expect(await Array.fromAsync(stream)).not.toEqual([]);
    await request(world.quipu.url).get(METRICS).expect(401);
    const [then, answersThen] = await bytesOut();
    expect(answersThen).toBe(answersOnce + 2);
    expect(then).toBeGreaterThan(once + 500);
  });
});
