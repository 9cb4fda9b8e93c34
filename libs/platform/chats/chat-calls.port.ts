import { type PriceLine } from '#events/hold.vocabulary.js';
import {
  type AcceptedItem,
  type BatchPrice,
  type ItemAnswer,
  type ItemRetry,
} from '#platform/batches/batch-endpoint.js';
import { type Usage } from './chat-usage.js';
import { type FailureDescription } from '#platform/runtime/areas/failure.js';

/** A body of some interface as a chat, and the writer of its answer. */
export interface ChatCall {
  /** The body of a chat, unchecked. */
  readonly body: unknown;
  /** More prompts of the same body, for the same model. */
  readonly others?: readonly unknown[];
  /** @param completion the answer of the chat, with the model and routing mode that were asked */
  readonly write: (
    completion: Readonly<Record<string, unknown>>,
    charged: Usage,
  ) => ItemAnswer['body'];
}

export interface ChatCallOrder {
  readonly accountId: string;
  /** `batch`: behind interactive requests. */
  readonly priority: 'interactive' | 'batch';
  /** The instant of the prices, in milliseconds since the Unix epoch. */
  readonly pricedAtMs: number;
}

/** The token prices of a model outside batches. */
export interface ChatPrice {
  readonly rateCardVersion: number;
  /** The lines of a hold. */
  readonly linesOf: (accepted: AcceptedItem) => readonly PriceLine[];
}

/**
 * Chats by the rules and the rigs of interactive ones, without a hold of their own: the component
 * that asks for them holds and charges. The lines of batches and responses in the background are
 * such chats.
 */
export abstract class ChatCalls {
  /**
   * Checks a chat by the rules of a request of its own.
   * @throws RejectedRequestError; DomainError and technical failures of the area
   */
  abstract accept(line: ChatCall): AcceptedItem;
  /**
   * Asks the guards about the prompts of a chat that `complete` answers later.
   * @throws as `accept`; DomainError of `guardErrors`
   */
  abstract guard(line: ChatCall, accountId: string): Promise<void>;
  /** With the discount; undefined for a model that is not on sale. */
  abstract batchPrice(model: string, atMs: number): BatchPrice | undefined;
  /** Of an interactive chat; undefined for a model that is not on sale. */
  abstract price(model: string, atMs: number): ChatPrice | undefined;
  /** @throws the errors of `accept`, technical failures of the area, and AbortedItemError */
  abstract complete(line: ChatCall, order: ChatCallOrder, signal: AbortSignal): Promise<ItemAnswer>;
  abstract retryOf(error: unknown): ItemRetry;
  /** A failure as its caller sees it; undefined for a defect. */
  abstract failureOf(error: unknown): FailureDescription | undefined;
}
