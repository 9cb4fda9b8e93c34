import { type Type } from '@nestjs/common';
import { type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { type RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { type ChatOrder } from './chat-order.js';
import { type TokenQuantities, type Usage } from './chat-usage.js';

/** One call of a rig, in milliseconds from the start of routing. */
export interface RigCall {
  readonly startedMs: number;
  readonly endedMs: number;
}

/** Who answers a chat. */
interface ChatRoute {
  /** Null where no rig answers. */
  readonly rig: string | null;
  readonly attempts: readonly RigCall[];
  /** The tokens that were held: more are not charged. Absent where tokens are not charged. */
  readonly bound?: TokenQuantities;
  readonly pace?: HoldPace | undefined;
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A rig that speaks the caller's dialect has answered: text and lines are its own. */
  readonly isOriginal?: boolean | undefined;
}

/** An answer that has been paid for. */
export interface ChatReply extends ChatRoute {
  /**
   * The answer as JSON, with the model id that the caller asked for and the routing mode. It was
   * written before the charge: what cannot be written is not charged.
   */
  readonly text: string;
  readonly usage: Usage;
  readonly entry: LedgerEntry;
}

/** How a stream ended. */
export interface StreamReceipt {
  readonly usage: Usage;
  /** Null when nothing was delivered and nothing charged. */
  readonly entry: LedgerEntry | null;
  /** Why the stream ended before its answer did, or null. */
  readonly cut: RequestCutError | null;
}

/** A stream whose first page has arrived. */
export interface ChatStream extends ChatRoute {
  /**
   * Pages of chunks as JSON, a line each, with the caller's model id and routing mode; the end
   * comes after the charge is durable. Read it to the end or dispose of it: either ends the hold.
   * @throws the error of a stream that broke, charge included
   */
  readonly pages: AsyncGenerator<readonly string[], StreamReceipt, void>;
}

/** Answers chats by other means than a rig. It holds and charges by a product of its own. */
export abstract class ChatStrategy {
  /**
   * Models beside the catalog's. A strategy that has some answers chats that name one of them in
   * the mode `auto`, and in its modes rejects a model that neither it nor the catalog has. Others
   * find their models themselves.
   */
  get models(): readonly string[] | null {
    return null;
  }

  abstract complete(order: ChatOrder, signal: AbortSignal): Promise<ChatReply>;
  abstract stream(order: ChatOrder, signal: AbortSignal): Promise<ChatStream>;
}

/** The routing modes that an area answers. */
export interface ChatStrategyDeclaration {
  /** The values of `routing_mode`; no two strategies share one. */
  readonly modes: readonly string[];
  /** A provider of the area's module. */
  readonly strategy: Type<ChatStrategy>;
  /** Whether it needs `cleanroom_uuid`, which is refused for every other answer. */
  readonly readsCleanroom?: boolean;
}
