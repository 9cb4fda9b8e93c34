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
import { type LogFollower, POSITIONS_UNSAVED_MAX } from './log-reader.js';
import { knownProcesses, processesOf, SagaDocuments } from './saga-documents.js';

/** Sends a saga's command. It must be idempotent by the context's request id. */
export type SendCommand = (
  command: string,
  data: unknown,
  context: CommandContext,
) => Promise<void>;

/** Changes kept in memory before they are saved without waiting for `save`. */
const UNSAVED_MAX = 2_000;

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
  #saved: Position = 0n;

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
    this.#saved = checkpoint ?? 0n;
    this.#handled = this.#saved;
    this.#documents = this.#nothingYet(await knownProcesses(this.readStore, this.saga.name));
    return checkpoint;
  }

  async handle({ events, position, caughtUp }: SubscriptionBatch): Promise<void> {
    let sent = false;
    try {
      for (const event of events) {
        if (!this.types.includes(event.type)) continue;
        if (await this.#react(event)) sent = true;
        this.#handled = event.position;
      }
    } catch (error) {
      // What went well before the failure must not be done again at every retry.
      await this.save();
      throw error;
    }
    this.#handled = position;
    if (caughtUp) this.#documents.noMoreRepeats();
    if (
      sent ||
      this.#documents.unsaved > UNSAVED_MAX ||
      position - this.#saved >= POSITIONS_UNSAVED_MAX
    ) {
      await this.save();
    }
  }

  /** Saves what has changed and the place, if anything has; may be called while a batch is handled. */
  async save(): Promise<void> {
    const documents = this.#documents;
    const position = this.#handled;
    if (documents.unsaved === 0 && position - this.#saved < POSITIONS_UNSAVED_MAX) return;
    const { writes, forget } = documents.changes();
    await this.readStore.commit({ writes, checkpoint: { name: this.name, position } });
    forget();
    if (this.#saved < position) this.#saved = position;
  }

  /** Whoever was here before has saved its place long before it was twice this far ahead of it. */
  #nothingYet(known: Set<string> | null): SagaDocuments {
    const repeatedUpTo = this.#saved + 2n * POSITIONS_UNSAVED_MAX;
    return new SagaDocuments(this.saga, this.readStore, this.codec, repeatedUpTo, known);
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
