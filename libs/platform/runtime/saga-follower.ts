import {
  type Position,
  type RecordedEvent,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { type AnySaga, type SagaAction } from '#platform/kernel/saga.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type CommandContext, followUp } from './command-context.js';
import { type EventCodec } from './event-codec.js';
import { type LogFollower, SavedPlace } from './log-reader.js';
import { knownProcesses, processesOf, SagaDocuments } from './saga-documents.js';
import { turnsOf } from './turns.js';

/** Sends a saga's command. It must be idempotent by the context's request id. */
export type SendCommand = (
  command: string,
  data: unknown,
  context: CommandContext,
) => Promise<void>;

/** Changes kept in memory before they are saved without waiting for `save`. */
const UNSAVED_MAX = 2_000;
/** Events handled since the last save before another one does not wait for `save`. */
const EVENTS_UNSAVED_MAX = 10_000;
/**
 * Whoever was here before has saved long before it had handled twice as many, and its place lay behind
 * by those that were young, a half as many at the most.
 */
const REPEATS_MAX = 2 * EVENTS_UNSAVED_MAX;

/**
 * Follows the log for one saga. Actions are carried out before the place is saved, so after a crash
 * they are carried out again, with the same ids: at least once, and once in effect.
 *
 * A batch that sent something is saved at once. One that only set or cancelled timers may wait for
 * `save`, which its host calls about once a second: a crash loses nothing by it, since the place is
 * saved with the timers and what comes after it is read again.
 */
export class SagaFollower implements LogFollower {
  readonly name: string;
  readonly types: readonly string[];
  #documents: SagaDocuments;
  /** The last event that was handled, or the end of the last batch. */
  #handled: Position = 0n;
  #saved = new SavedPlace(0n);
  #eventsUnsaved = 0;

  constructor(
    private readonly saga: AnySaga,
    private readonly readStore: ReadStore,
    private readonly codec: EventCodec,
    private readonly bus: Bus,
    private readonly send: SendCommand,
  ) {
    this.name = processesOf(saga.name);
    this.types = saga.on.map(({ type }) => type);
    this.#documents = this.#nothingYet(null);
  }

  async checkpoint(): Promise<Position | undefined> {
    const checkpoint = await this.readStore.checkpoint(this.name);
    this.#saved = new SavedPlace(checkpoint ?? 0n);
    this.#handled = checkpoint ?? 0n;
    this.#eventsUnsaved = 0;
    this.#documents = this.#nothingYet(await knownProcesses(this.readStore, this.saga.name));
    return checkpoint;
  }

  async handle({ events, position, caughtUp }: SubscriptionBatch): Promise<void> {
    let sent = false;
    try {
      for await (const turn of turnsOf(events)) {
        for (const event of turn) {
          if (!this.types.includes(event.type)) continue;
          if (await this.#react(event)) sent = true;
          this.#handled = event.position;
          this.#eventsUnsaved += 1;
        }
      }
    } catch (error) {
      // What went well before the failure must not be done again at every retry.
      await this.#save();
      throw error;
    }
    this.#handled = position;
    if (caughtUp) this.#documents.noMoreRepeats();
    const { unsaved } = this.#documents;
    if (sent || unsaved > UNSAVED_MAX || this.#eventsUnsaved >= EVENTS_UNSAVED_MAX) {
      await this.#save();
    }
  }

  /**
   * Saves what has changed, if anything has, and how far nothing is missing; may be called while a
   * batch is handled. What began since the last call is left out, and saved by the next.
   */
  async save(): Promise<void> {
    this.#documents.grow();
    await this.#save();
  }

  async #save(): Promise<void> {
    const documents = this.#documents;
    const handled = this.#handled;
    const events = this.#eventsUnsaved;
    const isDue = documents.unsaved > 0 || events >= EVENTS_UNSAVED_MAX;
    if (!isDue && !this.#saved.isFarBehind(handled)) return;
    const { writes, heldBack, forget } = documents.changes();
    const position = heldBack === null ? handled : heldBack - 1n;
    await this.readStore.commit({ writes, checkpoint: { name: this.name, position } });
    forget();
    this.#saved.saved(position);
    if (documents === this.#documents) this.#eventsUnsaved -= events;
  }

  #nothingYet(known: Set<string> | null): SagaDocuments {
    return new SagaDocuments(this.saga, this.readStore, this.codec, REPEATS_MAX, known);
  }

  /** Resolves to whether anything was sent. */
  async #react(recorded: RecordedEvent): Promise<boolean> {
    const reaction = await this.#documents.reactionTo(recorded);
    if (!reaction) return false;
    const actor = `saga:${this.saga.name}`;
    const cause = { id: recorded.id, correlationId: recorded.metadata.correlationId };
    let sent = false;
    for (const [index, action] of reaction.actions.entries()) {
      if (action.kind !== 'command' && action.kind !== 'publish') continue;
      const context = followUp(cause, `${this.saga.name}\n${index}`, actor);
      if (action.kind === 'command') await this.send(action.command, action.data, context);
      else await this.#publish(action, context);
      sent = true;
    }
    reaction.remember();
    return sent;
  }

  async #publish(
    { topic, key, data }: SagaAction & { kind: 'publish' },
    { requestId, correlationId, causationId }: CommandContext,
  ): Promise<void> {
    const headers = { correlationId, causationId };
    await this.bus.publish(topic, [{ key, id: requestId, headers, data }]);
  }
}
