import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type PrivacyReserved, type PrivacySpent } from '#events/cleanrooms/cleanroom.events.js';
import { BlobError } from '#platform/blobs/blobs.errors.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type HoldPace, type LedgerEntry, type Release } from '#platform/ledger/hold.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type RoomRecord, type RoomSchema } from '#projections/cleanrooms/cleanrooms.projection.js';
import { AnswerRunner } from './answer-runner.js';
import { reject } from './cleanrooms.errors.js';
import { CleanroomFailure } from './cleanrooms.failures.js';
import { type PrivacyQuery, type Spending } from './privacy.engine.js';
import { type AdmittedQuery, QueryAdmission, REQUEST_MS_MAX } from './query-admission.js';
import { answerOf, type RoomAnswer } from './room-answer.js';
import { type ShownBudget, shownBudget } from './room-budget.js';
import { type AskedQuery, chargeOf, queryOf, spendingOf } from './room-query.js';
import { demandRole, roomDecider, spendKey } from './room.decider.js';
import { type FoundRoom, Rooms } from './rooms.js';
import { StoredAnswers } from './stored-answers.js';

export interface RoomQuestion extends PaidOrder {
  readonly cleanroomId: string;
  /** A function of the room where the caller leaves an amount to it. */
  readonly asked: AskedQuery | ((room: RoomRecord) => AskedQuery);
}

export interface AnsweredQuestion {
  readonly answer: RoomAnswer;
  /** The spend that paid for the answer. */
  readonly spent: PrivacySpent['data'];
  /** Whether this request spent it; false for a stored answer. */
  readonly isNew: boolean;
  /** After the answer. */
  readonly budget: ShownBudget;
  readonly entry: LedgerEntry;
  readonly pace: Readonly<{ pace?: HoldPace }>;
}

/** Asks a room: holds the price, reserves the privacy, computes, spends, charges. */
export class AskRoomCommand extends Command<AnsweredQuestion> {
  constructor(
    readonly question: RoomQuestion,
    /** Aborted with a `RequestCutError` when this process stops or the request takes too long. */
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

interface Prepared {
  readonly room: RoomRecord;
  readonly schema: RoomSchema;
  readonly query: PrivacyQuery;
  readonly spending: Spending;
  readonly reservation: PrivacyReserved['data'];
}

/** The reservation outlives the hold of the request by this: by then a hold has expired. */
const EXPIRY_MS = 2 * REQUEST_MS_MAX;

@CommandHandler(AskRoomCommand)
export class AskRoomHandler implements ICommandHandler<AskRoomCommand> {
  constructor(
    private readonly rooms: Rooms,
    private readonly admission: QueryAdmission,
    private readonly runner: AnswerRunner,
    private readonly answers: StoredAnswers,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError, CleanroomFailure, RequestCutError */
  async execute({ question, signal }: AskRoomCommand): Promise<AnsweredQuestion> {
    const found = await this.rooms.find(question.cleanroomId, question.accountId);
    const prepared = this.#prepare(found, question);
    const { query, reservation } = prepared;
    const { cleanroomId, queryHash } = reservation;
    const rows = query.kind === 'synthesize' ? query.rows : 0;
    const held = await this.admission.admit(question, rows, { cleanroomId, queryHash });
    const { spent, isNew } = await this.#spend(prepared, question, held, signal);
    const answer = await this.answers.read(cleanroomId, spent.answer);
    const entry = await held.capture(spent.spendId, isNew);
    const { room } = await this.rooms.find(cleanroomId, question.accountId);
    return { answer, spent, isNew, budget: shownBudget(room), entry, pace: held.pace };
  }

  /** A query that would be rejected is rejected here, before anything is held. */
  #prepare(found: FoundRoom, { accountId, asked, context }: RoomQuestion): Prepared {
    const room = demandRole(found, accountId, 'analyst');
    const { schema } = room;
    if (!schema) return reject('cleanroom_schema_missing', 'the room has no schema yet');
    const given = typeof asked === 'function' ? asked(room) : asked;
    const query = queryOf(schema, given);
    const spending = spendingOf(room, given);
    const reservation = {
      ...{ cleanroomId: room.cleanroomId, spendId: context.requestId, accountId },
      ...chargeOf(room, query, spending),
      reservedAt: instant(this.clock),
      expiresAt: new Date(this.clock.now() + EXPIRY_MS).toISOString(),
    };
    roomDecider.decide({ type: 'ReservePrivacy', data: reservation }, found);
    if (!found.answers.has(spendKey(reservation))) this.runner.demandTurn(accountId);
    return { room, schema, query, spending, reservation };
  }

  /** Where it fails, nothing is reserved and nothing held any more. */
  async #spend(
    prepared: Prepared,
    { context }: RoomQuestion,
    held: AdmittedQuery,
    signal: AbortSignal,
  ): Promise<Pick<AnsweredQuestion, 'spent' | 'isNew'>> {
    const { reservation } = prepared;
    const { cleanroomId, spendId } = reservation;
    try {
      const reserving = { type: 'ReservePrivacy', data: reservation } as const;
      const { state } = await this.rooms.run(cleanroomId, reserving, context);
      const known = state.answers.get(spendKey(reservation));
      if (known) return { spent: known, isNew: false };
      return { spent: await this.#compute(prepared, context, signal), isNew: true };
    } catch (error) {
      const data = { spendId, releasedAt: instant(this.clock) };
      const releasing = { type: 'ReleasePrivacy', data } as const;
      // Where the log is away, the saga ends the reservation with the hold.
      await this.rooms.run(cleanroomId, releasing, context).catch(() => undefined);
      await held.release(reasonOf(error));
      throw error;
    }
  }

  /** The privacy is reserved. The answer leaves this process after its spend is durable. */
  async #compute(
    { room, schema, query, spending, reservation }: Prepared,
    context: RoomQuestion['context'],
    signal: AbortSignal,
  ): Promise<PrivacySpent['data']> {
    const { cleanroomId, spendId, accountId } = reservation;
    const noisy = await this.runner
      .run(room, accountId, { query, spending }, signal)
      .catch((error: unknown) => rethrow(error, signal));
    const answer = await this.answers.put(cleanroomId, answerOf(schema, query, noisy));
    const data = { spendId, answer, spentAt: instant(this.clock) };
    const command = { type: 'SpendPrivacy', data } as const;
    const { state } = await this.rooms.run(cleanroomId, command, context);
    await this.answers.retain(cleanroomId, spendId);
    const spent = state.answers.get(spendKey(reservation));
    return spent ?? reject('privacy_reservation_ended', 'the query took too long; send it again');
  }
}

const rethrow = (error: unknown, signal: AbortSignal): never => {
  if (signal.aborted) throw signal.reason;
  if (error instanceof CleanroomFailure || error instanceof DomainError) throw error;
  if (error instanceof BlobError && error.code === 'blob-erased') {
    return reject('cleanroom_rows_changed', 'rows were withdrawn meanwhile; send the query again');
  }
  throw new CleanroomFailure('failed', 'the computation of the answer failed', { cause: error });
};

const reasonOf = (error: unknown): Release['reason'] => {
  if (error instanceof RequestCutError) return error.reason;
  return error instanceof DomainError ? 'refused' : 'internal_error';
};
