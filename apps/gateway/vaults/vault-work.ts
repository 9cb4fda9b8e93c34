import { Inject, Injectable } from '@nestjs/common';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type VaultCaller } from '#areas/vaults/clearances.js';
import { VAULT_SETTINGS, type VaultSettings } from '#areas/vaults/vaults.settings.js';
import { type FastifyRequest } from 'fastify';
import { type Clock } from '#platform/kernel/clock.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenRequests } from '../../operations/open-requests.js';
import { type RequestAttempt } from '../idempotency/current-attempt.decorator.js';
import { vaultCallerOf } from './vault-caller.js';

export type VaultOrder = PaidOrder & { readonly caller: VaultCaller };

/** Runs work on vaults that a request pays for. */
@Injectable()
export class VaultWork {
  constructor(
    private readonly requests: OpenRequests,
    @Inject(VAULT_SETTINGS) private readonly settings: VaultSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @param asked its id is the id of the hold
   * @param work its signal aborts when this process stops, or when the request takes too long
   */
  async run<Result>(
    caller: Caller,
    asked: Pick<FastifyRequest, 'id' | 'headers'>,
    attempt: RequestAttempt | undefined,
    work: (order: VaultOrder, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const order: VaultOrder = {
      accountId: caller.accountId,
      receivedAtMs: this.clock.now(),
      context: callerContext(asked, caller),
      caller: vaultCallerOf(caller),
      ...(attempt && { confirm: attempt.confirm }),
    };
    const open = this.requests.open(this.settings.requestMsMax);
    try {
      return await work(order, open.signal);
    } finally {
      open.close();
    }
  }
}
