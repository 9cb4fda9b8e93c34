import { type Position, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { type DomainEvent } from '#platform/kernel/projection.js';
import { type AnySaga, type SagaAction, type SagaCommand } from '#platform/kernel/saga.js';
import { type DocumentWrite, type ReadStore } from '#platform/read-store/read-store.port.js';

/** A command that waits for its instant; its key starts with the instant, so keys order by it. */
export interface TimerDocument {
  readonly saga: string;
  readonly dueAt: string;
  readonly command: string;
  readonly data: unknown;
  /** Of the event that scheduled it. */
  readonly eventId: string;
  readonly correlationId: string;
}

export interface ProcessDocument {
  readonly state: object | null;
  /** Timers that wait, by name: when each is due. */
  readonly timers: Readonly<Record<string, string>>;
}

export interface Held<Document> {
  readonly document: Document;
  readonly position: Position;
}

/** Names of stored processes kept in memory; with more, the store is asked for each process. */
const PROCESSES_KNOWN_MAX = 10_000;

/** The actions of an event, and what becomes of its process when they were carried out. */
export interface Reaction {
  readonly recorded: RecordedEvent;
  readonly actions: readonly SagaAction<SagaCommand>[];
  /** Whether something is sent, and not only timers set. */
  readonly isSending: boolean;
  readonly process: string;
  readonly held: Held<ProcessDocument>;
  readonly next: object | null;
  readonly mayBeRepeated: boolean;
  /** The number of saves before it. */
  readonly saves: number;
}

export const timersOf = (saga: string): string => `saga.${saga}.timers`;
export const processesOf = (saga: string): string => `saga.${saga}`;

export const timerKey = (dueAt: string, process: string, timer: string): string =>
  `${dueAt} ${process} ${timer}`;

/** A new process that is only in memory. */
interface Young {
  /** The position of its first event. */
  readonly since: Position;
  /** The number of `grow` calls before it began. */
  readonly bornAt: number;
  /** The number of events before it began. */
  readonly bornAfter: number;
}

/** After so many events a process is no longer young, however fast they are read. */
const YOUNG_EVENTS_MAX = 5_000;

/** The keys of a process and of its timers. */
const keysOf = (process: string, { timers }: ProcessDocument): readonly string[] => [
  process,
  ...Object.entries(timers).map(([timer, dueAt]) => timerKey(dueAt, process, timer)),
];

/** The documents to write now. */
export interface SagaChanges {
  readonly writes: readonly DocumentWrite[];
  /** The first event of a process that is left out, or null: the checkpoint stays before it. */
  readonly heldBack: Position | null;
  /** To be called after the write. */
  readonly forget: () => void;
}

/**
 * A saga's processes and timers with unsaved changes. A process that ends while it is young is
 * never written: most holds live less than a second, so most cost no write.
 */
export class SagaDocuments {
  readonly #processes = new Map<string, Held<ProcessDocument>>();
  readonly #timers = new Map<string, Held<TimerDocument | null>>();
  /** The keys of them that the store may hold; the others need no delete. */
  #stored = new Set<string>();
  readonly #young = new Map<string, Young>();
  #grown = 0;
  #events = 0;
  #saves = 0;

  /** @param repeatsLeft the effects of the next so many events may already be stored in part */
  constructor(
    private readonly saga: AnySaga,
    private readonly readStore: ReadStore,
    private repeatsLeft: number,
    /** Every process in the store, or null when there were too many to list. */
    private known: Set<string> | null,
  ) {}

  /** Every further event is new: no run has written any of its effects. */
  noMoreRepeats(): void {
    this.repeatsLeft = 0;
  }

  get unsaved(): number {
    return this.#processes.size + this.#timers.size;
  }

  /** A process as far as it is in memory; undefined where it must be loaded. */
  held(process: string): Held<ProcessDocument> | undefined {
    const unsaved = this.#processes.get(process);
    if (unsaved) return unsaved;
    // Most events begin a process. With all names known, a new one needs no read.
    return this.known?.has(process) === false ? NOTHING : undefined;
  }

  async load(process: string): Promise<Held<ProcessDocument>> {
    const found = await this.readStore.get<ProcessDocument>(processesOf(this.saga.name), process);
    if (!found) return NOTHING;
    this.#markStored(process, found.document);
    return found;
  }

  /** Undefined for an event that was handled before. @param held its process */
  reactionTo(
    recorded: RecordedEvent,
    event: DomainEvent,
    process: string,
    held: Held<ProcessDocument>,
  ): Reaction | undefined {
    const mayBeRepeated = this.repeatsLeft > 0;
    if (mayBeRepeated) this.repeatsLeft -= 1;
    this.#events += 1;
    if (recorded.position <= held.position) return undefined;
    const state = (held.document.state ?? this.saga.initialState) as object;
    const actions: readonly SagaAction<SagaCommand>[] = this.saga.react(event, state);
    const next = this.saga.evolve(state, event) as object | null;
    const isSending = actions.some(leavesTheProcess);
    const saves = this.#saves;
    return { recorded, actions, isSending, process, held, next, mayBeRepeated, saves };
  }

  /** Records that the actions of an event were carried out. */
  remember(reaction: Reaction): void {
    const { recorded, actions, isSending, process, held, next, mayBeRepeated, saves } = reaction;
    // A save in the meantime may have written and dropped the document that this one follows.
    if (saves !== this.#saves) this.#markStored(process, held.document);
    const timers = this.#reschedule(process, held.document.timers, actions, recorded);
    const document = { state: next, timers };
    const over = isOver(document);
    // A save has left out a young process: without it there is nothing to write or to delete.
    if (over && !isSending && this.#young.delete(process)) {
      this.#processes.delete(process);
      return;
    }
    const { position } = recorded;
    this.#processes.set(process, { document, position });
    if (mayBeRepeated) this.#markStored(process, document);
    // After a crash, unsaved actions would be sent again.
    if (over || isSending) this.#young.delete(process);
    else if (held === NOTHING && !mayBeRepeated) {
      const [bornAt, bornAfter] = [this.#grown, this.#events];
      this.#young.set(process, { since: position, bornAt, bornAfter });
    }
  }

  /** To be called regularly: a process is young until the second call after it began. */
  grow(): void {
    this.#grown += 1;
    for (const [process, { bornAt }] of this.#young) {
      if (this.#grown - bornAt > 1) this.#young.delete(process);
    }
  }

  changes(): SagaChanges {
    const young = this.#leftOut();
    const processes = [...this.#processes].filter(([key]) => !young.keys.has(key));
    const timers = [...this.#timers].filter(([key]) => !young.keys.has(key));
    const { name } = this.saga;
    this.#saves += 1;
    // Timers first: where a store has no transactions and fails half-way, a process that is not yet
    // written reacts again; a written one would not.
    const writes = [
      ...timers.map(([key, held]) => ({ collection: timersOf(name), key, ...held })),
      ...processes.map(([key, { document, position }]) => {
        const kept = isOver(document) ? null : document;
        return { collection: processesOf(name), key, document: kept, position };
      }),
    ].filter(({ key, document }) => document !== null || this.#stored.has(key));
    // A process may end while this write is under way; then its delete must be written too.
    for (const { key } of writes) this.#stored.add(key);
    for (const [key] of processes) if (this.#stored.has(key)) this.#know(key);
    const forget = (): void => {
      forgetUnchanged(this.#processes, processes);
      forgetUnchanged(this.#timers, timers);
      const held = this.#keysHeld();
      this.#stored = new Set([...this.#stored].filter((key) => held.has(key)));
    };
    return { writes, heldBack: young.since, forget };
  }

  /** The keys of the young processes and their timers, and the first event of the oldest. */
  #leftOut(): { readonly keys: ReadonlySet<string>; readonly since: Position | null } {
    const keys = new Set<string>();
    let first: Position | null = null;
    for (const [process, { since, bornAfter }] of this.#young) {
      if (this.#events - bornAfter > YOUNG_EVENTS_MAX) {
        this.#young.delete(process);
        continue;
      }
      const { document } = this.#processes.get(process) ?? NOTHING;
      for (const key of keysOf(process, document)) keys.add(key);
      if (first === null || since < first) first = since;
    }
    return { keys, since: first };
  }

  /** Keys that a later change may delete without loading them first. */
  #keysHeld(): Set<string> {
    const keys = new Set(this.#timers.keys());
    for (const [process, { document }] of this.#processes) {
      for (const key of keysOf(process, document)) keys.add(key);
    }
    return keys;
  }

  #reschedule(
    process: string,
    before: Readonly<Record<string, string>>,
    actions: readonly SagaAction<SagaCommand>[],
    { id: eventId, position, metadata }: RecordedEvent,
  ): Readonly<Record<string, string>> {
    let timers = before;
    for (const action of actions) {
      if (action.kind !== 'schedule' && action.kind !== 'cancel') continue;
      const { timer } = action;
      const due = timers[timer];
      if (due) this.#cancel(timerKey(due, process, timer), process, position);
      if (action.kind === 'cancel') {
        timers = withoutTimer(timers, timer);
        continue;
      }
      const { type: command, data } = action.command;
      const dueAt = inOrder(action.dueAt);
      timers = timers === NO_TIMERS ? { [timer]: dueAt } : { ...timers, [timer]: dueAt };
      const { correlationId } = metadata;
      const document = { saga: this.saga.name, dueAt, command, data, eventId, correlationId };
      this.#timers.set(timerKey(dueAt, process, timer), { document, position });
    }
    return timers;
  }

  /** The timers of a young process are in no store. */
  #cancel(key: string, process: string, position: Position): void {
    if (this.#young.has(process)) this.#timers.delete(key);
    else this.#timers.set(key, { document: null, position });
  }

  #know(process: string): void {
    if (!this.known) return;
    this.known.add(process);
    if (this.known.size > PROCESSES_KNOWN_MAX) this.known = null;
  }

  #markStored(process: string, document: ProcessDocument): void {
    for (const key of keysOf(process, document)) this.#stored.add(key);
  }
}

const NO_TIMERS: ProcessDocument['timers'] = {};
const NOTHING: Held<ProcessDocument> = {
  document: { state: null, timers: NO_TIMERS },
  position: 0n,
};

/** Most processes have one timer at most. */
const withoutTimer = (timers: ProcessDocument['timers'], gone: string): typeof timers => {
  const names = Object.keys(timers);
  if (names.every((name) => name === gone)) return NO_TIMERS;
  return Object.fromEntries(Object.entries(timers).filter(([name]) => name !== gone));
};

/** The names of the stored processes, or null when there are too many to keep in memory. */
export const knownProcesses = async (
  readStore: ReadStore,
  saga: string,
): Promise<Set<string> | null> => {
  const limit = PROCESSES_KNOWN_MAX;
  const found = await readStore.list(processesOf(saga), { limit });
  return found.length < limit ? new Set(found.map(({ key }) => key)) : null;
};

const INSTANT_CHARACTERS = 'YYYY-MM-DDTHH:MM:SS.sssZ'.length;

/** Instants order as text only in one notation. @throws RangeError for an invalid instant */
const inOrder = (instant: string): string =>
  instant.length === INSTANT_CHARACTERS && instant.endsWith('Z')
    ? instant
    : new Date(instant).toISOString();

const forgetUnchanged = <Document>(
  held: Map<string, Held<Document>>,
  saved: readonly (readonly [string, Held<Document>])[],
): void => {
  for (const [key, one] of saved) if (held.get(key) === one) held.delete(key);
};

const leavesTheProcess = ({ kind }: SagaAction<SagaCommand>): boolean =>
  kind === 'command' || kind === 'publish';

const isOver = ({ state, timers }: ProcessDocument): boolean =>
  state === null && Object.keys(timers).length === 0;
