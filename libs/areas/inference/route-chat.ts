import { type Release } from '#platform/ledger/hold.js';
import { cutOf, RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { type AdmittedChat } from './chat-admission.js';
import { ChargedCutError } from './charged-cut.error.js';
import { requestNeedsOf } from './rigs/chat-features.js';
import { type RouteOrder } from './rigs/rig-router.js';
import { acceptedUsage, RouteError } from './rigs/route-error.js';
import { upstreamBody } from './upstream-body.js';

/**
 * Asks the rigs for an admitted request. Nothing was delivered when that fails, so whatever goes
 * wrong here is free, unless the caller left a request that its rig had accepted.
 * @throws ChargedCutError, RequestCutError when the signal ended it; otherwise what `ask` threw
 */
export const routeChat = async <Answer>(
  ask: (order: RouteOrder) => Promise<Answer>,
  order: Pick<ChatOrder, 'body' | 'original'>,
  admitted: AdmittedChat,
  signal: AbortSignal,
): Promise<Answer> => {
  try {
    return await ask(routeOf(order, admitted));
  } catch (error) {
    return settleFailed(error, admitted, signal);
  }
};

const routeOf = (
  { body, original }: Pick<ChatOrder, 'body' | 'original'>,
  { accountId: account, holdId, model, pin, bound, adapter }: AdmittedChat,
): RouteOrder => {
  return {
    model: model.id,
    account,
    holdId,
    ...(pin !== undefined && { pin }),
    needs: requestNeedsOf(body, original),
    ...(original && { dialect: original.dialect }),
    request: (terms) => ({
      body: upstreamBody(body, model, bound, terms),
      promptTokensMax: bound.inputTokens,
      ...(adapter && { adapter }),
      ...(original && { original: { ...original, body } }),
    }),
  };
};

const settleFailed = async (
  error: unknown,
  admitted: AdmittedChat,
  signal: AbortSignal,
): Promise<never> => {
  const cancelled = error instanceof RouteError && error.kind === 'cancelled';
  const cut = cancelled ? cutOf(signal) : null;
  if (cancelled && cut?.reason === 'client_gone') await chargeAccepted(error, admitted);
  const reported = cut ?? error;
  await admitted.release(releaseReason(reported));
  throw reported;
};

/** @throws ChargedCutError when the rig had accepted the request */
const chargeAccepted = async (error: RouteError, admitted: AdmittedChat): Promise<void> => {
  const accepted = acceptedUsage(error);
  if (!admitted.model.chargesCancelled || !accepted) return;
  const { usage, rig } = accepted;
  const entry = await admitted.capture({
    usage,
    outcome: 'client_gone',
    rig,
    attempts: error.attempts.length,
    modelAnswered: null,
    replyHash: null,
    bytesOut: 0,
  });
  throw new ChargedCutError(rig, usage, entry);
};

const releaseReason = (error: unknown): Release['reason'] => {
  if (error instanceof RequestCutError) return error.reason;
  if (!(error instanceof RouteError)) return 'internal_error';
  switch (error.kind) {
    case 'cancelled':
      return 'client_gone';
    case 'refused':
    case 'model-not-served':
    case 'rig-unknown':
    case 'rig-without-model':
      return 'refused';
    case 'rig-drained':
    case 'rig-lost':
    case 'queue-full':
    case 'overloaded':
    case 'down':
    case 'failed':
      return 'upstream_failed';
  }
};
