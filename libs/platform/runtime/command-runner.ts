import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import {
  AppendTooLargeError,
  InvalidAppendError,
  StaleRevisionError,
} from '#platform/event-store/event-store.errors.js';
import {
  type EventStore,
  type EventToAppend,
  type Position,
} from '#platform/event-store/event-store.port.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { type Decider } from '#platform/kernel/decider.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type DomainEvent } from '#platform/kernel/projection.js';
import { type CommandContext } from './command-context.js';
import { type EventCodec } from './event-codec.js';
import { appendSettled } from './settled-append.js';
import { type Snapshot, type SnapshotPlan, type Snapshots } from './snapshots.js';

/** How often a command is decided anew after somebody else appended first. */
export const ATTEMPTS_MAX = 20;
/** Before a command is decided again: at most about ten appends of the writer that was faster. */
const CONFLICTS: BackOff = { firstMs: 2, maxMs: 64, jitter: 1 };
/** Commands that go down in one append; what is too large for one is cut in halves. */
export const BATCH_COMMANDS_MAX = 250;
/** Idle streams whose state is kept; one beyond that is read again. */
const STREAMS_CACHED_MAX = 20_000;

/** The stream is so busy elsewhere that the command never fitted; the caller may try again. */
export class ContentionError extends Error {
  override readonly name = 'ContentionError';
}

export interface TypedCommand {
  readonly type: string;
}

/** What a command did. */
export interface CommandOutcome<State, Event> {
  /** Empty when there was nothing new. */
  readonly events: readonly Event[];
  /** Their ids in the log, in the same order. */
  readonly eventIds: readonly string[];
  readonly state: State;
  /** The log position that the outcome reflects; 0n for a stream without events. */
  readonly position: Position;
}

export interface RunnerOptions<Command, State, Event> {
  readonly decider: Decider<Command, State, Event>;
  readonly eventStore: EventStore;
  readonly codec: EventCodec;
  /** With a plan, long streams start from their last snapshot. */
  readonly snapshots?: { readonly store: Snapshots; readonly plan: SnapshotPlan<State> };
  readonly onSnapshotFailure?: (error: unknown) => void;
}

interface Fold<State> {
  readonly state: State;
  readonly revision: bigint | null;
  readonly position: Position;
}

interface Waiting<Command, State, Event> {
  readonly command: Command;
  readonly context: CommandContext;
  readonly resolve: (outcome: CommandOutcome<State, Event>) => void;
  readonly reject: (reason: unknown) => void;
}

interface Lane<Command, State, Event> {
  readonly stream: string;
  /** The stream up to some revision; what others appended behind it shows when it is decided on. */
  fold: Fold<State> | undefined;
  /** Something failed, and what it left in the log is to be seen before the next decision. */
  doubtful: boolean;
  waiting: Waiting<Command, State, Event>[];
  revisionOfSnapshot: bigint;
}

/** One command of a batch, decided. */
interface Decided<Command, State, Event> {
  readonly waiting: Waiting<Command, State, Event>;
  readonly events: readonly Event[];
  readonly appended: readonly EventToAppend[];
  readonly state: State;
  readonly refusal: unknown;
}

/**
 * Runs the commands of one decider. Commands to one stream queue in this process; each waiting batch
 * is decided one after the other, each on the state the one before it left, and goes down in one
 * append at the revision that was read. So a hot stream costs one durable write for many commands.
 *
 * Refusals and repeats are answered only when the state they rest on is known to be current: either
 * the batch's append landed at that revision, or the stream was read once more.
 */
export class CommandRunner<Command extends TypedCommand, State, Event extends DomainEvent> {
  readonly #lanes = new LRUCache<string, Lane<Command, State, Event>>({ max: STREAMS_CACHED_MAX });
  /** Lanes at work; none of them is forgotten however many others come. */
  readonly #busy = new Map<string, Lane<Command, State, Event>>();

