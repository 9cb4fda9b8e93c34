import { setTimeout as sleep } from 'node:timers/promises';
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
import { type Writable } from '#platform/kernel/writable.js';
import { type CommandContext } from './command-context.js';
import { epochOf, type LogEpoch } from '../log-standing/log-epoch.js';
import { type CodecOf } from './event-codec.js';
import { appendSettled } from './settled-append.js';
import { growingCache } from '../projections/growing-cache.js';
import { type Snapshot, type SnapshotPlan, type Snapshots } from './snapshots.js';

/** How often a command is decided when other writers append first. */
export const ATTEMPTS_MAX = 20;
/** The pauses between decisions of a command: at most about ten appends of another writer. */
const CONFLICTS: BackOff = { firstMs: 2, maxMs: 64, jitter: 1 };
/** Commands in one append; a batch that is too large for one append is halved. */
export const BATCH_COMMANDS_MAX = 250;
/** Idle streams whose state is cached. */
const STREAMS_CACHED_MAX = 20_000;

/** Other writers appended to the stream before every attempt. The caller may retry. */
export class ContentionError extends Error {
  override readonly name = 'ContentionError';
}

export interface TypedCommand {
  readonly type: string;
}

/** The outcome of a command. */
export interface CommandOutcome<State, Event> {
  /** Empty when there was nothing new. */
  readonly events: readonly Event[];
  /** Their ids in the log, in the same order. */
  readonly eventIds: readonly string[];
  readonly state: State;
  /** The log position that the outcome reflects; 0n for a stream without events. */
  readonly position: Position;
}

export interface RunnerOptions<Command, State, Event extends DomainEvent> {
  readonly decider: Decider<Command, State, Event>;
  readonly eventStore: EventStore;
  /** `codec.for(events)` with the events of the decider. */
  readonly codec: CodecOf<Event>;
  /** With a plan, long streams start from their last snapshot. */
  readonly snapshots?: { readonly store: Snapshots; readonly plan: SnapshotPlan<State> };
  readonly onSnapshotFailure?: (error: unknown) => void;
}

interface Fold<State> {
  readonly state: State;
  readonly revision: bigint | null;
  readonly position: Position;
  /** Of the event at `revision`. */
  readonly eventId: string;
  /** Of the log; the folds of earlier epochs are forgotten. */
  readonly epoch: number;
}

interface Waiting<Command, State, Event> {
  readonly command: Command;
  readonly context: CommandContext;
  readonly resolve: (outcome: CommandOutcome<State, Event>) => void;
  readonly reject: (reason: unknown) => void;
  /** As it was decided last; its position is known when the append has landed. */
  outcome: Writable<CommandOutcome<State, Event>> | undefined;
  /** Why it was not decided. */
  failure: unknown;
}

interface StreamQueue<Command, State, Event> {
  readonly stream: string;
  /** The stream up to some revision; a later append by another writer fails the next append. */
  fold: Fold<State> | undefined;
  /** An append failed; the stream is read again before the next decision. */
  doubtful: boolean;
  waiting: Waiting<Command, State, Event>[];
  revisionOfSnapshot: bigint;
}

/** A batch, decided. */
interface Decision<State> {
  readonly events: readonly EventToAppend[];
  /** After its events. */
  readonly state: State;
}

/**
 * Runs the commands of one decider. Commands to one stream queue in this process. The runner
 * decides a batch of them in order, each on the state after the one before it, and appends all
 * their events at the revision that was read. So a hot stream costs one durable write for many
 * commands.
 *
 * A domain error and "nothing new" are answered only when their state is known to be current:
 * either the batch's append landed at that revision, or the stream was read once more.
 */
export class CommandRunner<Command extends TypedCommand, State, Event extends DomainEvent> {
  readonly #queues = growingCache<StreamQueue<Command, State, Event>>(STREAMS_CACHED_MAX);
  /** Queues with commands; the cache of idle streams does not evict them. */
  readonly #busy = new Map<string, StreamQueue<Command, State, Event>>();
  readonly #epoch: LogEpoch;

  constructor(private readonly options: RunnerOptions<Command, State, Event>) {
    this.#epoch = epochOf(options.eventStore);
  }

  /**
   * @throws DomainError when the decider rejects; ContentionError; EventStoreError; ForeignLogError
   *   where the log lacks folded events
   */
  run(
    stream: string,
    command: Command,
    context: CommandContext,
  ): Promise<CommandOutcome<State, Event>> {
    const { promise, resolve, reject } = Promise.withResolvers<CommandOutcome<State, Event>>();
    const waiting = { command, context, resolve, reject, outcome: undefined, failure: undefined };
    const busy = this.#busy.get(stream);
    if (busy) {
      busy.waiting.push(waiting);
    } else {
      const queue = this.#queueOf(stream);
      queue.waiting = [waiting];
      void this.#drain(queue);
    }
    return promise;
  }

