import { Inject, Injectable } from '@nestjs/common';
import { type AccountEvent, accountEvents } from '#events/billing/account.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type PriceCard } from '#platform/ledger/price-card.js';
import { type AnyProduct } from '#platform/ledger/product.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { accountStream } from '../accounts.js';
import { type BillingErrorCode } from '../billing.errors.js';
import { Repricing, type RepricedAccount } from './repricing.js';

/** The charges to reprice, and the card. */
export interface RepriceOrder {
  readonly card: PriceCard;
  readonly products: readonly AnyProduct[];
  /** Null: every account. */
  readonly accountId: string | null;
  /** Of accounts; default: all. */
  readonly eventsMax?: number;
  /** The last event that counts; default: the head of the log. */
  readonly until?: bigint;
  /** Called with the position reached and the log's head; throws to stop. */
  readonly onProgress: (position: bigint, head: bigint) => void;
}

/** Reads the charges of the log and prices them with another card. It writes nothing. */
@Injectable()
export class RepriceCharges {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(CODEC) private readonly codec: EventCodec,
  ) {}

  /**
   * @param isAsked of a charge, or of a re-rating of charges
   * @throws DomainError `ledger_too_large` for more events of accounts than asked for
   */
  async run(
    { card, products, accountId, eventsMax = Infinity, until, onProgress }: RepriceOrder,
    isAsked: (event: AccountEvent) => boolean,
  ): Promise<{ readonly accounts: readonly RepricedAccount[]; readonly position: bigint }> {
    const repricing = new Repricing(products, card);
    const codec = this.codec.for(accountEvents);
    const head = until ?? (await this.eventStore.head());
    let events = 0;
    for await (const page of this.#pages(accountId)) {
      for (const recorded of page) {
        if (recorded.position > head) break;
        events += 1;
        if (events > eventsMax) throw tooLarge(eventsMax);
        const event = codec.revive(recorded);
        if (!isAsked(event)) continue;
        if (event.type === 'HoldCaptured') repricing.charge(event.data);
        if (event.type === 'ChargeAdjusted' && event.data.kind === 'rerating') {
          repricing.rerating(event.data);
        }
      }
      onProgress(page.at(-1)?.position ?? head, head);
    }
    return { accounts: repricing.accounts(), position: head };
  }

  #pages(accountId: string | null): ReturnType<EventStore['readAll']> {
    if (accountId !== null) return this.eventStore.read(accountStream(accountId));
    return this.eventStore.readAll({ filter: { by: 'stream', prefixes: [accountStream('')] } });
  }
}

const tooLarge = (eventsMax: number): DomainError =>
  new DomainError<BillingErrorCode>(
    'ledger_too_large',
    `the account has over ${eventsMax} events: run quipu replay`,
  );
