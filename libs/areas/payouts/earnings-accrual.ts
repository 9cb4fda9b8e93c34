import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { ChargeAdjusted, HoldCaptured } from '#events/billing/account.events.js';
import {
  type EventStore,
  type Position,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { type LeaderService } from '#platform/runtime/areas/leader-service.js';
import { type RunnerStatus } from '#platform/runtime/subscriptions/log-progress.js';
import { SubscriptionRunner } from '#platform/runtime/subscriptions/subscription-runner.js';
import { type LogPlaces, PlaceUnknownError } from '#platform/runtime/history/log-places.js';
import { CLOCK, CODEC, EVENT_STORE, LOG_PLACES, LOGGER } from '#platform/runtime/tokens.js';
import { AccrualDraft } from './accrual-draft.js';
import { NO_FRACTIONS } from './fractions.js';
import { type AccrualState } from './accrual.decider.js';
import { ACCRUAL_STREAM, type AccrualRunner, ACCRUALS } from './accruals.js';
import { Charges } from './charges.port.js';
import { EarningTerms, type TermEvent, termEvents } from './earning-terms.js';

const NAME = 'payouts.accrual';
const MOVEMENT_TYPES = [HoldCaptured.type, ChargeAdjusted.type];
const TERM_TYPES = termEvents.map(({ type }) => type);
/** The most earnings of an accrual, about: it must fit into one append. */
const EARNINGS_MAX = 1_000;
/** The namespace of the ids of accruals. */
const ACCRUAL_NAMESPACE = '5c1f5d0e-64d6-4f0c-9f43-2a1f6f1f7a55';

const NOT_STARTED: RunnerStatus = {
  name: NAME,
  phase: 'closed',
  position: 0n,
  failure: null,
  retryAt: null,
};

/**
 * Divides charges among their beneficiaries, in the process that runs the sagas. A change of terms
 * counts for the charges that follow it in the log. Several of them would do no harm: the decider
 * accepts each range of the log once. Without a beneficiary nothing is written.
 */
@Injectable()
export class EarningsAccrual implements LeaderService {
  readonly #terms: CodecOf<TermEvent>;
  readonly #movements: CodecOf<HoldCaptured | ChargeAdjusted>;
  #runner: SubscriptionRunner | undefined;
  #at = new EarningTerms();
  #draft: AccrualDraft;
  /** The draft begins behind this position. */
  #after: Position = 0n;

  constructor(
    @Inject(ACCRUALS) private readonly accruals: AccrualRunner,
    private readonly charges: Charges,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(LOG_PLACES) private readonly places: LogPlaces,
    @Inject(CODEC) codec: EventCodec,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#terms = codec.for(termEvents);
    this.#movements = codec.for([HoldCaptured, ChargeAdjusted]);
    this.#draft = new AccrualDraft(() => NO_FRACTIONS);
  }

  start(): Promise<void> {
    const handler = {
      name: NAME,
      types: [...MOVEMENT_TYPES, ...TERM_TYPES],
      checkpoint: () => this.#load(),
      handle: (batch: SubscriptionBatch) => this.#handle(batch),
    };
    this.#runner = new SubscriptionRunner(handler, this.eventStore, this.clock, this.logger);
    this.#runner.start();
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    await this.#runner?.stop();
  }

  status(): RunnerStatus {
    return this.#runner?.status() ?? NOT_STARTED;
  }

  /** The terms as they were where the last accrual ends. Charges before any terms are skipped. */
  async #load(): Promise<Position> {
    const { state } = await this.accruals.stateOf(ACCRUAL_STREAM);
    const through = await this.#positionAt(BigInt(state.through));
    const head = await this.eventStore.head();
    this.#at = new EarningTerms();
    this.#begin(through, state);
    const filter = { by: 'type', prefixes: TERM_TYPES } as const;
    for await (const page of this.eventStore.readAll({ filter })) {
      for (const event of page) {
        if (through === 0n) return this.#begin(event.position - 1n, state);
        if (event.position > through) return through;
        if (isTerm(event.type)) this.#at.apply(this.#terms.revive(event));
      }
    }
    return through === 0n ? this.#begin(head, state) : through;
  }

  async #positionAt(size: bigint): Promise<Position> {
    const position = await this.places.positionAt(size);
    if (position === undefined) throw new PlaceUnknownError(`the log has not ${size} events`);
    return position;
  }

  #begin(after: Position, { earned }: AccrualState): Position {
    this.#after = after;
    this.#draft = new AccrualDraft((beneficiary) => earned.get(beneficiary) ?? NO_FRACTIONS);
    return after;
  }

  async #handle({ events }: SubscriptionBatch): Promise<void> {
    let last: Position | undefined;
    for (const event of events) {
      if (isTerm(event.type)) this.#at.apply(this.#terms.revive(event));
      if (!isMovement(event.type)) continue;
      await this.#take(this.#movements.revive(event));
      last = event.position;
      if (this.#draft.size >= EARNINGS_MAX) await this.#accrue(event.position);
    }
    if (last !== undefined && this.#draft.size > 0) await this.#accrue(last);
  }

  async #take({ type, data }: HoldCaptured | ChargeAdjusted): Promise<void> {
    if (type === 'HoldCaptured') {
      this.#draft.add(data, this.#at);
      return;
    }
    const { accountId, refersTo } = data;
    const { holdId } = refersTo;
    const charge = holdId === null ? null : await this.charges.find(accountId, holdId);
    this.#draft.correct(data, charge, this.#at);
  }

  async #accrue(through: Position): Promise<void> {
    const [first, last] = [
      await this.places.sizeAt(this.#after),
      await this.places.sizeAt(through),
    ];
    const range = { after: first.toString(), through: last.toString() };
    const data = { ...range, ...this.#draft.toAccrued(), accruedAt: instant(this.clock) };
    const id = derivedId(`${range.after} ${range.through}`, ACCRUAL_NAMESPACE);
    const { state } = await this.accruals.run(
      ACCRUAL_STREAM,
      { type: 'AccrueEarnings', data },
      contextOf(id, 'system'),
    );
    this.#begin(through, state);
  }
}

const isMovement = (type: string): boolean => MOVEMENT_TYPES.some((one) => one === type);

const isTerm = (type: string): boolean => TERM_TYPES.some((term) => term === type);
