import { DomainError } from '#platform/kernel/domain-error.js';
import { type ErrorMeaning } from '#platform/runtime/areas/failure.js';
import { type ChatBody, type ChatOrder, type OriginalRequest } from './chat-order.js';
import { type ChatReply, type ChatStream } from './chat-strategy.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** The prompts of one chat, before it is admitted. */
export interface GuardedPrompts {
  readonly body: ChatBody;
  readonly others?: readonly ChatBody[];
  readonly original?: OriginalRequest;
}

/** Whose chat it is. */
export interface GuardedWork {
  readonly accountId: string;
  /** As the caller names it. */
  readonly model: string;
  /** Of a request with a hold of its own; null for a line of a batch and the like. */
  readonly requestId: string | null;
}

/** The domain errors of guards, with their HTTP status. */
export const guardErrors = {
  guard_blocked: { status: 400 },
  guard_text_too_long: { status: 413 },
  guard_failed: { status: 503 },
} as const satisfies Readonly<Record<string, ErrorMeaning>>;

export type GuardErrorCode = keyof typeof guardErrors;

/** Whether the same chat may pass later: a rule could not be asked. */
export const isGuardFailed = (error: unknown): boolean =>
  error instanceof DomainError && error.code === ('guard_failed' satisfies GuardErrorCode);

/** The rules of the operator for one chat. */
export interface ChatGuard {
  /**
   * The prompts as a rig may see them.
   * @throws DomainError of `guardErrors`
   */
  request<Prompts extends GuardedPrompts>(prompts: Prompts): Promise<Prompts>;
  /**
   * For prompts that `request` reads later.
   * @throws as `request`
   */
  check(prompts: GuardedPrompts): Promise<void>;
  /**
   * The body of a request that is no chat, as what computes may see it.
   * @param unread a field without texts, such as ids of tokens, that should have some
   * @throws as `request`; RejectedRequestError 400 for `unread`
   */
  texts<Body extends JsonObject>(body: Body, unread?: string): Promise<Body>;
  /**
   * An answer of a rig as the caller may see it, in the shape of a chat completion. Blocked texts
   * are empty, and their choices end with `content_filter`.
   */
  answer(completion: JsonObject): Promise<JsonObject>;
  /** @param next answers the order, holds and charges it */
  complete(
    order: ChatOrder,
    signal: AbortSignal,
    next: (order: ChatOrder, signal: AbortSignal) => Promise<ChatReply>,
  ): Promise<ChatReply>;
  /** @param next as for `complete` */
  stream(
    order: ChatOrder,
    signal: AbortSignal,
    next: (order: ChatOrder, signal: AbortSignal) => Promise<ChatStream>,
  ): Promise<ChatStream>;
}

/**
 * The body of a request that is no chat, as the rules of the operator leave it.
 * @throws as `ChatGuard.texts`
 */
export const guardedBody = async <Body extends JsonObject>(
  guards: Pick<ChatGuards, 'of'>,
  work: GuardedWork,
  body: Body,
  unread?: string,
): Promise<Body> => (await guards.of(work)?.texts(body, unread)) ?? body;

/** Between callers and all that answers chats, in whatever interface they are asked. */
export abstract class ChatGuards {
  /** Undefined where no rule applies: the chat then goes as it came. */
  abstract of(work: GuardedWork): ChatGuard | undefined;
}
