import { describe, expect, it } from '@jest/globals';
import { orderOf, question } from '#platform/chats/chat-order.fixture.js';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import {
  completionOf,
  insufficient,
  linesFor,
  llama,
  openInference,
  REQUEST_MS_MAX,
  usage,
} from './inference-world.fixture.js';
import { ChargedCutError } from './charged-cut.error.js';
import { RigError } from './rigs/chat-backend.js';
import { type RouteErrorKind, RouteError } from './rigs/route-error.js';
import { promptTokensBound } from './token-bound.js';
import { tokensIn } from './token-lines.js';

const answering = (content: string, promptTokens = 20, completionTokens = 30) => {
  const inference = openInference();
  const answer = {
    completion: completionOf(content),
    usage: usage(promptTokens, completionTokens),
  };
  inference.rigs.completion = () => Promise.resolve(answer);
  return inference;
};

const failing = (error: Error) => {
  const inference = openInference();
  inference.rigs.completion = () => Promise.reject(error);
  return inference;
};

paidWorkContract('chat', {
  requestMsMax: REQUEST_MS_MAX,
  open: (paid, clock, work) => {
    const { rigs, chats } = openInference({ paid, clock });
    rigs.completion = async () => {
      await Promise.resolve();
      work();
      return { completion: completionOf('Knotted cords.'), usage: usage(20, 30) };
    };
    return Promise.resolve((order, signal) => chats.execute({ ...orderOf(), ...order }, signal));
  },
});

describe('a chat answered in one piece', () => {
  it('is held before a rig is asked, and charged before it is given', async () => {
    const inference = answering('Knotted cords.');
    let heldWhenAsked: readonly string[] = [];
    inference.rigs.onAsked = () => {
      heldWhenAsked = [...inference.ledger.calls];
    };
    await inference.complete();
    expect(heldWhenAsked).toEqual(['place']);
    expect(inference.ledger.ends).toEqual(['capture completed']);
  });

  it('carries the caller’s model id and routing mode, the rest as the rig said it', async () => {
    const { complete } = answering('Knotted cords.');
    const reply = await complete(orderOf({}, 'rig_local-vllm'));
    expect(JSON.parse(reply.text)).toEqual({
      ...completionOf('Knotted cords.'),
      model: 'acme/llama-70b',
      routing_mode: 'rig_local-vllm',
    });
    expect(reply).toMatchObject({
      usage: usage(20, 30),
      rig: 'local-vllm',
      entry: { chargedMicroUsd: 21n },
    });
  });

  it('sends the bound that was held to the rig', async () => {
    const inference = answering('x');
    inference.ledger.covers = { output_tokens: 40 };
    await inference.complete(orderOf({ max_tokens: null }));
    expect(inference.rigs.body).toMatchObject({ model: 'llama-70b', max_tokens: 40 });
    const [order] = inference.rigs.asked;
    expect(order?.request().promptTokensMax).toBe(promptTokensBound(question, llama));
  });

  it('asks for any rig, or for the one that is pinned', async () => {
    const inference = answering('x');
    await inference.complete();
    await inference.complete(orderOf({}, 'rig_7'));
    expect(inference.rigs.asked.map(({ model, pin }) => ({ model, pin }))).toEqual([
      { model: 'acme/llama-70b', pin: undefined },
      { model: 'acme/llama-70b', pin: '7' },
    ]);
  });

  it('records the model that answered and keyed hashes of prompt and reply', async () => {
    const inference = answering('Knotted cords.');
    await inference.complete();
    expect(inference.ledger.captured).toMatchObject({
      evidence: {
        models: { asked: 'acme/llama-70b', sent: 'llama-70b', answered: 'llama-70b-awq' },
        replyHash: 'hash of Knotted cords.',
      },
    });
  });

  it('records the bytes of the answer', async () => {
    const inference = answering('Nœuds.');
    const { text } = await inference.complete();
    expect(inference.ledger.captured.bytesOut).toBe(new TextEncoder().encode(text).length);
  });

  it('is charged at the bound when the rig claims more', async () => {
    const inference = answering('x', 20, 1_000);
    await inference.complete();
    expect(inference.ledger.captured).toMatchObject({
      lines: linesFor(20, 100),
      excess: [{ meter: 'output_tokens', quantity: 900 }],
    });
  });

  it('asks no rig when the balance does not cover it', async () => {
    const inference = answering('x');
    inference.ledger.failures.place = insufficient;
    await expect(inference.complete()).rejects.toBe(insufficient);
    expect(inference.rigs.asked).toEqual([]);
    expect(inference.ledger.ends).toEqual([]);
  });

  it('is free when it cannot be written as JSON', async () => {
    const inference = openInference();
    const completion = { ...completionOf('x'), fault: 1n };
    inference.rigs.completion = () => Promise.resolve({ completion, usage: usage(20, 30) });
    await expect(inference.complete()).rejects.toThrow('BigInt');
    expect(inference.ledger.ends).toEqual(['release internal_error']);
  });

  it('is neither given nor charged when the charge cannot be written', async () => {
    const inference = answering('x');
    inference.ledger.failures.capture = new Error('no space');
    await expect(inference.complete()).rejects.toThrow('no space');
    expect(inference.ledger.ends).toEqual(['capture completed', 'release internal_error']);
  });
});

const attempt = { rig: 'local-vllm', startedMs: 0, endedMs: 5, outcome: 'cancelled' } as const;

/** As the router reports a request that its caller left. */
const cancelledWith = (used: Usage | undefined): RouteError =>
  new RouteError('cancelled', 'left', [attempt], {
    rigError: new RigError('cancelled', 'left', used ? { used } : {}),
  });

