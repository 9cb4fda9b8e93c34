import { type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { type ChatOrder } from './chat-admission.js';
import { type TokenQuantities } from './ports.js';
import { type Usage } from './rigs/chat-backend.js';
import { type Attempt } from './rigs/route-error.js';
import { type StreamReceipt } from './stream-meter.js';

/** An answer that has been paid for. */
export interface ChatReply {
  /**
   * The answer as JSON, with the model id that the caller asked for and the routing mode. It was
   * written before the charge: what cannot be written is not charged.
   */
  readonly text: string;
  readonly usage: Usage;
  /** Null where no rig answered. */
  readonly rig: string | null;
  readonly attempts: readonly Attempt[];
  readonly entry: LedgerEntry;
  /** The tokens that were held: more are not charged. Absent where tokens are not charged. */
  readonly bound?: TokenQuantities;
  readonly pace?: HoldPace;
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A stream whose first page has arrived. */
export interface ChatStream {
  /** Null where no rig answers. */
  readonly rig: string | null;
  readonly attempts: readonly Attempt[];
  /** As in `ChatReply`. */
  readonly bound?: TokenQuantities;
  readonly pace?: HoldPace;
  /**
   * Pages of chunks as JSON, a line each, with the caller's model id and routing mode; the end
   * comes after the charge is durable. Read it to the end or dispose of it: either ends the hold.
   * @throws RigError when the stream broke, charge included
   */
  readonly pages: AsyncGenerator<readonly string[], StreamReceipt, void>;
}

/** Answers chats by other means than a rig. It holds and charges by a product of its own. */
export interface ChatStrategy {
  complete(order: ChatOrder, signal: AbortSignal): Promise<ChatReply>;
  stream(order: ChatOrder, signal: AbortSignal): Promise<ChatStream>;
}

/** The strategies behind routing modes. The composition root binds those that other areas have. */
export abstract class ChatStrategies {
  /** Undefined where rigs answer. Called for every chat, so it does not wait. */
  abstract of(order: ChatOrder): ChatStrategy | undefined;
}
