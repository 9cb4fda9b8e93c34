import { Injectable } from '@nestjs/common';
import { type ChatBody } from '#platform/chats/chat-order.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { Areas } from '#platform/runtime/areas/area.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { type InferenceErrorCode } from './inference.errors.js';

/** The mode in which any rig may answer. */
export const AUTO = 'auto';

/** Modes of the promised interface: known too where no area answers them. */
const RESERVED = ['cleanroom_enclave_infer', 'cleanroom_fhe_eval', 'cleanroom_dp_synthesize'];

const RIG_PREFIX = 'rig_';

/** A pinned rig's name is at most this long. */
export const RIG_NAME_LENGTH_MAX = 64;
export const ROUTING_MODE_LENGTH_MAX = RIG_PREFIX.length + RIG_NAME_LENGTH_MAX;

/** The routing modes that a chat may name, beside `rig_{id}`. */
export const routingModesOf = ({ list }: Pick<Areas, 'list'>): readonly string[] => {
  const declared = list.flatMap(({ chatStrategies }) =>
    chatStrategies.flatMap(({ modes }) => modes),
  );
  return [...new Set([AUTO, ...declared, ...RESERVED])];
};

/** Which rigs a chat may be answered by. */
@Injectable()
export class RoutingModes {
  readonly #known: ReadonlySet<string>;

  constructor(areas: Areas) {
    this.#known = new Set(routingModesOf(areas));
  }

  /**
   * The one rig that may answer, or undefined for any.
   * @throws RejectedRequestError for an unknown mode and for a clean room
   * @throws DomainError `routing_mode_unavailable` for a mode that no rig has
   */
  pinnedRig(body: ChatBody, mode: string): string | undefined {
    // A mode that no area answers is the fault then, and not its clean room.
    if (!RESERVED.includes(mode)) rejectCleanroom(body);
    if (mode === AUTO) return undefined;
    if (isPinned(mode)) return mode.slice(RIG_PREFIX.length);
    if (!this.#known.has(mode)) {
      const known = [...this.#known, `${RIG_PREFIX}{id}`].join(', ');
      throw rejectedField('routing_mode', `expected one of ${known}`);
    }
    throw new DomainError<InferenceErrorCode>(
      'routing_mode_unavailable',
      `routing_mode ${mode} is not available here; use auto or rig_{id}`,
    );
  }
}

const isPinned = (mode: string): boolean =>
  mode.startsWith(RIG_PREFIX) &&
  mode.length > RIG_PREFIX.length &&
  mode.length <= ROUTING_MODE_LENGTH_MAX;

/**
 * A request for confidentiality that the answering side cannot fulfil.
 * @throws RejectedRequestError
 */
export const rejectCleanroom = ({ cleanroom_uuid: cleanroom }: ChatBody): void => {
  if (cleanroom == null) return;
  throw rejectedField('cleanroom_uuid', 'expected a routing_mode of clean rooms with it');
};
