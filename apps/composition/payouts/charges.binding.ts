import { accountStream } from '#areas/billing/accounts.js';
import { Charges } from '#areas/payouts/charges.port.js';
import { HoldCaptured } from '#events/billing/account.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CodecOf, type EventCodec } from '#platform/runtime/commands/event-codec.js';

/** Searches the stream of an account, newest first: corrections are rare, and soon after. */
export class AccountCharges extends Charges {
  readonly #codec: CodecOf<HoldCaptured>;

  constructor(
    private readonly eventStore: EventStore,
    codec: EventCodec,
  ) {
    super();
    this.#codec = codec.for([HoldCaptured]);
  }

  override async find(accountId: string, holdId: string): Promise<HoldCaptured['data'] | null> {
    const stream = accountStream(accountId);
    for await (const page of this.eventStore.read(stream, { direction: 'backwards' })) {
      for (const event of page) {
        if (event.type !== HoldCaptured.type) continue;
        const { data } = this.#codec.revive(event);
        if (data.holdId === holdId) return data;
      }
    }
    return null;
  }
}