  constructor(private readonly options: RunnerOptions<Command, State, Event>) {}

  /**
   * @throws DomainError when the decider refuses; ContentionError; EventStoreError
   */
  run(
    stream: string,
    command: Command,
    context: CommandContext,
  ): Promise<CommandOutcome<State, Event>> {
    return new Promise((resolve, reject) => {
      const lane = this.#lane(stream);
      lane.waiting.push({ command, context, resolve, reject });
      if (!this.#busy.has(stream)) void this.#drain(lane);
    });
  }

  /** The stream's state as the log has it now. */
  async stateOf(stream: string): Promise<{ readonly state: State; readonly position: Position }> {
    const lane = this.#lane(stream);
    const { state, position } = await this.#catchUp(lane, lane.fold ?? (await this.#start(lane)));
    return { state, position };
  }

  #lane(stream: string): Lane<Command, State, Event> {
    const known = this.#busy.get(stream) ?? this.#lanes.get(stream);
    if (known) return known;
    const lane: Lane<Command, State, Event> = {
      stream,
      fold: undefined,
      doubtful: false,
      waiting: [],
      revisionOfSnapshot: -1n,
    };
    this.#lanes.set(stream, lane);
    return lane;
  }

  async #drain(lane: Lane<Command, State, Event>): Promise<void> {
    this.#busy.set(lane.stream, lane);
    // Commands that arrive in the same turn of the event loop go down together.
    await Promise.resolve();
    while (lane.waiting.length > 0) {
      await this.#settle(lane, lane.waiting.splice(0, BATCH_COMMANDS_MAX));
    }
    this.#busy.delete(lane.stream);
    this.#lanes.set(lane.stream, lane);
  }

  /** Answers every command of the batch. What spoils an append spoils it for its own command only. */
  async #settle(
    lane: Lane<Command, State, Event>,
    batch: readonly Waiting<Command, State, Event>[],
  ): Promise<void> {
    try {
      await this.#decideAndLand(lane, batch);
    } catch (error) {
      if (batch.length > 1 && isUnfit(error)) {
        const middle = Math.ceil(batch.length / 2);
        await this.#settle(lane, batch.slice(0, middle));
        await this.#settle(lane, batch.slice(middle));
        return;
      }
      lane.doubtful = true;
      for (const { reject } of batch) reject(error);
    }
  }

  async #decideAndLand(
    lane: Lane<Command, State, Event>,
    batch: readonly Waiting<Command, State, Event>[],
  ): Promise<void> {
    let { fold } = lane;
    if (!fold || lane.doubtful) fold = await this.#catchUp(lane, fold ?? (await this.#start(lane)));
    lane.doubtful = false;
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const decided = this.#decideAll(lane.stream, batch, fold);
      const landed = await this.#land(lane, fold, decided);
      if (landed) {
        for (const one of decided) answer(one, landed.position);
        return;
      }
      // Jitter breaks the lockstep of two writers that keep conflicting.
      if (attempt > 1) await sleep(backOffMs(CONFLICTS, attempt, Math.random()));
      fold = await this.#catchUp(lane, fold);
    }
    throw new ContentionError(`${lane.stream} changed ${ATTEMPTS_MAX} times while deciding`);
  }

  #decideAll(
    stream: string,
    batch: readonly Waiting<Command, State, Event>[],
    fold: Fold<State>,
  ): readonly Decided<Command, State, Event>[] {
    const { decider, codec } = this.options;
    let { state } = fold;
    return batch.map((waiting) => {
      const { command, context } = waiting;
      try {
        const events = decider.decide(command, state);
        const appended = events.map((event, index) =>
          codec.store(event, stream, command.type, context, index),
        );
        state = events.reduce(decider.evolve, state);
        return { waiting, events, appended, state, refusal: undefined };
      } catch (refusal) {
        return { waiting, events: [], appended: [], state, refusal };
      }
    });
  }

  /** The new fold, or undefined when the state that was decided on turned out to be old. */
  async #land(
    lane: Lane<Command, State, Event>,
    fold: Fold<State>,
    decided: readonly Decided<Command, State, Event>[],
  ): Promise<Fold<State> | undefined> {
    const events = decided.flatMap(({ appended }) => appended);
    if (events.length === 0) {
      if (decided.every(({ refusal }) => refusal && !(refusal instanceof DomainError))) return fold;
      const current = await this.#catchUp(lane, fold);
      return current.revision === fold.revision ? current : undefined;
    }
    try {
      const { eventStore } = this.options;
      const appended = await appendSettled(eventStore, lane.stream, events, fold.revision);
      const state = decided.at(-1)?.state ?? fold.state;
      lane.fold = { state, revision: appended.revision, position: appended.position };
      this.#maybeSnapshot(lane, lane.fold);
      return lane.fold;
    } catch (error) {
      if (error instanceof StaleRevisionError) return undefined;
      throw error;
    }
  }

  async #start(lane: Lane<Command, State, Event>): Promise<Fold<State>> {
    const snapshot = await this.#snapshotOf(lane.stream);
    const { initialState } = this.options.decider;
    if (!snapshot) return { state: initialState, revision: null, position: 0n };
    lane.revisionOfSnapshot = snapshot.revision;
    return snapshot;
  }

  /** Believed only where the log has the event with which it ends: a log can be put back. */
  async #snapshotOf(stream: string): Promise<Snapshot<State> | undefined> {
    const { eventStore, snapshots, onSnapshotFailure } = this.options;
    const found = await snapshots?.store.load(stream, snapshots.plan).catch((error: unknown) => {
      onSnapshotFailure?.(error);
      return undefined;
    });
    if (!found) return undefined;
    const last = { from: found.revision, maxCount: 1 };
    for await (const page of eventStore.read(stream, last)) {
      if (page[0]?.position === found.position) return found;
    }
    return undefined;
  }

  /** Folds what was appended after `fold`, by anybody. */
  async #catchUp(lane: Lane<Command, State, Event>, fold: Fold<State>): Promise<Fold<State>> {
    const { eventStore, decider, codec } = this.options;
    let { state, revision, position } = fold;
    const from = revision === null ? 0n : revision + 1n;
    for await (const page of eventStore.read(lane.stream, { from })) {
      for (const recorded of page) {
        state = decider.evolve(state, codec.revive(recorded) as Event);
        ({ revision, position } = recorded);
      }
    }
    const caughtUp = { state, revision, position };
    // A reader that came late must not put back a fold that a command has moved on from.
    if ((lane.fold?.revision ?? -1n) <= (revision ?? -1n)) lane.fold = caughtUp;
    this.#maybeSnapshot(lane, caughtUp);
    return caughtUp;
  }

  #maybeSnapshot(lane: Lane<Command, State, Event>, fold: Fold<State>): void {
    const { snapshots, onSnapshotFailure } = this.options;
    if (!snapshots || fold.revision === null) return;
    if (fold.revision - lane.revisionOfSnapshot < BigInt(snapshots.plan.every)) return;
    const { state, revision, position } = fold;
    lane.revisionOfSnapshot = revision;
    snapshots.store
      .save(lane.stream, snapshots.plan, { state, revision, position })
      .catch((error: unknown) => onSnapshotFailure?.(error));
  }
}

/** The store would not take it in this shape, and has tried nothing. */
const isUnfit = (error: unknown): boolean =>
  error instanceof AppendTooLargeError || error instanceof InvalidAppendError;

const answer = <Command, State, Event>(
  { waiting, events, appended, state, refusal }: Decided<Command, State, Event>,
  position: Position,
): void => {
  if (refusal) waiting.reject(refusal);
  else waiting.resolve({ events, eventIds: appended.map(({ id }) => id), state, position });
};
