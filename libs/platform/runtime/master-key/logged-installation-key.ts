import { randomUUID } from 'node:crypto';
import {
  type MasterKeyEvent,
  masterKeyEvents,
  type SubjectKeysClaimed,
} from '#events/platform/master-key.events.js';
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

/**
 * The key of the installation in its log, sealed with the master key, and the set of subject keys
 * that the log was written with.
 */
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
    return (await this.#runner.stateOf(STREAM)).state.key;
  }

  adopt(key: SealedInstallationKey): Promise<SealedInstallationKey> {
    const data = { ...key, adoptedAt: instant(this.clock) };
    return this.#runForKey({ type: 'AdoptMasterKey', data }, asSystem());
  }

  /** The id of the subject keys that the log was written with; null before the first start. */
  async keySet(): Promise<string | null> {
    return (await this.#runner.stateOf(STREAM)).state.keySetId;
  }

  async adoptKeySet(setId: string): Promise<string> {
    const known = await this.keySet();
    if (known !== null) return known;
    return this.#claim({ setId, previousSetId: null, reason: null }, asSystem());
  }

  /**
   * Personal data that is sealed with the keys of the previous set cannot be read from here on.
   * @returns the set that the log named before: the same where there was nothing to claim
   */
  async claimKeySet(setId: string, reason: string, context: CommandContext): Promise<string> {
    const previousSetId = await this.keySet();
    await this.#claim({ setId, previousSetId, reason }, context);
    return previousSetId ?? setId;
  }

  /** @throws DomainError `master_key_changed` unless the log has the previous key */
  rotate(
    previousKeyId: string,
    key: SealedInstallationKey,
    context: CommandContext,
  ): Promise<SealedInstallationKey> {
    const data = { ...key, previousKeyId, rotatedAt: instant(this.clock) };
    return this.#runForKey({ type: 'RotateMasterKey', data }, context);
  }

  async #claim(
    claim: Omit<SubjectKeysClaimed['data'], 'claimedAt'>,
    context: CommandContext,
  ): Promise<string> {
    const data = { ...claim, claimedAt: instant(this.clock) };
    const { state } = await this.#runner.run(STREAM, { type: 'ClaimSubjectKeys', data }, context);
    if (state.keySetId === null) throw new Error('the log names no subject keys');
    return state.keySetId;
  }

  async #runForKey(
    command: MasterKeyCommand,
    context: CommandContext,
  ): Promise<SealedInstallationKey> {
    const { state } = await this.#runner.run(STREAM, command, context);
    if (state.key === null) throw new Error('the log has no key of the installation');
    return state.key;
  }
}

const asSystem = (): CommandContext => contextOf(randomUUID(), 'system');
