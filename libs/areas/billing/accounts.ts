import { type AccountEvent } from '#events/billing/account.events.js';
import { type CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type AccountCommand } from './account.decider.js';
import { type AccountState } from './account.state.js';

/** Runs the commands of every account; one per process, so that a busy account is batched. */
export type Accounts = CommandRunner<AccountCommand, AccountState, AccountEvent>;
export const ACCOUNTS = Symbol('Accounts');

const PREFIX = 'account-';

export const accountStream = (accountId: string): string => PREFIX + accountId;

/** Of a stream that `accountStream` has named. */
export const accountOf = (stream: string): string => stream.slice(PREFIX.length);

/** The result of a command on an account. */
export interface AccountReceipt {
  /** The id of the event in the log, or null when there was nothing new. */
  readonly eventId: string | null;
  /** The appended events. */
  readonly events: readonly AccountEvent[];
  /** Micro-dollars that the next hold may use. */
  readonly availableMicroUsd: bigint;
  /** The log position that this reflects. */
  readonly position: bigint;
}
