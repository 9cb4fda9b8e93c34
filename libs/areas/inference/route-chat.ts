import { type PassedModel } from '#events/inference/chat.evidence.js';
import { type Release } from '#platform/ledger/hold.js';
import { cutOf, RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import { type AdmittedChat, type AdmittedModel } from './chat-admission.js';
import { ChargedCutError } from './charged-cut.error.js';
import { passedReasonOf } from './passed-models.js';
import { requestNeedsOf } from './rigs/chat-features.js';
import { type RouteOrder } from './rigs/rig-candidates.js';
import { acceptedUsage, RouteError } from './rigs/route-error.js';
import { upstreamBody } from './upstream-body.js';

/** An answer, and the model that gave it. */
export interface AnsweredBy<Answer> {
  readonly routed: Answer;
  readonly answeredBy: AdmittedModel;
}

/** Asks the rigs of one model. */
export type AskModel<Answer> = (order: RouteOrder, model: AdmittedModel) => Promise<Answer>;

/**
 * Asks the rigs for an admitted request: of its model, and then of its fallbacks. Nothing
 * was delivered when that fails, so whatever goes wrong here is free, unless the caller left a
 * request that its rig had accepted.
 * @throws ChargedCutError, RequestCutError when the signal ended it; otherwise what `ask` threw
 */
export const routeChat = async <Answer>(
  ask: AskModel<Answer>,
  order: Pick<ChatOrder, 'body' | 'original'>,
  admitted: AdmittedChat,
  signal: AbortSignal,
): Promise<AnsweredBy<Answer>> => {
  const passed: PassedModel[] = [];
  const last = admitted.models.at(-1);
  for (const one of admitted.models) {
    const answeredBy = passed.length === 0 ? one : { ...one, passed: [...one.passed, ...passed] };
    try {
      return { routed: await ask(routeOf(order, admitted, one), one), answeredBy };
    } catch (error) {
      const reason = passedReasonOf(error);
      if (one === last || !reason || signal.aborted) {
        return await settleFailed(error, admitted, answeredBy, signal);
      }
      passed.push({ model: one.model.id, reason });
    }
  }
  throw new Error('a request without a model');
};

/** The name of the model in an answer: as the caller asked, or the fallback's. */
export const shownModel = (
  { body: { model: asked } }: Pick<ChatOrder, 'body'>,
  { model, passed }: Pick<AdmittedModel, 'model' | 'passed'>,
): string => (passed.length > 0 ? model.id : asked);

const routeOf = (
  { body, original }: Pick<ChatOrder, 'body' | 'original'>,
  { accountId: account, holdId, trace, adapter, session }: AdmittedChat,
  { model, target, bound }: AdmittedModel,
): RouteOrder => ({
  model: target.model,
  account,
  holdId,
  trace,
  pin: target.pin,
  preference: target.preference,
  session,
  needs: requestNeedsOf(body, original),
  dialect: original?.dialect,
  request: (terms) => ({
    body: upstreamBody(body, model, bound, terms),
    promptTokensMax: bound.inputTokens,
    adapter,
    original: original && {
      ...original,
      body,
      shownModel: model.id === body.model ? undefined : model.id,
    },
  }),
});

const settleFailed = async (
  error: unknown,
  admitted: AdmittedChat,
  asked: AdmittedModel,
  signal: AbortSignal,
): Promise<never> => {
  const cancelled = error instanceof RouteError && error.kind === 'cancelled';
  const cut = cancelled ? cutOf(signal) : null;
  if (cancelled && cut?.reason === 'client_gone') {
    await chargeAccepted(error, admitted, asked);
  }
  const reported = cut ?? error;
  await admitted.release(releaseReason(reported));
  throw reported;
};

/** @throws ChargedCutError when the rig had accepted the request */
const chargeAccepted = async (
  error: RouteError,
  admitted: AdmittedChat,
  answeredBy: AdmittedModel,
): Promise<void> => {
  const accepted = acceptedUsage(error);
  if (!answeredBy.model.chargesCancelled || !accepted) return;
  const { usage, rig } = accepted;
  const entry = await admitted.capture({
    usage,
    answeredBy,
    outcome: 'client_gone',
    routed: { rig, attempts: error.attempts },
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
