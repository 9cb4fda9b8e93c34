import { describe, expect, it } from '@jest/globals';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { NOW, orderOf } from '#platform/chats/chat-order.fixture.js';
import { type UnitPrice } from '#platform/ledger/price.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { completionOf, delta, openInference, usage } from '../inference-world.fixture.js';
import { type AnswerCache, type AnswerPlace, type NewAnswer } from './answer-cache.js';
import { ChatCache } from './chat-cache.js';

const AGAIN = '01890a5d-ac96-774b-bcce-b302099a8058';

/** Answers in memory. */
class FakeAnswers {
  readonly kept = new Map<string, NewAnswer>();
  failure: Error | null = null;

  async find({ accountId, key }: AnswerPlace) {
    await this.#check();
    const found = this.kept.get(`${accountId}/${key}`);
    return found && { content: found.content, keptAtMs: Date.parse(NOW) - 7_400 };
  }

  async keep({ accountId, key }: AnswerPlace, answer: NewAnswer): Promise<void> {
    await this.#check();
    this.kept.set(`${accountId}/${key}`, answer);
  }

  #check(): Promise<void> {
    return this.failure ? Promise.reject(this.failure) : Promise.resolve();
  }
}

const cached = (price?: UnitPrice) => {
  const answers = new FakeAnswers();
  const warnings: unknown[] = [];
  const prices = new Map(price ? [['cached_micro_usd', price]] : []);
  const meters = { inForce: () => ({ rateCardVersion: 3, prices }) };
  const inference = openInference({
    cacheOn: ({ paid, catalog, hash, limits }) =>
      new ChatCache(
        answers as unknown as AnswerCache,
        paid,
        catalog,
        hash,
        meters,
        limits,
        { now: () => Date.parse(NOW) },
        { warn: (problem: unknown) => void warnings.push(problem) } as never,
      ),
  });
  inference.rigs.completion = () =>
    Promise.resolve({ completion: completionOf('Cords.'), usage: usage(20, 30) });
  return { ...inference, answers, warnings };
};

const keeping = (more: Partial<ChatOrder> = {}): ChatOrder => ({
  ...orderOf(),
  cacheSeconds: 60,
  ...more,
});
const again = (more: Partial<ChatOrder> = {}): ChatOrder =>
  keeping({ context: contextOf(AGAIN, 'user:7'), ...more });