  /** The stream's state as the log has it now. */
  async stateOf(stream: string): Promise<Pick<Fold<State>, 'state' | 'revision' | 'position'>> {
    const queue = this.#queueOf(stream);
    const fold = await this.#catchUp(queue, queue.fold);
    return { state: fold.state, revision: fold.revision, position: fold.position };
  }

  /** The state that this process knows, without a read; undefined where it knows none. */
  lastStateOf(stream: string): State | undefined {
    const fold = (this.#busy.get(stream) ?? this.#queues.get(stream))?.fold;
    return this.#isCurrent(fold) ? fold.state : undefined;
  }

  #queueOf(stream: string): StreamQueue<Command, State, Event> {
    const known = this.#busy.get(stream) ?? this.#queues.get(stream);
    if (known) return known;
    const queue: StreamQueue<Command, State, Event> = {
      stream,
      fold: undefined,
      doubtful: false,
      waiting: [],
      revisionOfSnapshot: -1n,
    };
    this.#queues.set(stream, queue);
    return queue;
  }

  async #drain(queue: StreamQueue<Command, State, Event>): Promise<void> {
    this.#busy.set(queue.stream, queue);
    // Commands that arrive in the same turn of the event loop share one append.
    await Promise.resolve();
    while (queue.waiting.length > 0) {
      const batch = queue.waiting;
      queue.waiting = batch.length > BATCH_COMMANDS_MAX ? batch.splice(BATCH_COMMANDS_MAX) : [];
      await this.#settle(queue, batch);
    }
    this.#busy.delete(queue.stream);
    if (!this.#queues.has(queue.stream)) this.#queues.set(queue.stream, queue);
  }

