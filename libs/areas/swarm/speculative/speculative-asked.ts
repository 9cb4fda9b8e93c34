import { z } from 'zod';
import { messageOf } from '#platform/kernel/faults.js';
import { type ChatAsked } from '../chat-asked.js';
import { readChatFields } from '../read-chat.js';
import { reject } from '../swarm.errors.js';
import { type JsonObject } from '../swarm-models.port.js';
import { type VerifierAsked } from './pair-choice.js';
import { DRAFT_TOKENS_MAX } from './speculative-chats.js';

/** The fields of the mode in addition to the fields of every chat. */
export const speculativeFields = {
  model: z.string().min(1).max(256).describe('The target, which verifies; a model of the catalog.'),
  draft_model: z
    .string()
    .min(1)
    .max(256)
    .nullish()
    .describe('The model that drafts; default: the one that the catalog names for the target.'),
  speculative_steps: z
    .int()
    .min(1)
    .max(DRAFT_TOKENS_MAX)
    .nullish()
    .describe('Tokens that are drafted for one evaluation of the target; default: 5.'),
};

const SpeculativeFields = z.object(speculativeFields);

export interface SpeculativeAsked extends VerifierAsked {
  readonly chat: ChatAsked;
}

export const verifierAskedOf = (fields: z.infer<typeof SpeculativeFields>): VerifierAsked => ({
  model: fields.model,
  draftModel: fields.draft_model ?? null,
  draftTokensMax: fields.speculative_steps ?? null,
});

/** Of a chat completion. @throws DomainError `swarm_field_unsupported` */
export const speculativeAskedOf = (body: JsonObject): SpeculativeAsked => {
  const chat = readChatFields(body, Object.keys(speculativeFields));
  const { data, error } = SpeculativeFields.safeParse(body);
  if (data) return { chat, ...verifierAskedOf(data) };
  const faults = error.issues.map(
    ({ path, message }) => `${path.map(String).join('.')}: ${message}`,
  );
  return reject('swarm_field_unsupported', messageOf(faults));
};
