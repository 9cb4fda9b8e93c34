import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';

export type ChatMessage = Readonly<Record<string, unknown>> & {
  readonly role: string;
  readonly content?: unknown;
};

/** The fields of a chat that every answering side reads; the others travel through untouched. */
export interface ChatBody {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly max_tokens?: number | null | undefined;
  readonly max_completion_tokens?: number | null | undefined;
  readonly n?: number | null | undefined;
  readonly adapter?: string | null | undefined;
  readonly cleanroom_uuid?: string | null | undefined;
  readonly [field: string]: unknown;
}

/** A chat whose caller waits. */
export interface ChatOrder extends PaidOrder {
  /** As the caller sent it, validated. */
  readonly body: ChatBody;
  /** More prompts of the same request, for the same model: one hold and one charge for all. */
  readonly others?: readonly ChatBody[];
  readonly routingMode: string;
  /** How long the answer is kept for the same request again. Absent or 0: it is not. */
  readonly cacheSeconds?: number;
}

/** Whether a stream ends with its usage. */
export const includesUsage = ({ stream_options: options }: ChatBody): boolean =>
  typeof options === 'object' &&
  options !== null &&
  'include_usage' in options &&
  options.include_usage === true;
