import { type Abstract, type Type } from '@nestjs/common';
import { type PriceLine, type UsedUnits } from '#events/hold.vocabulary.js';
import { type DoubtedUsage } from '#events/token-usage.vocabulary.js';
import { type TariffTerms } from '#platform/chats/token-tariff.js';

/** Units by meter of the batch product. */
export type Quantities = Readonly<Record<string, number>>;

/** A line that may run. */
export interface AcceptedItem {
  /** As the line names it. */
  readonly model: string;
  /** The worst case, as the same request would be held for without a batch. */
  readonly bound: Quantities;
  /** The terms that decide its prices; absent where its meters have one price. */
  readonly terms?: TariffTerms;
}

/** The prices of the lines of a batch, for its whole life. */
export interface BatchPrice {
  readonly rateCardVersion: number;
  /** 0 to 100: how much less than without a batch. */
  readonly discountPercent: number;
  /**
   * The lines of the hold: one for each meter of the endpoint.
   * @param bound of all lines together
   * @param terms the dearest of one line
   */
  readonly linesOf: (bound: Quantities, terms: TariffTerms) => readonly PriceLine[];
}

/** An answer of the endpoint, as a caller without a batch would get it. */
export interface ItemAnswer extends DoubtedUsage {
  readonly body: Readonly<Record<string, unknown>>;
  /** The charged units, never above the bound. Each names the rig that answered. */
  readonly used: readonly UsedUnits[];
}

export interface ItemRequest {
  /** A UUID: equal for every run of the line. */
  readonly requestId: string;
  readonly accountId: string;
  /** The instant of the prices, in milliseconds since the Unix epoch. */
  readonly pricedAtMs: number;
  /** As the line has it. */
  readonly body: unknown;
}

/** Whether another run of a failed line may succeed. */
export type ItemRetry =
  /** The line is at fault. */
  | 'never'
  /** Perhaps; the number of runs is limited. */
  | 'limited'
  /** It has not run: what runs it is away or busy. */
  | 'always';

/** How the lines of a batch for one path are checked, priced and run. A provider of its area. */
export interface BatchEndpoint {
  /**
   * Checks a body by the rules of a request without a batch.
   * @throws RejectedRequestError; DomainError of the area
   */
  accept(body: unknown): AcceptedItem;
  /** The price in force; undefined for a model that is not on sale. */
  price(model: string, atMs: number): BatchPrice | undefined;
  /**
   * Runs one line behind the interactive requests, without a hold of its own.
   * @throws RejectedRequestError; DomainError and technical failures of the area; AbortedItemError
   *   after an abort, if a rig had accepted the line and its model charges for that
   */
  run(line: ItemRequest, signal: AbortSignal): Promise<ItemAnswer>;
  retryOf(error: unknown): ItemRetry;
}

/** An endpoint as an area declares it. */
export interface BatchEndpointDeclaration {
  /** Such as `/v1/chat/completions`: the `endpoint` of a batch and the `url` of its lines. */
  readonly path: string;
  /** A provider that the area's module exports. */
  readonly endpoint: Type<BatchEndpoint> | Abstract<BatchEndpoint>;
}
