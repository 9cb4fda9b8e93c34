import { Inject, Injectable } from '@nestjs/common';
import { ClearanceSet, type Marking } from '#events/vaults/vault.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CLOCK, CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import {
  type ClearanceCommand,
  clearanceDecider,
  type ClearanceState,
} from './clearance.decider.js';
import { configured, lowest, meetOf } from './marking.js';
import { reject } from './vaults.errors.js';
import { VAULT_SETTINGS, type VaultSettings } from './vaults.settings.js';

/** On whose behalf a vault is read. */
export interface VaultCaller {
  readonly accountId: string;
  /**
   * The ids of an API key: its own and that of the first key of its line. Empty for an app token;
   * `any` for a call of a tool, which names no key.
   */
  readonly keys: readonly string[] | 'any';
}

/** The clearances that an operator has set. */
@Injectable()
export class Clearances {
  readonly #runner: CommandRunner<ClearanceCommand, ClearanceState, ClearanceSet>;

  constructor(
    @Inject(VAULT_SETTINGS) private readonly settings: VaultSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
  ) {
    const decider = clearanceDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for([ClearanceSet]) });
  }

  /** @throws DomainError `too_many_clearances` */
  async set(data: Omit<ClearanceSet['data'], 'setAt'>, context: CommandContext): Promise<void> {
    const command = {
      type: 'SetClearance',
      data: { ...data, setAt: instant(this.clock) },
    } as const;
    await this.#runner.run(streamOf(data.accountId), command, context);
  }

  /**
   * The clearance in force: the part of the account's that the key has, too. Without one it is the
   * lowest marking. A call of a tool has what every key of the account has.
   */
  async of({ accountId, keys: asked }: VaultCaller): Promise<Marking> {
    const { account, keys } = await this.#stateOf(accountId);
    const { words } = this.settings;
    const own = configured(account ?? lowest(words), words);
    const narrower =
      asked === 'any'
        ? [...keys.values()]
        : asked.map((key) => keys.get(key)).filter((one) => one !== undefined);
    return narrower.reduce((met, one) => meetOf(met, configured(one, words), words), own);
  }

  /**
   * For what concerns hidden documents too, whether there are any or not.
   * @throws DomainError `clearance_of_account_needed`
   */
  async demandThatOfAccount(caller: VaultCaller): Promise<void> {
    const [own, whole] = [await this.of(caller), await this.of({ ...caller, keys: [] })];
    if (own.level === whole.level && own.compartments.length === whole.compartments.length) return;
    reject('clearance_of_account_needed', 'the key has a lower clearance than its account');
  }

  async #stateOf(accountId: string): Promise<ClearanceState> {
    return (await this.#runner.stateOf(streamOf(accountId))).state;
  }
}

const streamOf = (accountId: string): string => `clearance-${accountId}`;
