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

  it('is refused for a file that is no price list', async () => {
    await writeFile(list, '[]');
    const { exitCode, stderr } = await commands.run('prices', 'propose', '--from', list, '--yes');
    expect([exitCode, JSON.parse(stderr)]).toMatchObject([2, { code: 'bad_price_list' }]);
  });
});
