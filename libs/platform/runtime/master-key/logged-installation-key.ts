import { randomUUID } from 'node:crypto';
import { type MasterKeyEvent, masterKeyEvents } from '#events/platform/master-key.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import {
  type InstallationKeyRecord,
  type SealedInstallationKey,
} from '#platform/secrets/installation-key.js';
import { type CommandContext, contextOf } from '../commands/command-context.js';
import { CommandRunner } from '../commands/command-runner.js';
import { EventCodec } from '../commands/event-codec.js';
import {
  type MasterKeyCommand,
  masterKeyDecider,
  type MasterKeyState,
} from './master-key.decider.js';

const STREAM = 'masterkey-installation';

/** The key of the installation in its log, sealed with the master key. */
export class LoggedInstallationKey implements InstallationKeyRecord {
  readonly #runner: CommandRunner<MasterKeyCommand, MasterKeyState, MasterKeyEvent>;

  constructor(
    eventStore: EventStore,
    private readonly clock: Clock,
  ) {
    const codec = new EventCodec(masterKeyEvents).for(masterKeyEvents);
    this.#runner = new CommandRunner({ decider: masterKeyDecider, eventStore, codec });
  }

  async last(): Promise<SealedInstallationKey | null> {
    return (await this.#runner.stateOf(STREAM)).state;
  }

  adopt(key: SealedInstallationKey): Promise<SealedInstallationKey> {
    const data = { ...key, adoptedAt: instant(this.clock) };
    return this.#run({ type: 'AdoptMasterKey', data }, contextOf(randomUUID(), 'system'));
  }

  /** @throws DomainError `master_key_changed` unless the log has the previous key */
  rotate(
    previousKeyId: string,
    key: SealedInstallationKey,
    context: CommandContext,
  ): Promise<SealedInstallationKey> {
    const data = { ...key, previousKeyId, rotatedAt: instant(this.clock) };
    return this.#run({ type: 'RotateMasterKey', data }, context);
  }

  async #run(command: MasterKeyCommand, context: CommandContext): Promise<SealedInstallationKey> {
    const { state } = await this.#runner.run(STREAM, command, context);
    if (state === null) throw new Error('the log has no key of the installation');
    return state;
  }
}
