import { describe, expect, it } from '@jest/globals';
import { NOW, orderOf, question, REQUEST_ID } from '#platform/chats/chat-order.fixture.js';
import {
  type Inference,
  insufficient,
  linesFor,
  llama,
  openInference,
  usage,
  rate,
} from './inference-world.fixture.js';
import { RouteError } from './rigs/route-error.js';
import { promptTokensBound } from './token-bound.js';

const inputBound = promptTokensBound(question, llama);

const outcome = {
  outcome: 'completed',
  routed: { rig: 'local-vllm', attempts: ['failed', 'answered'] },
  modelAnswered: 'llama-70b-awq',
  replyHash: 'hash of it',
  bytesOut: 17,
} as const;

describe('admission of a chat', () => {
  it('holds the worst case under the request’s id, past the longest it may run', async () => {
    const { admission, ledger } = openInference();
    const admitted = await admission.admit(orderOf());
    expect(ledger.orders).toEqual([
      {
        accountId: '7',
        holdId: REQUEST_ID,
        purpose: 'chat_completion',
        mode: 'auto',
        model: 'acme/llama-70b',
        lines: linesFor(inputBound, 100),
        rateCardVersion: 3,
        shrink: null,
        evidence: { modelAsked: 'acme/llama-70b' },
        placedAt: NOW,
        expiresAt: '2026-11-21T05:11:00.000Z',
      },
    ]);
    expect(admitted.models).toMatchObject([{ model: llama, passed: [] }]);
    expect(admitted.models[0]?.target.pin).toBeUndefined();
  });

  it.each([
    [{ max_tokens: null }, { meter: 'output_tokens', atLeast: 1 }],
    [
      { max_tokens: null, n: 4 },
      { meter: 'output_tokens', atLeast: 4 },
    ],
    [{ max_tokens: 5, n: 4 }, null],
  ])(
    'lets the output shrink to a token a choice, without a limit only: %j',
    async (body, shrink) => {
      const { admission, ledger } = openInference();
      await admission.admit(orderOf(body));
      expect(ledger.placed).toMatchObject({ shrink });
    },
  );

  it('asks whether a rig can take it before anything is written', async () => {
    const { admission, ledger, rigs } = openInference();
    rigs.rejection = new RouteError('down', 'no rig is up', []);
    await expect(admission.admit(orderOf({}, 'rig_7'))).rejects.toBe(rigs.rejection);
    expect(rigs.checked).toEqual([{ model: 'acme/llama-70b', account: '7', pin: '7' }]);
    expect(ledger.calls).toEqual([]);
  });

  it.each<[string, Parameters<typeof orderOf>, string]>([
    ['an unknown model', [{ model: 'acme/none' }], 'model_not_found'],
    ['a model without a price', [{ model: 'acme/unpriced' }], 'model_not_found'],
    ['a strategy that is not there', [{}, 'cleanroom_dp_synthesize'], 'routing_mode_unavailable'],
    [
      'the strategy before the model',
      [{ model: 'acme/none' }, 'cleanroom_dp_synthesize'],
      'routing_mode_unavailable',
    ],
    ['too long an answer', [{ max_tokens: 9_000 }], 'context_length_exceeded'],
  ])('rejects %s before anything is written', async (_, order, code) => {
    const { admission, ledger } = openInference();
    await expect(admission.admit(orderOf(...order))).rejects.toMatchObject({ code });
    expect(ledger.calls).toEqual([]);
  });

  it('pins a rig', async () => {
    const { admission } = openInference();
    expect(await admission.admit(orderOf({}, 'rig_local-vllm'))).toMatchObject({
      models: [{ target: { pin: 'local-vllm' } }],
    });
  });
});

