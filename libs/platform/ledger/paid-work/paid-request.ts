import { Inject, Injectable, Optional } from '@nestjs/common';
import { addLabels, type ChargedLine } from '#events/hold.vocabulary.js';
import { type Clock, instant, instantAt } from '#platform/kernel/clock.js';
import { type Writable } from '#platform/kernel/writable.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import {
  type Capture,
  type HoldEnd,
  type HoldOrder,
  type LedgerEntry,
  type PlacedHold,
  type PreviewedHold,
  type Release,
} from '../hold.js';
import { Ledger } from '../ledger.port.js';
import { onRigs } from '../rig-lines.js';
import { Admission } from './admission.js';
import { demandModels } from './asked-models.js';
import { isRejection } from './ledger-rejection.js';
import { type PaidOrder } from './paid-order.js';
import { PAID_WORK_SETTINGS, type PaidWorkSettings } from './paid-work.settings.js';
import { withinHold } from './within-hold.js';

/** The facts that an area states about a request before its work. */
export interface WorstCase extends Pick<
  HoldOrder,
  'purpose' | 'lines' | 'rateCardVersion' | 'evidence'
> {
  /** Default: no line may be cut. */
  readonly shrink?: HoldOrder['shrink'];
  /** The model that the caller asked for. */
  readonly model?: string;
  /** The instant of the prices, in milliseconds since the Unix epoch. */
  readonly pricedAtMs: number;
  /** The time limit of the request. */
  readonly requestMsMax: number;
}

/** The facts that an area states about a request after its work. */
export type Charge = Omit<Capture, 'accountId' | 'holdId' | 'purpose' | 'model' | 'capturedAt'>;

/** A request whose process ended, or could not determine its charge. */
export interface LeftRequest {
  readonly accountId: string;
  readonly requestId: string;
  /** By the clock of its process, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
}

/** A request whose worst case is held. Call exactly one of `capture` and `release`, once. */
export class HeldRequest {
  constructor(
    private readonly ledger: Ledger,
    private readonly clock: Clock,
    private readonly order: Pick<PaidOrder, 'accountId' | 'context'>,
    private readonly worst: Pick<WorstCase, 'purpose' | 'model'>,
    private readonly placed: PlacedHold,
  ) {}

  /** The lines that may be charged. */
  get lines(): PlacedHold['lines'] {
    return this.placed.lines;
  }

  /** Empty where no budget has a limit per minute. */
  get pace(): Pick<PlacedHold, 'pace'> {
    const { pace } = this.placed;
    return pace ? { pace } : NO_PACE;
  }

  /**
   * The lines of a charge for the usage: at most the hold. The excess is recorded.
   * @param used priced; each names its rig where several did the work
   */
  charged(used: readonly ChargedLine[]): Pick<Capture, 'rig' | 'lines' | 'excess'> {
    const { charged, excess } = withinHold(used, this.placed.lines);
    const { rig, lines } = onRigs(charged);
    return { rig, lines, excess };
  }

  /**
   * A charge that cannot be written is not owed: the hold is released at once if that can be
   * written, and by its deadline if not. If the charge was written after all, it stands and the
   * release is rejected.
   */
  capture(charge: Charge): Promise<LedgerEntry> {
    const { accountId, context } = this.order;
    const { purpose, model } = this.worst;
    const capture: Writable<Capture> = {
      ...charge,
      accountId,
      holdId: context.requestId,
      purpose,
      capturedAt: instant(this.clock),
    };
    if (model !== undefined) capture.model = model;
    return this.ledger.capture(capture, context).catch((error: unknown) => this.#notOwed(error));
  }

  /** The error of the capture is thrown; an error of the release has the same cause. */
  async #notOwed(error: unknown): Promise<never> {
    await this.release('internal_error').catch(() => undefined);
    throw error;
  }

