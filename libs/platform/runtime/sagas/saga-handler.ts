import {
  type Position,
  type RecordedEvent,
  type SubscriptionBatch,
} from '#platform/event-store/event-store.port.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { typesOf } from '#platform/kernel/projection.js';
import { type AnySaga, type SagaAction, type SagaCommand } from '#platform/kernel/saga.js';
import { type ReadStore } from '#platform/read-store/read-store.port.js';
import { type CommandContext, followUp } from '../commands/command-context.js';
import { type EventCodec } from '../commands/event-codec.js';
import { knownProcesses, processesOf, type Reaction, SagaDocuments } from './saga-documents.js';
import {
  checkpointAt,
  SavedCheckpoint,
  type SubscriptionHandler,
} from '../subscriptions/subscription-handler.js';
import { turnsOf } from '../subscriptions/turns.js';

/** Sends a saga's command. It must be idempotent by the context's request id. */
export type SendCommand = (command: SagaCommand, context: CommandContext) => Promise<void>;

/** Unsaved changes in memory; with more, the handler saves without waiting for `save`. */
const UNSAVED_MAX = 2_000;
/** Events since the last save; with more, the handler saves without waiting for `save`. */
const EVENTS_UNSAVED_MAX = 10_000;
/**
 * The run before this one saved before it had handled twice as many events, and its checkpoint was
 * behind by its young processes: half as many events at most.
 */
const REPEATS_MAX = 2 * EVENTS_UNSAVED_MAX;

/**
 * Handles the events of one saga. Actions are carried out before the checkpoint is saved, so after
 * a crash they are carried out again under the same ids: at least once, and once in effect.
 *
 * A batch that sent something is saved at once. A batch that only set or cancelled timers may wait
 * for `save`, which the host calls about once a second: a crash loses nothing, because timers and
 * checkpoint are saved together and the events after the checkpoint are read again.
 */
export class SagaHandler implements SubscriptionHandler {
  readonly name: string;
  readonly types: readonly string[];
  #documents: SagaDocuments;
  /** The last event that was handled, or the end of the last batch. */
  #handled: Position = 0n;
  #lastEvent: RecordedEvent | undefined;
  #saved = new SavedCheckpoint(0n);
  #eventsUnsaved = 0;

  constructor(
    private readonly saga: AnySaga,
    private readonly readStore: ReadStore,
    private readonly codec: EventCodec,
    private readonly bus: Bus,
    private readonly send: SendCommand,
  ) {
    this.name = processesOf(saga.name);
    this.types = typesOf(saga.on);
    this.#documents = this.#documentsAfter(null);
  }

  async checkpoint(): Promise<Position | undefined> {
    const checkpoint = await this.readStore.checkpoint(this.name);
    this.#saved = new SavedCheckpoint(checkpoint ?? 0n);
    this.#handled = checkpoint ?? 0n;
    this.#eventsUnsaved = 0;
    this.#documents = this.#documentsAfter(await knownProcesses(this.readStore, this.saga.name));
    return checkpoint;
  }

  async handle({ events, position, caughtUp }: SubscriptionBatch): Promise<void> {
    let sent = false;
    try {
      for await (const turn of turnsOf(events)) {
        for (const recorded of turn) {
          if (!this.types.includes(recorded.type)) continue;
          const event = this.codec.revive(recorded);
          const process = this.saga.key(event);
          const documents = this.#documents;
          const held = documents.held(process) ?? (await documents.load(process));
          const reaction = documents.reactionTo(recorded, event, process, held);
          if (reaction?.isSending) {
            await this.#carryOut(reaction);
            sent = true;
          }
          if (reaction) documents.remember(reaction);
          this.#handled = recorded.position;
          this.#lastEvent = recorded;
          this.#eventsUnsaved += 1;
        }
      }
    } catch (error) {
      // Otherwise each retry would repeat the actions that succeeded before the failure.
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
   * Saves the changes, if there are any, and the position up to which they are complete. May be
   * called while a batch is handled. Processes that began since the last call wait for the next.
   */
  async save(): Promise<void> {
    this.#documents.grow();
    await this.#save();
  }

  async #save(): Promise<void> {
    const documents = this.#documents;
    const handled = this.#handled;
    const events = this.#eventsUnsaved;
    const isDue = documents.unsaved > 0 || events > 0;
    if (!isDue && !this.#saved.isFarBehind(handled)) return;
    const { writes, heldBack, forget } = documents.changes();
    const position = heldBack === null ? handled : heldBack - 1n;
    const checkpoint = checkpointAt(this.name, position, this.#lastEvent);
    await this.readStore.commit({ writes, checkpoint });
    forget();
    this.#saved.saved(position);
    if (documents === this.#documents) this.#eventsUnsaved -= events;
  }

  #documentsAfter(known: Set<string> | null): SagaDocuments {
    return new SagaDocuments(this.saga, this.readStore, REPEATS_MAX, known);
  }

  async #carryOut({ recorded, actions }: Reaction): Promise<void> {
    const actor = `saga:${this.saga.name}`;
    const cause = { id: recorded.id, correlationId: recorded.metadata.correlationId };
    for (const [index, action] of actions.entries()) {
      if (action.kind !== 'command' && action.kind !== 'publish') continue;
      const context = followUp(cause, `${this.saga.name}\n${index}`, actor);
      if (action.kind === 'command') await this.send(action.command, context);
      else await this.#publish(action, context);
    }
  }

  async #publish(
    { topic, key, data }: SagaAction & { kind: 'publish' },
    { requestId, correlationId, causationId }: CommandContext,
  ): Promise<void> {
    const headers = { correlationId, causationId };
    await this.bus.publish(topic, [{ key, id: requestId, headers, data }]);
  }
}
