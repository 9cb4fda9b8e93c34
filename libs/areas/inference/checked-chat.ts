import {
  rejectedField,
  RejectedRequestError,
} from '#platform/runtime/commands/rejected-request.js';
import { type TokenQuantities } from '#platform/chats/chat-usage.js';
import { chatModel } from './chat-model.js';
import { type ChatBody, deepFieldsOf, parseChatBody } from './chat-body.js';
import { type ModelCatalog, type ServedModel } from './ports.js';
import { type RouteTarget } from './rigs/rig-candidates.js';
import { type RigRouter } from './rigs/rig-router.js';
import { routingWishesOf } from './routing-fields.js';
import { type RoutingModes } from './routing-modes.js';
import { LEVELS_MAX, tokenBounds } from './token-bound.js';

/** A chat that may run without a request of its own: a line of a batch, a call of a tool. */
export interface CheckedChat {
  readonly body: ChatBody;
  readonly model: ServedModel;
  readonly target: RouteTarget;
  readonly bound: TokenQuantities;
}

/**
 * Checks a body by the rules of an interactive request.
 * @throws RejectedRequestError; DomainError of the area; RouteError for a field of a rig's operator
 */
export const checkChat = (
  value: unknown,
  catalog: ModelCatalog,
  rigs: Pick<RigRouter, 'rejectFields'>,
  modes: Pick<RoutingModes, 'pinnedRig'>,
): CheckedChat => {
  rejectDeepFields(value);
  const body = parseChatBody(value);
  if (body.stream) {
    throw refused('invalid_request', 'stream: a line of a batch cannot be streamed', 'stream');
  }
  if (body.adapter != null) {
    throw refused('invalid_request', 'adapter: only interactive chats take an adapter', 'adapter');
  }
  const { preference, models, maxPrice } = routingWishesOf(body);
  if (models) throw rejectedField('models', 'expected none: a line of a batch is retried');
  if (maxPrice) throw rejectedField('provider.max_price', 'expected none in a line of a batch');
  const pin = modes.pinnedRig(body, body.routing_mode);
  const model = chatModel(catalog, body.model);
  const target = {
    model: model.id,
    ...(pin !== undefined && { pin }),
    ...(preference && { preference }),
  };
  rigs.rejectFields(target, body);
  return { body, model, target, bound: tokenBounds(body, model) };
};

/** The HTTP edge bounds the body of a request as it is parsed; another one is bounded here. */
const rejectDeepFields = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  const [field] = deepFieldsOf(value);
  if (field === undefined) return;
  const message = `${field}: is nested deeper than ${LEVELS_MAX} levels`;
  throw refused('body_too_complex', message, field);
};

const refused = (code: string, message: string, param: string): RejectedRequestError =>
  new RejectedRequestError({ status: 400, code, message, param });
