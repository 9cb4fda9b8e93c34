import { z } from 'zod';
import { messageOf } from '#platform/kernel/faults.js';
import { readChatFields } from '../read-chat.js';
import { reject } from '../swarm.errors.js';
import { type JsonObject } from '../swarm-models.port.js';
import { type ConsensusAsked, FANOUT_DEFAULT, FANOUT_MAX } from './consensus-plan.js';

/** The fields of the mode in addition to the fields of every chat. */
export const consensusFields = {
  fanout_nodes: z
    .int()
    .min(1)
    .max(FANOUT_MAX)
    .nullish()
    .describe('How many members propose an answer; default: 3.'),
  member_models: z
    .array(z.string().min(1).max(256))
    .min(1)
    .max(FANOUT_MAX)
    .nullish()
    .describe('The models that propose; default: the members in the catalog, in its order.'),
};

const ConsensusFields = z.object(consensusFields);

export const fanoutAskedOf = (fields: z.infer<typeof ConsensusFields>) => ({
  fanout: fields.fanout_nodes ?? FANOUT_DEFAULT,
  memberModels: fields.member_models ?? null,
});

/** Of a chat completion: its model merges the proposals. @throws DomainError */
export const consensusAskedOf = (body: JsonObject & { readonly model: string }): ConsensusAsked => {
  const chat = readChatFields(body, Object.keys(consensusFields));
  const { data, error } = ConsensusFields.safeParse(body);
  if (data) return { chat, ...fanoutAskedOf(data), synthesisModel: body.model };
  const faults = error.issues.map(
    ({ path, message }) => `${path.map(String).join('.')}: ${message}`,
  );
  return reject('swarm_field_unsupported', messageOf(faults));
};
