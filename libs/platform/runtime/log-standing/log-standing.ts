import { logEvents, type LogConfirmed, type LostPlace } from '#events/platform/log.events.js';
import { type EventStore, type Position } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '../commands/command-context.js';
import { CommandRunner } from '../commands/command-runner.js';
import { EventCodec } from '../commands/event-codec.js';
import { type ForeignCheckpoint, type LogTrust } from '../subscriptions/log-trust.js';
import {
  type ConfirmedPlaces,
  type ConfirmLog,
  logConfirmationDecider,
  nameOfPlace,
} from './log-confirmation.decider.js';
import { CONFIRMATIONS, epochOf } from './log-epoch.js';

/** The result of a comparison of the log with the read models. */
interface Compared {
  /** The first place that the log lacks, confirmed or not. */
  readonly foreign: ForeignCheckpoint | null;
  /** The first one that no operator has accepted. */
  readonly unconfirmed: ForeignCheckpoint | null;
}

/**
 * Whether money may rest on this log. It may not while read models have read more than the log has,
 * or commands of this process have folded more, as after a restore: balances are older than the
 * balances that accounts have seen. An operator confirms such a log by a command, which is an event
 * in it. Then the process forgets its folds.
 */
export class LogStanding {
  #head: Position = 0n;
  #compared: Compared = { foreign: null, unconfirmed: null };

  constructor(
    private readonly trust: LogTrust,
    private readonly eventStore: EventStore,
    private readonly clock: Clock,
  ) {}

  /** Whether the log ends before a head that this process has seen. One read. */
  async hasShrunk(): Promise<boolean> {
    const head = await this.eventStore.head();
    const hasShrunk = head < this.#head;
    this.#head = head;
    return hasShrunk;
  }

  /**
   * The first place that the log lacks and no operator has accepted, or null: of a read model by
   * the last comparison, or of a command of this process.
   */
  get doubt(): ForeignCheckpoint | null {
    return epochOf(this.eventStore).lost ?? this.#compared.unconfirmed;
  }

  /** By the last comparison: the first place that the log lacks, also after a confirmation. */
  get foreign(): ForeignCheckpoint | null {
    return this.doubt ?? this.#compared.foreign;
  }

  /** Compares the log with the read models. @returns `doubt` */
  async compare(): Promise<ForeignCheckpoint | null> {
    await epochOf(this.eventStore).look();
    const all = await this.trust.findAllForeign();
    const [foreign = null] = all;
    const unconfirmed = foreign && (await this.#firstUnconfirmed(all));
    this.#compared = { foreign, unconfirmed };
    return this.doubt;
  }

  /**
   * Also where the log has all that read models have read: a running process may have folded more.
   * @returns how many places of read models are accepted as lost
   */
  async confirm(reason: string, context: CommandContext): Promise<number> {
    const lost = (await this.trust.findAllForeign()).map(lostOf);
    const data = { lost, reason, confirmedAt: instant(this.clock) };
    await this.#runner().run(CONFIRMATIONS, { type: 'ConfirmLog', data }, context);
    return lost.length;
  }

  async #firstUnconfirmed(all: readonly ForeignCheckpoint[]): Promise<ForeignCheckpoint | null> {
    const { state: confirmed } = await this.#runner().stateOf(CONFIRMATIONS);
    return all.find((one) => !confirmed.has(nameOfPlace(lostOf(one)))) ?? null;
  }

  /** A new one each time: the memory of a runner may belong to the log that was exchanged. */
  #runner(): CommandRunner<ConfirmLog, ConfirmedPlaces, LogConfirmed> {
    const { eventStore } = this;
    const codec = new EventCodec(logEvents).for(logEvents);
    return new CommandRunner({ decider: logConfirmationDecider, eventStore, codec });
  }
}

const lostOf = ({ checkpoint: { name, position, event } }: ForeignCheckpoint): LostPlace => ({
  reader: name,
  position: position.toString(),
  event,
});