describe('a chat that its caller leaves after the rig has accepted it', () => {
  const left = (used: Usage = { ...usage(20, 0), source: 'counted' }) => {
    const inference = failing(cancelledWith(used));
    inference.controller.abort(new RequestCutError('client_gone'));
    return inference;
  };

  it('is charged its prompt, and says who counted it', async () => {
    const inference = left();
    await expect(inference.complete()).rejects.toMatchObject({
      reason: 'client_gone',
      rig: 'local-vllm',
      entry: { chargedMicroUsd: 3n },
    });
    expect(inference.ledger.ends).toEqual(['capture client_gone']);
    expect(inference.ledger.captured).toMatchObject({
      rig: 'local-vllm',
      lines: linesFor(20, 0),
      usageSource: 'counted',
      excess: [],
      evidence: {
        models: { asked: 'acme/llama-70b', sent: 'llama-70b', answered: null },
        attempts: 1,
        replyHash: null,
      },
    });
  });

  it('is charged no more prompt than was held', async () => {
    const inference = left(usage(1_000_000, 0));
    await expect(inference.complete()).rejects.toBeInstanceOf(ChargedCutError);
    const { inputTokens } = tokensIn(inference.ledger.placed.lines);
    expect(inference.ledger.captured.lines).toEqual(linesFor(inputTokens, 0));
  });

  it('frees its hold when the charge cannot be written', async () => {
    const inference = left();
    inference.ledger.failures.capture = new Error('no space');
    await expect(inference.complete()).rejects.toThrow('no space');
    expect(inference.ledger.ends).toEqual(['capture client_gone', 'release internal_error']);
  });

  it('is charged once as a stream, too', async () => {
    const inference = openInference();
    inference.rigs.script = cancelledWith(usage(20, 0));
    inference.controller.abort(new RequestCutError('client_gone'));
    await expect(inference.stream()).rejects.toBeInstanceOf(ChargedCutError);
    expect(inference.ledger.ends).toEqual(['capture client_gone']);
  });
});

describe('a chat that no rig answers is free', () => {
  it.each<[RouteErrorKind, string]>([
    ['failed', 'upstream_failed'],
    ['overloaded', 'upstream_failed'],
    ['down', 'upstream_failed'],
    ['refused', 'refused'],
    ['model-not-served', 'refused'],
    ['rig-unknown', 'refused'],
    ['rig-without-model', 'refused'],
    ['cancelled', 'client_gone'],
  ])('%s: release %s', async (kind, reason) => {
    const error = new RouteError(kind, 'no', []);
    const inference = failing(error);
    await expect(inference.complete()).rejects.toBe(error);
    expect(inference.ledger.ends).toEqual([`release ${reason}`]);
  });

  it.each(['client_gone', 'timed_out', 'shut_down'] as const)('%s', async (reason) => {
    const inference = failing(new RouteError('cancelled', 'cancelled', []));
    const cut = new RequestCutError(reason);
    inference.controller.abort(cut);
    await expect(inference.complete()).rejects.toBe(cut);
    expect(inference.ledger.ends).toEqual([`release ${reason}`]);
  });

  it.each([
    ['the rig had not accepted it', undefined, 'client_gone', true],
    ['the time was up', usage(20, 0), 'timed_out', true],
    ['its model does not charge for that', usage(20, 0), 'client_gone', false],
  ] as const)('when it was cut, and %s', async (_, used, reason, chargesCancelled) => {
    const inference = failing(cancelledWith(used));
    inference.catalog.model = () => ({ ...llama, chargesCancelled });
    inference.controller.abort(new RequestCutError(reason));
    await expect(inference.complete()).rejects.toMatchObject({ reason });
    expect(inference.ledger.ends).toEqual([`release ${reason}`]);
  });

  it('tells of the rig when it failed by itself just before the time was up', async () => {
    const error = new RouteError('failed', 'no', []);
    const inference = failing(error);
    inference.controller.abort(new RequestCutError('timed_out'));
    await expect(inference.complete()).rejects.toBe(error);
    expect(inference.ledger.ends).toEqual(['release upstream_failed']);
  });

  it('takes an abort without a reason of ours for a caller that left', async () => {
    const inference = failing(new RouteError('cancelled', 'cancelled', []));
    inference.controller.abort();
    await expect(inference.complete()).rejects.toMatchObject({ reason: 'client_gone' });
  });

  it('a defect', async () => {
    const inference = failing(new TypeError('defect'));
    await expect(inference.complete()).rejects.toThrow('defect');
    expect(inference.ledger.ends).toEqual(['release internal_error']);
  });
});

describe('a chat with an adapter', () => {
  it('is held and charged as a chat with its model, and the rig gets the file', async () => {
    const { complete, adapters, ledger, rigs } = answering('Ahoy!');
    await complete(orderOf({ adapter: 'pirate' }));
    expect(adapters.asked).toEqual([{ accountId: '7', adapter: 'pirate', modelId: llama.id }]);
    const request = rigs.asked[0]?.request();
    expect(request?.adapter).toEqual({ file: '/adapters/pirate.gguf', scale: 1 });
    expect(request?.body).not.toHaveProperty('adapter');
    expect(ledger.captured.lines).toEqual(linesFor(20, 30));
    expect(ledger.placed.evidence).toEqual({ modelAsked: llama.id, adapter: 'pirate' });
  });

  it('holds nothing for an adapter that the account may not use', async () => {
    const { complete, ledger } = answering('Ahoy!');
    await expect(complete(orderOf({ adapter: 'absent' }))).rejects.toMatchObject({
      code: 'adapter_not_found',
    });
    expect(ledger.calls).toEqual([]);
  });
});