  /** Answers every command of the batch. An unfit command fails alone. */
  async #settle(
    queue: StreamQueue<Command, State, Event>,
    batch: readonly Waiting<Command, State, Event>[],
  ): Promise<void> {
    try {
      let { fold } = queue;
      if (!this.#isCurrent(fold) || queue.doubtful) fold = await this.#catchUp(queue, fold);
      queue.doubtful = false;
      for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
        const decision = this.#decide(queue.stream, batch, fold);
        const landed = await this.#land(queue, fold, batch, decision);
        if (landed) {
          for (const waiting of batch) answer(waiting, landed.position);
          return;
        }
        // Jitter breaks the lockstep of two writers that keep conflicting.
        if (attempt > 1) await sleep(backOffMs(CONFLICTS, attempt, Math.random()));
        fold = await this.#catchUp(queue, fold);
      }
      throw new ContentionError(`${queue.stream} changed ${ATTEMPTS_MAX} times while deciding`);
    } catch (error) {
      if (batch.length > 1 && isUnfit(error)) {
        const middle = Math.ceil(batch.length / 2);
        await this.#settle(queue, batch.slice(0, middle));
        await this.#settle(queue, batch.slice(middle));
        return;
      }
      queue.doubtful = true;
      for (const { reject } of batch) reject(error);
    }
  }

  /** Decides the commands in their order, each on the state after the one before it. */
  #decide(
    stream: string,
    batch: readonly Waiting<Command, State, Event>[],
    fold: Fold<State>,
  ): Decision<State> {
    const { decider, codec } = this.options;
    const appended: EventToAppend[] = [];
    let { state } = fold;
    for (const waiting of batch) {
      const { command, context } = waiting;
      const before = appended.length;
      try {
        const events = decider.decide(command, state);
        const eventIds: string[] = [];
        let after = state;
        for (const event of events) {
          const stored = codec.store(event, stream, command.type, context, eventIds.length);
          appended.push(stored);
          eventIds.push(stored.id);
          after = decider.evolve(after, event);
        }
        state = after;
        waiting.outcome = { events, eventIds, state, position: fold.position };
      } catch (failure) {
        appended.length = before;
        waiting.outcome = undefined;
        waiting.failure = failure;
      }
    }
    return { events: appended, state };
  }

  /** The new fold, or undefined when the decision rested on an outdated state. */
  #land(
    queue: StreamQueue<Command, State, Event>,
    fold: Fold<State>,
    batch: readonly Waiting<Command, State, Event>[],
    { events, state }: Decision<State>,
  ): Promise<Fold<State> | undefined> | Fold<State> | undefined {
    if (!this.#isCurrent(fold)) return undefined;
    const last = events.at(-1);
    if (!last) return this.#confirm(queue, fold, batch);
    const { revision: expected, epoch } = fold;
    return appendSettled(this.options.eventStore, queue.stream, events, expected).then(
      ({ revision, position }) => {
        queue.fold = { state, revision, position, eventId: last.id, epoch };
        this.#maybeSnapshot(queue, queue.fold);
        return queue.fold;
      },
      unlessStale,
    );
  }

  /** A domain error and "nothing new" are answered on the state that the log has now. */
  async #confirm(
    queue: StreamQueue<Command, State, Event>,
    fold: Fold<State>,
    batch: readonly Waiting<Command, State, Event>[],
  ): Promise<Fold<State> | undefined> {
    if (batch.every(isDefective)) return fold;
    const current = await this.#catchUp(queue, fold);
    return current.eventId === fold.eventId ? current : undefined;
  }

  #isCurrent(fold: Fold<State> | undefined): fold is Fold<State> {
    return fold?.epoch === this.#epoch.number;
  }

  async #start(queue: StreamQueue<Command, State, Event>): Promise<Fold<State>> {
    await this.#epoch.begin();
    const epoch = this.#epoch.number;
    const snapshot = await this.#snapshotOf(queue.stream);
    queue.revisionOfSnapshot = snapshot?.revision ?? -1n;
    if (snapshot) return { ...snapshot, epoch };
    const { initialState } = this.options.decider;
    return { state: initialState, revision: null, position: 0n, eventId: '', epoch };
  }

  /**
   * Used only where the log has the snapshot's last event: a log that was restored from a backup
   * may have another one there by now.
   */
  async #snapshotOf(stream: string): Promise<Snapshot<State> | undefined> {
    const { eventStore, snapshots, onSnapshotFailure } = this.options;
    const found = await snapshots?.store.load(stream, snapshots.plan).catch((error: unknown) => {
      onSnapshotFailure?.(error);
      return undefined;
    });
    if (!found) return undefined;
    const last = { from: found.revision, maxCount: 1 };
    for await (const page of eventStore.read(stream, last)) {
      const [event] = page;
      if (event?.id === found.eventId && event.position === found.position) return found;
    }
    return undefined;
  }

  /**
   * Folds the events after `known`, of every writer; all events where it is of an earlier epoch.
   * @throws ForeignLogError where the log lacks the last event of `known`
   */
  async #catchUp(
    queue: StreamQueue<Command, State, Event>,
    known: Fold<State> | undefined,
  ): Promise<Fold<State>> {
    const { eventStore, decider, codec } = this.options;
    const fold = this.#isCurrent(known) ? known : await this.#start(queue);
    let { state, revision, position, eventId } = fold;
    let isOfLog = revision === null;
    for await (const page of eventStore.read(queue.stream, { from: revision ?? 0n })) {
      for (const recorded of page) {
        if (isOfLog) {
          state = decider.evolve(state, codec.revive(recorded));
          ({ revision, position, id: eventId } = recorded);
        } else {
          isOfLog = recorded.revision === fold.revision && recorded.id === fold.eventId;
          if (!isOfLog) break;
        }
      }
      if (!isOfLog) break;
    }
    if (!isOfLog) return this.#catchUpLost(queue, fold);
    const caughtUp = { state, revision, position, eventId, epoch: fold.epoch };
    // A slow read must not replace the newer fold of a command.
    if (!this.#isCurrent(queue.fold) || (queue.fold.revision ?? -1n) <= (revision ?? -1n))
      queue.fold = caughtUp;
    this.#maybeSnapshot(queue, caughtUp);
    return caughtUp;
  }

  async #catchUpLost(
    queue: StreamQueue<Command, State, Event>,
    fold: Fold<State>,
  ): Promise<Fold<State>> {
    const { revision, position, eventId: id, epoch } = fold;
    const folded = { stream: queue.stream, revision: revision ?? 0n, position, id };
    await this.#epoch.lose(folded, epoch);
    return this.#catchUp(queue, undefined);
  }

  #maybeSnapshot(queue: StreamQueue<Command, State, Event>, fold: Fold<State>): void {
    const { snapshots, onSnapshotFailure } = this.options;
    if (!snapshots || fold.revision === null) return;
    if (Number(fold.revision - queue.revisionOfSnapshot) < snapshots.plan.every) return;
    const { state, revision, position, eventId } = fold;
    queue.revisionOfSnapshot = revision;
    snapshots.store
      .save(queue.stream, snapshots.plan, { state, revision, position, eventId })
      .catch((error: unknown) => onSnapshotFailure?.(error));
  }
}

/** The store rejected the append without an attempt. */
const isUnfit = (error: unknown): boolean =>
  error instanceof AppendTooLargeError || error instanceof InvalidAppendError;

const isDefective = ({
  outcome,
  failure,
}: Pick<Waiting<unknown, unknown, unknown>, 'outcome' | 'failure'>): boolean =>
  !outcome && !(failure instanceof DomainError);

const unlessStale = (error: unknown): undefined => {
  if (!(error instanceof StaleRevisionError)) throw error;
};

const answer = <Command, State, Event>(
  { outcome, failure, resolve, reject }: Waiting<Command, State, Event>,
  position: Position,
): void => {
  if (outcome) {
    outcome.position = position;
    resolve(outcome);
  } else reject(failure);
};