describe('a chat whose answer is kept', () => {
  it('is answered by a rig once', async () => {
    const { complete, rigs, ledger } = cached();
    const first = await complete(keeping());
    const second = await complete(again());
    expect(rigs.asked).toHaveLength(1);
    expect(second).toMatchObject({
      text: first.text,
      usage: first.usage,
      rig: null,
      attempts: [],
      headers: { 'x-quipu-cache': 'hit', age: '7' },
    });
    expect(ledger.captures.at(-1)).toMatchObject({
      purpose: 'cached_chat',
      rig: null,
      lines: [{ meter: 'cached_micro_usd', quantity: 21, unitPriceMicroUsd: '0', perUnits: 1 }],
      evidence: {
        original: { requestId: orderOf().context.requestId, eventId: 'e', chargedMicroUsd: '21' },
        savedMicroUsd: '21',
        ageSeconds: 7,
      },
      model: 'acme/llama-70b',
    });
  });

  it('costs the share that the operator states, rounded up', async () => {
    const { complete, ledger } = cached({ unitPriceMicroUsd: '100000', perUnits: 1_000_000 });
    await complete(keeping());
    await complete(again());
    expect(ledger.captures.at(-1)).toMatchObject({
      lines: [{ quantity: 21, unitPriceMicroUsd: '100000', perUnits: 1_000_000 }],
      evidence: { savedMicroUsd: '18' },
    });
  });

  it('is the same whatever the order of its fields', async () => {
    const { complete, rigs } = cached();
    const { body } = keeping();
    await complete(keeping({ body: { ...body, temperature: 0, seed: 1 } }));
    await complete(again({ body: { seed: 1, temperature: 0, ...body } }));
    expect(rigs.asked).toHaveLength(1);
  });

  it.each<[string, Partial<ChatOrder>]>([
    ['another account', { accountId: '8' }],
    ['another body', { body: { ...orderOf().body, temperature: 0.1 } }],
    ['another routing mode', { routingMode: 'rig_local-vllm' }],
    ['no wish to be kept', { cacheSeconds: 0 }],
  ])('is answered by a rig for %s', async (_, more) => {
    const { complete, rigs } = cached();
    await complete(keeping());
    await complete(again(more));
    expect(rigs.asked).toHaveLength(2);
  });

  it('is answered by a rig after a change of prices', async () => {
    const { complete, rigs, rates } = cached();
    await complete(keeping());
    rates.current = { ...rates.current, version: 4 };
    await complete(again());
    expect(rigs.asked).toHaveLength(2);
  });

  it('is not kept where the balance cut it short', async () => {
    const { complete, answers, rigs } = cached();
    const { max_tokens: _, ...body } = orderOf().body;
    const choice = {
      index: 0,
      message: { role: 'assistant', content: '' },
      finish_reason: 'length',
    };
    rigs.completion = () =>
      Promise.resolve({
        completion: { ...completionOf(''), choices: [choice] },
        usage: usage(20, 1),
      });
    await complete(keeping({ body }));
    expect(answers.kept.size).toBe(0);
    await complete(keeping());
    expect(answers.kept.size).toBe(1);
  });

  it('is answered by a rig while the cache is away', async () => {
    const { complete, answers, rigs, warnings } = cached();
    answers.failure = new Error('the store is away');
    await complete(keeping());
    await complete(again());
    expect(rigs.asked).toHaveLength(2);
    expect(warnings).toHaveLength(4);
  });

  it('costs nothing of its own when the balance refuses it', async () => {
    const { complete, ledger } = cached();
    await complete(keeping());
    ledger.failures.place = new Error('too little');
    await expect(complete(again())).rejects.toThrow('too little');
  });
});

describe('a stream that is kept', () => {
  const read = async (pages: AsyncGenerator<readonly string[], unknown, void>) =>
    (await Array.fromAsync(pages)).flat();

  it('is a stream again', async () => {
    const { stream, rigs, ledger } = cached();
    rigs.script = async function* () {
      yield await Promise.resolve([delta('Knotted '), delta('cords.')]);
      yield [delta(' Many.')];
      return usage(20, 3);
    };
    const body = { ...orderOf().body, stream: true };
    const first = await read((await stream(keeping({ body }))).pages);
    const second = await stream(again({ body }));
    expect(second).toMatchObject({ rig: null, headers: { 'x-quipu-cache': 'hit' } });
    expect(await read(second.pages)).toEqual(first);
    expect(first).toHaveLength(3);
    expect(rigs.asked).toHaveLength(1);
    expect(ledger.captures.at(-1)).toMatchObject({ purpose: 'cached_chat' });
  });

  it('is not the answer of a chat in one piece', async () => {
    const { stream, complete, rigs } = cached();
    rigs.script = async function* () {
      yield await Promise.resolve([delta('Knotted')]);
      return usage(20, 1);
    };
    await read((await stream(keeping({ body: { ...orderOf().body, stream: true } }))).pages);
    await complete(again({ body: { ...orderOf().body, stream: false } }));
    expect(rigs.asked).toHaveLength(2);
  });

  it('is not kept when it breaks or its caller leaves, and ends its hold', async () => {
    const { stream, rigs, answers, ledger } = cached();
    rigs.script = async function* () {
      yield await Promise.resolve([delta('Knotted')]);
      throw new Error('broken');
    };
    const broken = await stream(keeping());
    await expect(read(broken.pages)).rejects.toThrow('broken');
    const left = await stream(again());
    await left.pages[Symbol.asyncDispose]();
    expect(answers.kept.size).toBe(0);
    expect(ledger.ends).toHaveLength(2);
  });
});
