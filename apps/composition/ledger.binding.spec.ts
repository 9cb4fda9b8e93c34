import { type CommandBus } from '@nestjs/cqrs';
import { describe, expect, it } from '@jest/globals';
import {
  ACCOUNT,
  captured,
  ENDED_AT,
  EXPIRES_AT,
  HOLD,
  linesOf,
  placed,
  PLACED_AT,
} from '#areas/billing/account.specification.js';
import { type AccountReceipt } from '#areas/billing/accounts.js';
import { CaptureHoldCommand } from '#areas/billing/capture-hold.handler.js';
import { PlaceHoldCommand } from '#areas/billing/place-hold.handler.js';
import { ReleaseHoldCommand } from '#areas/billing/release-hold.handler.js';
import { SettleHoldCommand } from '#areas/billing/settle-hold.handler.js';
import { rate } from '#areas/inference/inference-world.specification.js';
import { contextOf } from '#platform/runtime/command-context.js';
import { bindLedger } from './ledger.binding.js';

const context = contextOf(HOLD, 'spec');
const hold = {
  accountId: ACCOUNT,
  holdId: HOLD,
  modelAsked: 'acme/llama-70b',
  rate,
  bound: { inputTokens: 1_000, outputTokens: 1_000 },
  outputTokensMin: null,
  placedAt: PLACED_AT,
  expiresAt: EXPIRES_AT,
};
const capture = {
  accountId: ACCOUNT,
  holdId: HOLD,
  rate,
  charged: { inputTokens: 900, outputTokens: 100 },
  excess: { inputTokens: 0, outputTokens: 7 },
  usageSource: 'provider',
  outcome: 'completed',
  models: { asked: 'acme/llama-70b', sent: 'llama-70b', answered: null },
  rig: 'local-vllm',
  attempts: 1,
  promptHash: 'a1'.repeat(32),
  replyHash: null,
  capturedAt: ENDED_AT,
} as const;

/** A bus that remembers the command and answers with these events. */
const openBus = (...events: AccountReceipt['events']) => {
  const sent: unknown[] = [];
  const receipt: AccountReceipt = {
    eventId: events.length > 0 ? 'e' : null,
    events,
    availableMicroUsd: 805n,
    position: 9n,
  };
  const bus = {
    execute: (command: unknown) => {
      sent.push(command);
      return Promise.resolve(receipt);
    },
  } as unknown as CommandBus;
  return { ledger: bindLedger(bus), sent };
};

describe('the ledger of inference is billing', () => {
  it('holds the priced bound under the rate card in force', async () => {
    const { ledger, sent } = openBus(placed([1_000, 1_000], 750, 250));
    expect(await ledger.place(hold, context)).toEqual({ inputTokens: 1_000, outputTokens: 1_000 });
    const { rate: card, bound, outputTokensMin, ...kept } = hold;
    expect(sent).toEqual([
      new PlaceHoldCommand(
        {
          ...kept,
          purpose: 'chat_completion',
          lines: linesOf([bound.inputTokens, bound.outputTokens]),
          rateCardVersion: card.version,
          shrink: outputTokensMin,
        },
        context,
      ),
    ]);
  });

  it('lets the output shrink, and says to what it was cut', async () => {
    const { ledger, sent } = openBus(placed([1_000, 165], 249, 0));
    const bound = await ledger.place({ ...hold, outputTokensMin: 4 }, context);
    expect(bound).toEqual({ inputTokens: 1_000, outputTokens: 165 });
    expect(sent).toMatchObject([{ data: { shrink: { meter: 'output_tokens', atLeast: 4 } } }]);
  });

  it('refuses to share a hold that another request placed', async () => {
    await expect(openBus().ledger.place(hold, context)).rejects.toThrow('was placed before');
  });

  it('charges lines at the prices of the hold, and records what was claimed above', async () => {
    const { ledger, sent } = openBus(captured([900, 100], 195, 555, 805));
    expect(await ledger.capture(capture, context)).toEqual({
      eventId: 'e',
      chargedMicroUsd: 195n,
      availableMicroUsd: 805n,
    });
    const [command] = sent;
    expect(command).toBeInstanceOf(CaptureHoldCommand);
    expect(command).toMatchObject({
      data: {
        lines: linesOf([900, 100]),
        excess: [{ meter: 'output_tokens', quantity: 7 }],
      },
      context,
    });
    expect(command).not.toHaveProperty('data.rate');
    expect(command).not.toHaveProperty('data.charged');
  });

  it('does not take a charge without an event for one', async () => {
    await expect(openBus().ledger.capture(capture, context)).rejects.toThrow('without an event');
  });

  it('frees a hold', async () => {
    const { ledger, sent } = openBus();
    const release = {
      accountId: ACCOUNT,
      holdId: HOLD,
      reason: 'timed_out',
      releasedAt: ENDED_AT,
    } as const;
    await ledger.release(release, context);
    expect(sent).toEqual([new ReleaseHoldCommand(release, context)]);
  });

  it('settles a hold that was left', async () => {
    const { ledger, sent } = openBus();
    const left = {
      accountId: ACCOUNT,
      holdId: HOLD,
      notBefore: PLACED_AT,
      reason: 'internal_error',
      releasedAt: ENDED_AT,
    } as const;
    await ledger.settle(left, context);
    expect(sent).toEqual([new SettleHoldCommand(left, context)]);
  });
});
