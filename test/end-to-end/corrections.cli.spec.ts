import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { runCommand } from './command-line.fixture.js';
import {
  answering,
  chatRequest,
  scriptedCatalog,
  startWorld,
  type World,
} from './quipu.harness.js';

const MONTH = new Date().toISOString().slice(0, 7);
const NO_UPSTREAM = 'http://127.0.0.1:9/v1';

describe('corrections on the command line, beside the running server', () => {
  let world: World;
  let dearer: string;

  const quipu = (...words: readonly string[]) => runCommand(world.environment, words);

  const result = async (...words: readonly string[]): Promise<unknown> => {
    const { exitCode, stdout, stderr } = await quipu(...words, '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return JSON.parse(stdout) as unknown;
  };

  const get = async (route: string): Promise<unknown> => {
    const asked = request(world.quipu.url)
      .get(`/api/v1/billing/${route}`)
      .set('Authorization', `Bearer ${world.credentials.api_key}`);
    return (await asked.expect(200)).body as unknown;
  };

  beforeAll(async () => {
    world = await startWorld([answering('Knots', ' keep', ' accounts', '.')]);
    dearer = path.join(world.home, 'dearer.yaml');
    const catalog = scriptedCatalog(NO_UPSTREAM);
    await writeFile(dearer, catalog.replace('input_usd_per_mtok: 1', 'input_usd_per_mtok: 3'));
    // 9 tokens at 1 micro-dollar and 4 at 2 make 17; at 3 they make 35.
    await world.openai.chat.completions.create(chatRequest());
  });

  afterAll(() => world.close());

  it('show what a month would have cost, and write nothing', async () => {
    const before = (await world.events()).length;
    const replayed = await result(
      ...['replay', '--rate-card', dearer, '--from', `${MONTH}-01`, '--to', '2999-01-01'],
    );
    expect(replayed).toMatchObject({
      success: true,
      charged_micro_usd: '17',
      repriced_micro_usd: '35',
      unpriced_charges: 0,
      accounts: [
        {
          charges: 1,
          lines: [
            {
              model: 'acme/scripted',
              meter: 'input_tokens',
              quantity: '9',
              from: { unit_price_micro_usd: '1000000', per_units: 1_000_000 },
              to: { unit_price_micro_usd: '3000000', per_units: 1_000_000 },
            },
          ],
        },
      ],
    });
    const dry = await result('rerate', '--card', dearer, '--month', MONTH, '--dry-run');
    expect(dry).toMatchObject({
      dry_run: true,
      accounts: [{ difference_micro_usd: '-18', event_id: null }],
    });
    expect((await world.events()).length).toBe(before);
    const { stdout } = await quipu('rerate', '--card', dearer, '--month', MONTH, '--dry-run');
    expect(stdout).toContain(': 0.000017 USD -> 0.000035 USD, 0.000018 USD to charge');
    expect(stdout).toContain('1.00 USD -> 3.00 USD');
  });

  it('re-rate a month once, and back with its own card', async () => {
    expect(await result('rerate', '--card', dearer, '--month', MONTH)).toMatchObject({
      accounts: [{ difference_micro_usd: '-18', rejection: null }],
    });
    expect(await result('rerate', '--card', dearer, '--month', MONTH)).toMatchObject({
      accounts: [{ difference_micro_usd: '0', event_id: null }],
    });
    expect(await get('overview.php')).toMatchObject({ balance_usd: 9.999965 });
    expect(await result('rerate', '--card', '1', '--month', MONTH)).toMatchObject({
      accounts: [{ difference_micro_usd: '18' }],
    });
    expect(await get(`statements/${MONTH}`)).toMatchObject({
      closing_micro_usd: '9999983',
      totals: { charged_micro_usd: '17', adjusted_micro_usd: '0' },
      adjustments: [
        { reference_id: `rerating-${MONTH}-1`, amount_micro_usd: '-18' },
        { reference_id: `rerating-${MONTH}-2`, amount_micro_usd: '18' },
      ],
    });
  });

  it('give back a part of a charge once', async () => {
    const note = ['credit-note', '--user', 'demo', '--month', MONTH, '--reason', 'slow answers'];
    const words = [...note, '--usd', '0.000007', '--id', 'slow'];
    expect(await result(...words)).toMatchObject({ given: true, available_micro_usd: '9999990' });
    expect(await result(...words)).toMatchObject({ given: false, available_micro_usd: '9999990' });
    expect(await get('invoices.php')).toMatchObject({
      invoices: expect.arrayContaining([
        expect.objectContaining({ invoice_type: 'credit_note', amount: 0.000007 }),
      ]),
    });
    const { exitCode, stderr } = await quipu(...note, '--usd', '1', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'adjustment_above_charges' });
    expect(await result('ledger', 'check')).toMatchObject({
      balanced: true,
      adjusted_micro_usd: '7',
      charged_micro_usd: '17',
    });
  });

  it('say where a user is taxed', async () => {
    const words = ['tax', 'set', '--user', 'demo', '--country', 'DE', '--business'];
    expect(await result('tax', 'show', '--user', 'demo')).toMatchObject({ country: null });
    expect(await result(...words)).toMatchObject({ changed: true, business: true });
    expect(await result(...words)).toMatchObject({ changed: false });
    const shown = await quipu('tax', 'show', '--user', 'demo');
    expect(shown.stdout).toContain('demo is taxed in DE');
    expect(shown.stdout).toContain('a business');
    const unknown = await quipu('tax', 'set', '--user', 'demo', '--country', 'ZZ', '--json');
    expect(JSON.parse(unknown.stderr)).toMatchObject({ code: 'country_unknown' });
  });

  it.each([
    [['rerate', '--card', '99', '--month', MONTH], 1, 'rate_card_not_found'],
    [['rerate', '--card', '/no/file.yaml', '--month', MONTH], 2, 'bad_price_file'],
    [['rerate', '--card', '1', '--month', '2026-13'], 2, 'usage'],
    [['rerate', '--card', '1', '--month', MONTH, '--user', 'grace'], 1, 'user_not_found'],
    [['replay', '--rate-card', 'x', '--from', '2026-02-30', '--to', '2026-03-01'], 2, 'usage'],
    [['replay', '--rate-card', 'x', '--from', '2026-03-01', '--to', '2026-03-01'], 2, 'usage'],
  ])('reject %j', async (words, code, reason) => {
    const { exitCode, stderr } = await quipu(...words, '--json');
    expect({ exitCode, ...JSON.parse(stderr) }).toMatchObject({ exitCode: code, code: reason });
  });

  it('explain a charge in sentences, and as JSON for scripts', async () => {
    const [charge] = (await world.events()).filter(({ type }) => type === 'HoldCaptured');
    const { holdId: requestId } = charge?.data as { readonly holdId: string };
    const { stdout } = await quipu('explain', requestId);
    expect(stdout).toMatch(/^Request .{36} of account 1 was admitted and charged\.\n/);
    expect(stdout).toMatch(/ {2}0\.\d+ USD were held until .+, the worst case of chat_completion/);
    expect(stdout).toMatch(/ {2}0\.000017 USD were charged for chat_completion; 0\.\d+ USD of the/);
    expect(stdout).toContain('    9 input_tokens at 1.00 USD per 1000000\n');
    expect(stdout).toContain('    4 output_tokens at 2.00 USD per 1000000\n');
    expect(stdout).not.toMatch(/[{}]/);
    expect(await result('explain', requestId)).toMatchObject({
      outcome: 'charged',
      events: [{ type: 'HoldPlaced' }, { type: 'HoldCaptured' }],
    });
  });
});
