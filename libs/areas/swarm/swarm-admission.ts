import { Inject, Injectable } from '@nestjs/common';
import { type ChargedLine, type Excess, type PriceLine } from '#events/hold.vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import {
  type Capture,
  type HoldOrder,
  type HoldPace,
  type LedgerEntry,
  type Release,
} from '#platform/ledger/hold.js';
import { demandCurrent } from '#platform/ledger/held-request.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { onRigs } from '#platform/ledger/rig-lines.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { SWARM_SETTINGS, type SwarmSettings } from './swarm.settings.js';

/** How long a hold outlives its request: time to settle before the sweep may expire it. */
const SETTLE_MS = 60_000;

/** Who asks, and when. */
export interface SwarmCaller {
  readonly accountId: string;
  /** In milliseconds since the epoch. */
  readonly receivedAtMs: number;
  readonly context: CommandContext;
  /** Whether this attempt still owns the request; false once a retry has taken it over. */
  readonly confirm?: () => Promise<boolean>;
}

export type WorstCase = Pick<
  HoldOrder,
  'purpose' | 'lines' | 'rateCardVersion' | 'shrink' | 'evidence'
>;

export interface SwarmCharge extends Pick<Capture, 'outcome' | 'evidence' | 'usageSource'> {
  readonly model: string;
  /** What was used; above the hold it is recorded and not charged. */
  readonly used: readonly ChargedLine[];
}

/** Work whose worst case is held. Call exactly one of `capture` and `release`, once. */
export interface HeldWork {
  readonly lines: readonly PriceLine[];
  /** Absent where no budget has a limit per minute. */
  readonly pace?: HoldPace;
  capture(charge: SwarmCharge): Promise<LedgerEntry>;
  release(reason: Release['reason']): Promise<void>;
}

/** Holds the worst case of a request before any model is asked: once for all of its steps. */
@Injectable()
export class SwarmAdmission {
  constructor(
    private readonly ledger: Ledger,
    @Inject(SWARM_SETTINGS) private readonly settings: SwarmSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError; RequestCutError when the hold came too late and is released again */
  async admit(caller: SwarmCaller, worst: WorstCase): Promise<HeldWork> {
    const held = await this.#hold(caller, worst);
    await demandCurrent(caller, held, this.settings.requestMsMax, this.clock);
    return held;
  }

  async #hold({ accountId, context }: SwarmCaller, worst: WorstCase): Promise<HeldWork> {
    const { purpose } = worst;
    const holdId = context.requestId;
    const now = this.clock.now();
    const { lines, pace } = await this.ledger.place(
      {
        ...worst,
        accountId,
        holdId,
        placedAt: new Date(now).toISOString(),
        expiresAt: new Date(now + this.settings.requestMsMax + SETTLE_MS).toISOString(),
        ...(context.key !== undefined && { key: context.key }),
      },
      context,
    );
    const release = (reason: Release['reason']): Promise<void> =>
      this.ledger.release({ accountId, holdId, reason, releasedAt: instant(this.clock) }, context);
    return {
      lines,
      ...(pace && { pace }),
      release,
      capture: async ({ used, ...charge }) => {
        const { charged, excess } = withinHold(used, lines);
        const capture = {
          accountId,
          holdId,
          purpose,
          excess,
          ...charge,
          ...onRigs(charged),
          capturedAt: instant(this.clock),
        };
        try {
          return await this.ledger.capture(capture, context);
        } catch (error) {
          // A charge that cannot be written is not owed; the second error has the same cause.
          await release('internal_error').catch(() => undefined);
          throw error;
        }
      },
    };
  }
}

/** Every line up to what is held for its step and meter, and what is above it. */
export const withinHold = (
  used: readonly ChargedLine[],
  held: readonly PriceLine[],
): { readonly charged: readonly ChargedLine[]; readonly excess: Excess[] } => {
  const charged = used.map((line) => {
    const bound = held.find(({ step, meter }) => step === line.step && meter === line.meter);
    return { ...line, quantity: Math.min(line.quantity, bound?.quantity ?? 0) };
  });
  const excess = used.flatMap(({ step, meter, quantity }, index) => {
    const above = quantity - (charged[index]?.quantity ?? 0);
    return above > 0 ? [{ ...(step !== undefined && { step }), meter, quantity: above }] : [];
  });
  return { charged, excess };
};