  release(reason: Release['reason']): Promise<void> {
    const { accountId, context } = this.order;
    const holdId = context.requestId;
    const releasedAt = instant(this.clock);
    return this.ledger.release({ accountId, holdId, reason, releasedAt }, context);
  }
}

const NO_PACE = {};

/** Holds the worst case of requests before their work, and settles the holds of lost attempts. */
@Injectable()
export class PaidRequests {
  constructor(
    private readonly ledger: Ledger,
    @Inject(PAID_WORK_SETTINGS) private readonly settings: PaidWorkSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    // Absent where nothing reads the log.
    @Optional() private readonly admission?: Admission,
  ) {}

  /**
   * Holds the worst case, then checks that the request may still be worked on: the process may have
   * been suspended before, and a retry that came meanwhile has found no hold.
   * @throws DomainError `readers_behind`, `model_not_allowed` before the hold, and the errors of
   *   the ledger; RequestCutError after the hold of a late request is released
   * @param signal aborts when the caller leaves
   */
  async admit(
    order: PaidOrder,
    worst: WorstCase,
    signal: AbortSignal | undefined = order.signal,
  ): Promise<HeldRequest> {
    this.admission?.demand();
    const { context } = order;
    demandModelsOf(worst, context);
    const { requestMsMax } = worst;
    const placed = await this.ledger.place(this.#holdOf(order, worst), context, signal);
    const held = new HeldRequest(this.ledger, this.clock, order, worst, placed);
    const isLate = this.clock.now() - order.receivedAtMs >= requestMsMax;
    if (isLate || (order.confirm && !(await confirmed(order.confirm, held)))) {
      await held.release('timed_out').catch(unlessNotOpen);
      throw new RequestCutError('timed_out');
    }
    return held;
  }

  /**
   * The hold that `admit` would place now. Nothing is held.
   * @throws DomainError as `admit`
   */
  async preview(order: PaidOrder, worst: WorstCase): Promise<PreviewedHold> {
    this.admission?.demand();
    demandModelsOf(worst, order.context);
    return this.ledger.preview(this.#holdOf(order, worst));
  }

  #holdOf({ accountId, context, routingMode: mode }: PaidOrder, worst: WorstCase): HoldOrder {
    const { model, pricedAtMs, requestMsMax } = worst;
    const hold: Writable<HoldOrder> = {
      accountId,
      holdId: context.requestId,
      purpose: worst.purpose,
      lines: worst.lines,
      rateCardVersion: worst.rateCardVersion,
      evidence: worst.evidence,
      shrink: worst.shrink ?? null,
      placedAt: instantAt(pricedAtMs),
      expiresAt: instantAt(pricedAtMs + requestMsMax + this.settings.settleMsMax),
    };
    if (model !== undefined) hold.model = model;
    if (mode !== undefined) hold.mode = mode;
    return addLabels(hold, context);
  }

  /**
   * Finds out whether an abandoned request was charged; one that was not never will be.
   * @param context of the request that asks
   */
  settle(
    { accountId, requestId, startedAtMs }: LeftRequest,
    { requestId: id, correlationId, actor }: CommandContext,
  ): Promise<HoldEnd> {
    return this.ledger.settle(
      {
        accountId,
        holdId: requestId,
        notBefore: instantAt(startedAtMs),
        reason: 'internal_error',
        releasedAt: instant(this.clock),
      },
      // The request that asks has its own hold to release; its ids are derived in the same way.
      followUp({ id, correlationId }, `settle ${requestId}`, actor),
    );
  }
}

/** Most keys have no list of models: their requests are not searched for models. */
const demandModelsOf = (worst: WorstCase, context: CommandContext): void => {
  if (context.allowsModel) demandModels(context, modelsOf(worst));
};

/** Of the request and of its steps. */
const modelsOf = ({ model, lines }: WorstCase): readonly string[] => [
  ...(model === undefined ? [] : [model]),
  ...lines.flatMap((line) => line.model ?? []),
];

const confirmed = async (confirm: () => Promise<boolean>, held: HeldRequest): Promise<boolean> => {
  try {
    return await confirm();
  } catch (error) {
    await held.release('internal_error');
    throw error;
  }
};

/** A retry that took the request over has released its hold already. */
const unlessNotOpen = (error: unknown): void => {
  if (!isRejection(error, 'hold_not_open')) throw error;
};
