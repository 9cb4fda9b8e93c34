import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CommandLine } from './command-line.fixture.js';
import {
  answering,
  chatRequest,
  eventsOf,
  eventually,
  MODEL,
  startWorld,
  type World,
} from './quipu.harness.js';

/** Twice the price of the scripted model: 2 and 4 dollars. */
const LIST = JSON.stringify({
  'scripted-1': {
    litellm_provider: 'acme',
    input_cost_per_token: 2e-6,
    output_cost_per_token: 4e-6,
  },
});

describe('a proposal of prices', () => {
  let world: World;
  let list: string;
  const commands = new CommandLine(() => world);
  const catalog = () => readFile(path.join(world.home, 'catalog.yaml'), 'utf8');
  const chargeOfChat = async (): Promise<unknown> => {
    const { response } = await world.openai.chat.completions.create(chatRequest()).withResponse();
    const events = eventsOf(await world.events(), response.headers.get('x-request-id'));
    const charge = events.find(({ type }) => type === 'HoldCaptured');
    return (charge?.data as { readonly amountMicroUsd?: unknown } | undefined)?.amountMicroUsd;
  };
  const cards = async () => {
    const events = await world.events();
    return events.filter(({ type }) => type === 'RateCardPublished').map(({ data }) => data);
  };

  beforeAll(async () => {
    world = await startWorld([answering('Knots', '.')]);
    list = path.join(world.home, 'prices.json');
    await writeFile(list, LIST);
  });

  afterAll(() => world.close());

  it('is published only when it is confirmed', async () => {
    const before = await catalog();
    const refused = await commands.run('prices', 'propose', '--from', list);
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain('--yes is required without a terminal');
    expect(await catalog()).toBe(before);
    expect(await cards()).toHaveLength(1);
  });

  it('becomes the next rate card, which names the list, and the catalog file', async () => {
    // 9 tokens of input at 1 and 2 of output at 2 micro-dollars.
    expect(await chargeOfChat()).toBe('13');
    const sha256 = createHash('sha256').update(LIST).digest('hex');
    expect(await commands.result('prices', 'propose', '--from', list, '--yes')).toMatchObject({
      format: 'litellm',
      sha256,
      published: true,
      models: [{ model: MODEL, listed: 'scripted-1', changes: [{ from: '1', to: '2' }, {}] }],
      last_month: { charged_micro_usd: '0', repriced_micro_usd: '0' },
    });
    expect(await cards()).toMatchObject([
      {},
      { version: 2, proposedFrom: { format: 'litellm', sha256 } },
    ]);
    await eventually(async () => (await chargeOfChat()) === '26');
    // The server has read the file, which has the prices that are in force.
    world = await world.restart();
    expect(await chargeOfChat()).toBe('26');
    expect(await cards()).toHaveLength(2);
  });

  it('publishes nothing when nothing changes', async () => {
    const repeated = await commands.result('prices', 'propose', '--from', list, '--yes');
    expect(repeated).toMatchObject({ published: false, models: [{ changes: [] }] });
    expect(await cards()).toHaveLength(2);
  });

  it('is shown, published and listed over HTTP', async () => {
    const send = async (route: string, body?: object) => {
      const reply = await fetch(`${world.quipu.url}/api/v1/${route}`, {
        method: body ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${world.credentials.api_key}`,
          'content-type': 'application/json',
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = (await reply.json()) as Readonly<Record<string, unknown>>;
      return { status: reply.status, answer };
    };
    const dearer = LIST.replaceAll('0.00000', '0.0000');
    const proposed = await send('price_proposals', { list: dearer });
    expect(proposed).toMatchObject({
      status: 200,
      answer: {
        format: 'litellm',
        is_changed: true,
        models: [
          {
            model: MODEL,
            changes: [
              { from: '2', to: '20' },
              { from: '4', to: '40' },
            ],
          },
        ],
      },
    });
    expect(await cards()).toHaveLength(2);
    const order = { list: dearer, catalog_sha256: '0'.repeat(64) };
    expect(await send('price_proposals/publish', order)).toMatchObject({
      status: 409,
      answer: { code: 'catalog_changed' },
    });
    const { catalog_sha256: sha256 } = proposed.answer;
    const published = await send('price_proposals/publish', { ...order, catalog_sha256: sha256 });
    expect(published).toMatchObject({ status: 200, answer: { success: true } });
    expect(await catalog()).toContain('input_usd_per_mtok: 20');
    expect(await send('rate_cards')).toMatchObject({
      answer: {
        rate_cards: [
          { version: 3, models: 1, proposed_from: { format: 'litellm' } },
          { version: 2 },
          { version: 1, proposed_from: null },
        ],
      },
    });
    expect(await send('price_proposals', { list: '[]' })).toMatchObject({
      status: 400,
      answer: { param: 'list' },
    });

    const today = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
    const whatIf = (query: string) => send(`spend/what_if?from=${today}&to=${today}${query}`);
    // Charges of 13, 26 and 26 micro-dollars at 20 and 40 micro-dollars a token.
    const atNewest = await whatIf('');
    expect(atNewest.answer['unpriced_charges']).toBe(0);
    const { charges, charged_usd: charged, repriced_usd: repriced } = atNewest.answer;
    expect(Number(repriced)).toBeCloseTo(Number(charges) * 260e-6);
    expect(Number(charged)).toBeLessThan(Number(repriced));
    const atFirst = await whatIf('&rate_card=1');
    expect(Number(atFirst.answer['repriced_usd'])).toBeCloseTo(Number(charges) * 13e-6);
    expect(atFirst.answer['lines']).toContainEqual(
      expect.objectContaining({ meter: 'input_tokens', from_usd: '2', to_usd: '1' }),
    );
    expect(await whatIf('&rate_card=9')).toMatchObject({
      status: 404,
      answer: { code: 'rate_card_not_found' },
    });
    expect(await whatIf('&rig=scripted')).toMatchObject({ status: 400, answer: { param: 'rig' } });
    const asOf = await whatIf('&asOf=1');
    expect(asOf.answer).toMatchObject({ code: 'rate_card_not_found' });
  });

  it('is refused for a file that is no price list', async () => {
    await writeFile(list, '[]');
    const { exitCode, stderr } = await commands.run('prices', 'propose', '--from', list, '--yes');
    expect([exitCode, JSON.parse(stderr)]).toMatchObject([2, { code: 'bad_price_list' }]);
  });
});
