import { type HoldPace, type LedgerEntry } from '#platform/ledger/hold.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';

/** A prompt for a model with an adapter, at the price of a chat with that model. */
export interface AdapterPrompt extends PaidOrder {
  readonly model: string;
  readonly adapterId: string;
  readonly prompt: string;
  readonly system: string | null;
  readonly maxTokens: number | null;
  readonly temperature: number | null;
  readonly seed: number | null;
}

export interface AdapterReply {
  readonly text: string;
  readonly finishReason: string;
  /** Null where the adapter was in place. */
  readonly swapMs: number | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly entry: LedgerEntry;
  readonly pace?: HoldPace;
}

/** Chats of the gateway. The composition root binds it. */
export abstract class AdapterChats {
  /** @throws what a chat throws */
  abstract complete(prompt: AdapterPrompt, signal: AbortSignal): Promise<AdapterReply>;
}