describe('ending an admitted chat', () => {
  const admit = async (inference: Inference) => inference.admission.admit(orderOf());

  it('charges what the rig states, with all that the charge was decided with', async () => {
    const inference = openInference();
    const admitted = await admit(inference);
    await admitted.capture({ ...outcome, usage: usage(20, 30) });
    expect(inference.ledger.captured).toEqual({
      accountId: '7',
      holdId: REQUEST_ID,
      purpose: 'chat_completion',
      rig: 'local-vllm',
      model: 'acme/llama-70b',
      lines: linesFor(20, 30),
      excess: [],
      usageSource: 'provider',
      outcome: 'completed',
      evidence: {
        models: { asked: 'acme/llama-70b', sent: 'llama-70b', answered: 'llama-70b-awq' },
        attempts: 2,
        promptHash: `hash of ${JSON.stringify(question.messages)}`,
        replyHash: 'hash of it',
      },
      capturedAt: NOW,
      bytesOut: 17,
    });
  });

  it('charges the bound when the rig claims more, and records the difference', async () => {
    const inference = openInference();
    const admitted = await admit(inference);
    await admitted.capture({ ...outcome, usage: usage(inputBound + 5, 107) });
    expect(inference.ledger.captured).toMatchObject({
      lines: linesFor(inputBound, 100),
      excess: [
        { meter: 'input_tokens', quantity: 5 },
        { meter: 'output_tokens', quantity: 7 },
      ],
    });
  });

  it('charges within what the balance covered, not within what was asked', async () => {
    const inference = openInference();
    inference.ledger.covers = { output_tokens: 40 };
    const admitted = await admit(inference);
    expect(admitted.models[0]?.bound).toEqual({ inputTokens: inputBound, outputTokens: 40 });
    await admitted.capture({ ...outcome, usage: usage(1, 41) });
    expect(inference.ledger.captured).toMatchObject({
      lines: linesFor(1, 40),
      excess: [{ meter: 'output_tokens', quantity: 1 }],
    });
  });

  describe('of a model whose classes have prices', () => {
    const priced = {
      ...rate,
      classes: { cache_read_tokens: '15000', cache_write_30m_tokens: '200000' },
      tiers: [
        { aboveInputTokens: 1_000, mode: 'whole' as const, prices: { output_tokens: '700000' } },
      ],
      serviceTiers: { priority: { percent: 200, prices: {} } },
    };
    const open = (body: object = {}) => {
      const inference = openInference();
      inference.rates.current = priced;
      return { ...inference, admit: () => inference.admission.admit(orderOf(body)) };
    };
    const tokens = (meter: string, quantity: number, unitPriceMicroUsd: string) => ({
      meter,
      quantity,
      unitPriceMicroUsd,
      perUnits: 1_000_000,
    });

    it('holds all input at the dearest of them, and charges each at its own', async () => {
      const { ledger, admit } = open();
      const admitted = await admit();
      expect(ledger.placed.lines).toEqual([
        tokens('input_tokens', inputBound, '200000'),
        tokens('output_tokens', 100, '600000'),
      ]);
      const parts = { cache_read_tokens: 12, reasoning_tokens: 9 };
      await admitted.capture({ ...outcome, usage: { ...usage(20, 30), parts } });
      expect(ledger.captured.lines).toEqual([
        { ...tokens('input_tokens', 8, '150000'), heldAs: 'input_tokens' },
        tokens('output_tokens', 21, '600000'),
        { ...tokens('cache_read_tokens', 12, '15000'), heldAs: 'input_tokens' },
        { ...tokens('reasoning_tokens', 9, '600000'), heldAs: 'output_tokens' },
      ]);
    });

    it('charges images that the request did not have as fresh input', async () => {
      const { ledger, admit } = open();
      const admitted = await admit();
      const parts = { image_input_tokens: 5 };
      await admitted.capture({ ...outcome, usage: { ...usage(20, 30), parts } });
      expect(ledger.captured.lines).toMatchObject([{ quantity: 20 }, { quantity: 30 }]);
    });

    it('holds the service tier that was asked for, and charges the one that answered', async () => {
      const { ledger, admit } = open({ service_tier: 'priority' });
      const admitted = await admit();
      expect(ledger.placed.lines).toMatchObject([
        { unitPriceMicroUsd: '40000000', perUnits: 100_000_000 },
        { unitPriceMicroUsd: '120000000', perUnits: 100_000_000 },
      ]);
      await admitted.capture({ ...outcome, usage: usage(20, 30) });
      expect(ledger.captured).toMatchObject({
        lines: [
          { unitPriceMicroUsd: '150000', heldAs: 'input_tokens' },
          { unitPriceMicroUsd: '600000', heldAs: 'output_tokens' },
        ],
        evidence: { serviceTier: { asked: 'priority', answered: null } },
      });
    });

    it('names the doubts about the stated usage', async () => {
      const { ledger, admit } = open();
      const admitted = await admit();
      await admitted.capture({ ...outcome, usage: { ...usage(20, 30), doubts: ['bad_count'] } });
      expect(ledger.captured.evidence).toMatchObject({ usageDoubts: ['bad_count'] });
    });
  });

  it('passes a domain error of the ledger on', async () => {
    const inference = openInference();
    inference.ledger.failures.place = insufficient;
    await expect(admit(inference)).rejects.toBe(insufficient);
  });
});
