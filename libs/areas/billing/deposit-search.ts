import { type AccountEvent } from '#events/billing/account.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { accountStream } from './accounts.js';
import { type SearchedDeposits } from './deposit.rules.js';

/**
 * Looks for a deposit in the whole stream of the account, whose state keeps the latest deposits
 * only. It costs a read of the stream, for accounts with more deposits than that.
 */
export const searchDeposits = async (
  { accountId, depositId }: { readonly accountId: string; readonly depositId: string },
  eventStore: EventStore,
  codec: EventCodec,
): Promise<SearchedDeposits> => {
  let through = 0;
  for await (const page of eventStore.read(accountStream(accountId))) {
    for (const recorded of page) {
      if (recorded.type !== 'FundsDeposited') continue;
      const { type, data } = codec.revive(recorded) as AccountEvent;
      if (type !== 'FundsDeposited') continue;
      through = data.depositNumber;
      if (data.depositId === depositId) return { through, amountMicroUsd: data.amountMicroUsd };
    }
  }
  return { through, amountMicroUsd: null };
};
