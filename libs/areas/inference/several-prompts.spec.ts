import { describe, expect, it } from '@jest/globals';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { orderOf, question } from '#platform/chats/chat-order.fixture.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { completionOf, delta, linesFor, openInference, usage } from './inference-world.fixture.js';
import { tokenBounds } from './token-bound.js';
import { llama } from './inference-world.fixture.js';
import { type ChatChunk, RigError } from './rigs/chat-backend.js';
import { RouteError } from './rigs/route-error.js';

const knots = { ...question, messages: [{ role: 'user', content: 'Knots?' }] };
const several = { ...orderOf({ n: 2 }), others: [{ ...knots, n: 2 }] };

const cancelled = (used?: Usage): RouteError =>
  new RouteError('cancelled', 'the caller left', [], {
    rigError: new RigError('cancelled', 'the caller left', used ? { used } : {}),
  });

async function* words(...said: readonly string[]): AsyncGenerator<ChatChunk[], Usage> {
  for (const word of said) yield await Promise.resolve([delta(word)]);
  return usage(20, said.length);
}

describe('several prompts in one request', () => {
  it('are held for the bounds of each of them', async () => {
    const { ledger, rigs, complete } = openInference();
    const completion = completionOf('Cords.');
    rigs.completion = () => Promise.resolve({ completion, usage: usage(20, 30) });
    await complete(several);
    const [first, second] = [question, knots].map((body) => tokenBounds({ ...body, n: 2 }, llama));
    const inputTokens = (first?.inputTokens ?? 0) + (second?.inputTokens ?? 0);
    expect(ledger.placed.lines).toEqual(linesFor(inputTokens, 400));
    expect(ledger.captured.lines).toEqual(linesFor(40, 60));
    expect(ledger.captured.evidence).toMatchObject({
      attempts: 2,
      promptHash: `hash of ${JSON.stringify([question.messages, knots.messages])}`,
    });
    expect(rigs.asked.map(({ request }) => request().body)).toMatchObject([
      { messages: question.messages, max_tokens: 100 },
      { messages: knots.messages, max_tokens: 100 },
    ]);
  });

  it('have choices in the order of the prompts', async () => {
    const { rigs, complete } = openInference();
    const completion = completionOf('Cords.');
    rigs.completion = () => Promise.resolve({ completion, usage: usage(20, 30) });
    const { choices } = JSON.parse((await complete(several)).text) as { choices: object[] };
    expect(choices).toMatchObject([{ index: 0 }, { index: 2 }]);
  });

  it('are free where one is not answered, and charged where the caller left', async () => {
    for (const [used, end] of [
      [undefined, 'capture client_gone'],
      [usage(7, 0), 'capture client_gone'],
    ] as const) {
      const { controller, ledger, rigs, complete } = openInference();
      let asked = 0;
      rigs.completion = () => {
        asked += 1;
        if (asked === 1) {
          return Promise.resolve({ completion: completionOf('Cords.'), usage: usage(20, 30) });
        }
        controller.abort(new RequestCutError('client_gone'));
        return Promise.reject(cancelled(used));
      };
      await expect(complete(several)).rejects.toThrow(RequestCutError);
      expect(ledger.ends).toEqual([end]);
      expect(ledger.captured.lines).toEqual(linesFor(20 + (used?.promptTokens ?? 0), 30));
    }
    const { ledger, rigs, complete } = openInference();
    let asked = 0;
    rigs.completion = () => {
      asked += 1;
      return asked === 1
        ? Promise.resolve({ completion: completionOf('Cords.'), usage: usage(20, 30) })
        : Promise.reject(new RouteError('down', 'every rig is down', []));
    };
    await expect(complete(several)).rejects.toThrow('every rig is down');
    expect(ledger.ends).toEqual(['release upstream_failed']);
  });

  it('stream one after another, with the usage of all', async () => {
    const { ledger, rigs, stream } = openInference();
    rigs.script = () => words('Cords', '.');
    const { pages } = await stream(several);
    const indices: number[] = [];
    for (;;) {
      const page = await pages.next();
      if (page.done) break;
      for (const line of page.value) {
        const { choices } = JSON.parse(line) as { choices: { index: number }[] };
        indices.push(...choices.map(({ index }) => index));
      }
    }
    expect(indices).toEqual([0, 0, 2, 2]);
    expect(ledger.captured.lines).toEqual(linesFor(40, 4));
    expect(ledger.ends).toEqual(['capture completed']);
  });

  it('closes the stream of a rig that is left unread', async () => {
    const { ledger, rigs, stream } = openInference();
    let closed = false;
    rigs.script = async function* () {
      try {
        yield* words('Cords');
      } finally {
        closed = true;
      }
      return usage(0, 0);
    };
    const { pages } = await stream(several);
    await pages.next();
    await pages[Symbol.asyncDispose]();
    expect(closed).toBe(true);
    expect(rigs.asked).toHaveLength(1);
    expect(ledger.ends).toEqual(['capture client_gone']);
  });
});
