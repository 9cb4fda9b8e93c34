import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { type Bus, type Delivery } from '#platform/bus/bus.port.js';
import { POSTCARD_MODE } from '../planted/postcards/postcard-chat.strategy.js';
import { DELIVERED_TOPIC, REPLIES_TOPIC } from '../planted/postcards/postcards.area.js';
import { eventually } from './quipu.harness.js';
import { asOperator } from '#apps/operations/operations.fixture.js';

/** An installation that runs the planted area. */
export interface PlantedWorld {
  readonly url: string;
  readonly apiKey: string;
  readonly accountId: string;
  /** Of the installation: the one on which the area publishes and consumes. */
  readonly bus: Bus;
}

const GREETING = 'Greetings from the high Andes';
const WORDS = 5;
/** As `postcards.settings.ts` has it, unless a suite sets another. */
const MICRO_USD_PER_WORD = 100;

/** The services of the planted area for its users, on any engines. */
export const plantedAreaSuite = (world: () => PlantedWorld): void => {
  const call = async (
    method: string,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const response = await fetch(`${world().url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${world().apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: JSON.parse(text) as object };
  };

  const write = async (headers: Readonly<Record<string, string>> = {}) => {
    const written = await call('POST', '/api/v1/postcards', { greeting: GREETING }, headers);
    expect(written).toMatchObject({ status: 201, body: { success: true } });
    return { ...written, id: (written.body as { id: string }).id };
  };

  const becomes = (id: string, expected: object) =>
    eventually(async () => {
      const { body } = await call('GET', `/api/v1/postcards/${id}`);
      return Object.entries(expected).every(
        ([field, value]) => (body as Readonly<Record<string, unknown>>)[field] === value,
      );
    });

  const overview = async () =>
    (await call('GET', '/api/v1/billing/overview.php')).body as {
      readonly held_usd: number;
      readonly telemetry: {
        readonly total_compute_spend: number;
        readonly total_inference_spend: number;
      };
    };

  it('takes a postcard, has its words counted by the engine, and charges for them', async () => {
    const before = await overview();
    const { id } = await write();
    await becomes(id, { status: 'delivered', words: WORDS });
    await eventually(async () => (await overview()).held_usd === 0);
    const { telemetry } = await overview();
    const price = (WORDS * MICRO_USD_PER_WORD) / 1e6;
    expect(telemetry.total_compute_spend - before.telemetry.total_compute_spend).toBeCloseTo(price);
    expect(telemetry.total_inference_spend).toBe(before.telemetry.total_inference_spend);
  });

  it('answers chats in a routing mode of its own, which the OpenAPI document lists', async () => {
    const before = await overview();
    const { status, body } = await call('POST', '/v1/chat/completions', {
      model: 'any',
      messages: [{ role: 'user', content: GREETING }],
      routing_mode: POSTCARD_MODE,
    });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { routing_mode: POSTCARD_MODE, choices: [{ message: { content: GREETING } }] },
    });
    const { telemetry } = await overview();
    const price = (WORDS * MICRO_USD_PER_WORD) / 1e6;
    expect(telemetry.total_compute_spend - before.telemetry.total_compute_spend).toBeCloseTo(price);
    const document = await call('GET', '/openapi.json');
    expect(JSON.stringify(document.body)).toContain(`"enum":["auto",`);
    expect(JSON.stringify(document.body)).toContain(`"${POSTCARD_MODE}"`);
  });

  it('has an album bound by a job, and charges for the usage of the job', async () => {
    const before = await overview();
    const greetings = [GREETING, 'From the coast', 'And from the forest'];
    const bound = await call('POST', '/api/v1/postcards/albums', { greetings });
    expect(bound).toMatchObject({ status: 201, body: { success: true } });
    const { id } = bound.body as { readonly id: string };
    const album = async () =>
      (
        (await call('GET', `/api/v1/postcards/albums/${id}`)).body as {
          readonly album: object | null;
        }
      ).album;
    await eventually(async () => (await album()) !== null);
    expect(await album()).toEqual({
      pages: [`1. ${GREETING}`, '2. From the coast', '3. And from the forest'],
    });
    await eventually(async () => (await overview()).held_usd === 0);
    const { telemetry } = await overview();
    const price = ((WORDS + 3 + 4) * MICRO_USD_PER_WORD) / 1e6;
    expect(telemetry.total_compute_spend - before.telemetry.total_compute_spend).toBeCloseTo(price);
  });

  it('writes one postcard for one Idempotency-Key', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const first = await write(key);
    const again = await write(key);
    expect(again.id).toBe(first.id);
    expect(again.headers.get('x-quipu-idempotent-replay')).toBe('true');
  });

  it('publishes what is delivered, and takes replies', async () => {
    const { bus } = world();
    const delivered: Delivery[] = [];
    const consumer = await bus.consume({
      topic: DELIVERED_TOPIC,
      group: `test-${randomUUID()}`,
      handle: (delivery) => Promise.resolve(void delivered.push(delivery)),
    });
    const { id } = await write();
    await eventually(() => delivered.some(({ key }) => key === id));
    expect(delivered.find(({ key }) => key === id)?.data).toEqual({ postcardId: id, words: WORDS });
    await consumer.close();
    const reply = {
      key: id,
      id: randomUUID(),
      headers: {},
      data: { postcardId: id, reply: 'Ola' },
    };
    // A bus may deliver twice; the second is nothing new.
    await bus.publish(REPLIES_TOPIC, [reply, reply]);
    await becomes(id, { status: 'answered', reply: 'Ola' });
  });

  it('puts a reply that it cannot read among the dead letters, with the reason', async () => {
    const { bus } = world();
    const bad = { key: 'x', id: randomUUID(), headers: {}, data: { postcardId: 'nowhere' } };
    await bus.publish(REPLIES_TOPIC, [bad]);
    const isDead = async () => {
      const letters = await bus.deadLetters(REPLIES_TOPIC, 'postcards.replies');
      return letters.some(({ id, reason }) => id === bad.id && reason.includes('postcardId'));
    };
    await eventually(isDead);
  });

  it('fails with the codes, statuses and fields that the area declares', async () => {
    const greeting = 'word '.repeat(40).trim();
    expect(await call('POST', '/api/v1/postcards', { greeting })).toMatchObject({
      status: 422,
      body: { success: false, code: 'postcard_too_long', param: 'greeting' },
    });
    expect(await call('GET', `/api/v1/postcards/${randomUUID()}`)).toMatchObject({
      status: 404,
      body: { success: false, code: 'postcard_not_found' },
    });
  });

  it('shows its part of readiness, its metrics and its routes', async () => {
    const readiness = () => call('GET', '/health/ready', undefined, asOperator.headers);
    let ready = await readiness();
    await eventually(async () => (ready = await readiness()).status === 200);
    expect(ready.body).toMatchObject({ status: 'ready', post_office: 'open' });
    const metrics = await (await fetch(`${world().url}/metrics`, asOperator)).text();
    expect(metrics).toMatch(/^postcards_taken_total [1-9]/m);
    const { body } = await call('GET', '/openapi.json');
    expect(Object.keys((body as { readonly paths: object }).paths)).toContain('/api/v1/postcards');
  });
};
