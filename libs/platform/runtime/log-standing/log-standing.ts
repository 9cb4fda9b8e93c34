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

const STREAM = 'log-confirmations';

/**
 * Whether money may rest on this log. It may not while read models had read more than the log has,
 * as after a restore: balances are older than the balances that accounts have seen. An operator
 * confirms such a log by a command, which is an event in it.
 */
export class LogStanding {
  #head: Position = 0n;

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

  /** The first place of a read model that the log lacks and no operator has accepted, or null. */
  async unconfirmed(): Promise<ForeignCheckpoint | null> {
    const foreign = await this.trust.findAllForeign();
    if (foreign.length === 0) return null;
    const { state: confirmed } = await this.#runner().stateOf(STREAM);
    return foreign.find((one) => !confirmed.has(nameOfPlace(lostOf(one)))) ?? null;
  }

  /** @returns how many places of read models are accepted as lost; 0 where the log has all */
  async confirm(reason: string, context: CommandContext): Promise<number> {
    const lost = (await this.trust.findAllForeign()).map(lostOf);
    if (lost.length === 0) return 0;
    const data = { lost, reason, confirmedAt: instant(this.clock) };
    await this.#runner().run(STREAM, { type: 'ConfirmLog', data }, context);
    return lost.length;
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
