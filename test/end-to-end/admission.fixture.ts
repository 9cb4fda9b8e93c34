import { expect } from '@jest/globals';
import { completionOf, json, statement } from '#areas/inference/rigs/upstream.fake.js';
import { chatRequest, type World } from './quipu.harness.js';

export const OPENING_MICRO_USD = 10_000_000;

export const OUTPUT_PRICE_USD_PER_MTOK = 2_000;
export const catalogOf = (baseUrl: string): string => `
rigs:
  - { name: scripted, kind: openai, base_url: ${baseUrl}, max_concurrency: 256 }
models:
  - { id: acme/scripted, upstream_id: s, owned_by: acme, rigs: [scripted], context: 8192,
      price: { input_usd_per_mtok: 0, output_usd_per_mtok: ${OUTPUT_PRICE_USD_PER_MTOK} } }
`;

export const ask = ({ quipu, credentials }: World, body: object): Promise<Response> =>
  fetch(`${quipu.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${credentials.api_key}`,
    },
    body: JSON.stringify({ ...chatRequest(), ...body }),
  });

/** Of requests whose charge the credit covers 312 times, and their worst case 83 times. */
const AT_ONCE = 400;
const TOKENS_HELD = 60;
export const TOKENS_USED = 16;
const CHARGE = TOKENS_USED * OUTPUT_PRICE_USD_PER_MTOK;
/** Answers with this number of tokens. */
export const using = (tokens: number) => json(200, completionOf('knots', statement(1, tokens)));

/** Sends 400 requests at once, of which the balance pays 312, and ends the world. */
export const expectPaid = async (world: World): Promise<void> => {
  try {
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => ask(world, { max_tokens: TOKENS_HELD })),
    );
    const paid = answers.filter(({ status }) => status === 200).length;
    expect(paid).toBeGreaterThanOrEqual(300);
    expect(paid).toBeLessThanOrEqual(Math.floor(OPENING_MICRO_USD / CHARGE));
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(AT_ONCE - paid);
    const overview = await fetch(`${world.quipu.url}/api/v1/billing/overview.php`, {
      headers: { authorization: `Bearer ${world.credentials.api_key}` },
    });
    expect(await overview.json()).toMatchObject({
      balance_usd: (OPENING_MICRO_USD - paid * CHARGE) / 1e6,
      held_usd: 0,
    });
  } finally {
    await world.close();
  }
};
