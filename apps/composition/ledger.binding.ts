import { type CommandBus } from '@nestjs/cqrs';
import { CaptureHoldCommand } from '#areas/billing/capture-hold.handler.js';
import { PlaceHoldCommand } from '#areas/billing/place-hold.handler.js';
import { TOKENS_PER_PRICE } from '#areas/billing/price.js';
import { ReleaseHoldCommand } from '#areas/billing/release-hold.handler.js';
import { SettleHoldCommand } from '#areas/billing/settle-hold.handler.js';
import { type Ledger, type TokenQuantities, type TokenRate } from '#areas/inference/ports.js';
import { type HoldCaptured, type PriceLine } from '#events/billing/account.events.js';
import { fromDecimal, toDecimal } from '#platform/kernel/money.js';

const INPUT = 'input_tokens';
const OUTPUT = 'output_tokens';

const linesOf = (
  { inputTokens, outputTokens }: TokenQuantities,
  { inputMicroUsdPerMtok, outputMicroUsdPerMtok }: TokenRate,
): PriceLine[] => [
  {
    meter: INPUT,
    quantity: inputTokens,
    unitPriceMicroUsd: toDecimal(inputMicroUsdPerMtok),
    perUnits: TOKENS_PER_PRICE,
  },
  {
    meter: OUTPUT,
    quantity: outputTokens,
    unitPriceMicroUsd: toDecimal(outputMicroUsdPerMtok),
    perUnits: TOKENS_PER_PRICE,
  },
];

const excessOf = ({ inputTokens, outputTokens }: TokenQuantities): HoldCaptured['data']['excess'] =>
  [
    { meter: INPUT, quantity: inputTokens },
    { meter: OUTPUT, quantity: outputTokens },
  ].filter(({ quantity }) => quantity > 0);

/** Binds inference's ledger to billing's commands: tokens become priced lines here. */
export const bindLedger = (commands: CommandBus): Ledger => ({
  async place({ rate, bound, outputTokensMin, ...hold }, context) {
    const { events } = await commands.execute(
      new PlaceHoldCommand(
        {
          ...hold,
          purpose: 'chat_completion',
          lines: linesOf(bound, rate),
          rateCardVersion: rate.version,
          shrink: outputTokensMin === null ? null : { meter: OUTPUT, atLeast: outputTokensMin },
        },
        context,
      ),
    );
    const [placed] = events;
    if (placed?.type !== 'HoldPlaced') {
      throw new Error(`hold ${hold.holdId} was placed before, by another request`);
    }
    const held = placed.data.lines.find(({ meter }) => meter === OUTPUT);
    return { ...bound, outputTokens: held?.quantity ?? bound.outputTokens };
  },

  async capture({ rate, charged, excess, ...capture }, context) {
    const { eventId, events, availableMicroUsd } = await commands.execute(
      new CaptureHoldCommand(
        { ...capture, lines: linesOf(charged, rate), excess: excessOf(excess) },
        context,
      ),
    );
    const [captured] = events;
    if (eventId === null || captured?.type !== 'HoldCaptured') {
      throw new Error(`hold ${capture.holdId} was captured without an event`);
    }
    const chargedMicroUsd = fromDecimal(captured.data.amountMicroUsd);
    return { eventId, chargedMicroUsd, availableMicroUsd };
  },

  async release(release, context) {
    await commands.execute(new ReleaseHoldCommand(release, context));
  },

  settle: (left, context) => commands.execute(new SettleHoldCommand(left, context)),
});
