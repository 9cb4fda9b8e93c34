import { describe, expect, it } from '@jest/globals';
import { NOW } from '#platform/chats/chat-order.fixture.js';
import { ChatFunds } from './chat-funds.js';
import { insufficient, llama, openInference, rate } from './inference-world.fixture.js';

const clock = { now: () => Date.parse(NOW) };

describe('the funds of a chat', () => {
  const demand = async (model: unknown, prices = rate): Promise<void> => {
    const { catalog, ledger } = openInference();
    ledger.failures.demandFunds = insufficient;
    const rateFor = (id: string) => catalog.rateFor(id) && prices;
    await new ChatFunds({ ...catalog, rateFor }, ledger, clock).demand('7', model);
  };

  it('are demanded for a model with a price', async () => {
    await expect(demand(llama.id)).rejects.toBe(insufficient);
    const onlyInput = { ...rate, outputMicroUsdPerMtok: '0' };
    await expect(demand(llama.id, onlyInput)).rejects.toBe(insufficient);
    const onlyOutput = { ...rate, inputMicroUsdPerMtok: '0' };
    await expect(demand(llama.id, onlyOutput)).rejects.toBe(insufficient);
  });

  it('are not demanded for a free model', async () => {
    const free = { ...rate, inputMicroUsdPerMtok: '0', outputMicroUsdPerMtok: '0' };
    await expect(demand(llama.id, free)).resolves.toBeUndefined();
  });

  it.each([undefined, null, 7, {}, 'acme/none', 'acme/unpriced'])(
    'are not demanded for %p, which fails by its own name',
    async (model) => {
      await expect(demand(model)).resolves.toBeUndefined();
    },
  );
});
