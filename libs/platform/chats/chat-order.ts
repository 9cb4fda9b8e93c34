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

/** Interfaces that callers and rigs may both speak. */
export type CallerDialect = 'chat' | 'messages' | 'responses';

/** A request as its caller wrote it, for a rig that speaks the same dialect. */
export interface OriginalRequest {
  readonly dialect: CallerDialect;
  /** JSON with the fields of the order's body or of its source. */
  readonly bytes: Buffer;
  /** Headers that belong to the body, with names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The first field that a chat cannot express: only rigs of this dialect can answer. The order's
   * body then has the fields of the original, as far as a hold needs them.
   */
  readonly untranslated?: string;
}

/** A chat whose caller waits. */
export interface ChatOrder extends PaidOrder {
  /** As the caller sent it, validated. */
  readonly body: ChatBody;
  /** More prompts of the same request, for the same model: one hold and one charge for all. */
  readonly others?: readonly ChatBody[];
  /** Absent for a request that was made or changed here. */
  readonly original?: OriginalRequest;
  readonly routingMode: string;
  /** The caller's name for the conversation (`x-session-id`). Absent: it has none. */
  readonly sessionId?: string;
  /** How long the answer is kept for the same request again. Absent or 0: it is not. */
  readonly cacheSeconds?: number;
}

/** Whether a stream ends with its usage. */
export const includesUsage = ({ stream_options: options }: ChatBody): boolean =>
  typeof options === 'object' &&
  options !== null &&
  'include_usage' in options &&
  options.include_usage === true;
