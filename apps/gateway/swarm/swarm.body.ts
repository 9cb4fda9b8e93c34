import { z } from 'zod';
import { type ConsensusAsked } from '#areas/swarm/consensus/consensus-plan.js';
import { consensusFields, fanoutAskedOf } from '#areas/swarm/consensus/consensus-asked.js';
import { chatAskedOf, chatFields } from '#areas/swarm/read-chat.js';
import {
  type SpeculativeAsked,
  speculativeFields,
  verifierAskedOf,
} from '#areas/swarm/speculative/speculative-asked.js';
import { messageOf } from '#platform/kernel/faults.js';
import { HttpFailure } from '../errors/http-failure.js';

/** Zod schemas and not classes: messages may be thousands, and parts of one are unions. */
export const SpeculativeBody = z.strictObject({ ...speculativeFields, ...chatFields });

export const ConsensusBody = z.strictObject({
  ...consensusFields,
  synthesis_model: z
    .string()
    .min(1)
    .max(256)
    .nullish()
    .describe('Merges the proposals; default: the model that the operator has set.'),
  ...chatFields,
});

/** @throws HttpFailure 400 that names the fields */
export const speculativeAsked = (sent: unknown): SpeculativeAsked => {
  const body = parsed(SpeculativeBody, sent);
  return { ...verifierAskedOf(body), chat: chatAskedOf(body) };
};

/** @throws HttpFailure 400 that names the fields */
export const consensusAsked = (sent: unknown): ConsensusAsked => {
  const body = parsed(ConsensusBody, sent);
  return {
    ...fanoutAskedOf(body),
    synthesisModel: body.synthesis_model ?? null,
    chat: chatAskedOf(body),
  };
};

const parsed = <Schema extends z.ZodType>(schema: Schema, sent: unknown): z.infer<Schema> => {
  const { success, data, error } = schema.safeParse(sent);
  if (success) return data;
  const faults = error.issues.map(({ path, message }) => {
    const field = fieldOf(path);
    return field === '' ? message : `${field}: ${message}`;
  });
  const [first] = error.issues;
  const unknownField = first?.code === 'unrecognized_keys' ? first.keys[0] : undefined;
  const param = [fieldOf(first?.path ?? []), unknownField].filter(Boolean).join('.');
  throw new HttpFailure({
    status: 400,
    code: 'invalid_request',
    message: messageOf(faults),
    ...(param !== '' && { param }),
  });
};

/** `messages[0].role` */
const fieldOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((field, part) => {
    if (typeof part === 'number') return `${field}[${part}]`;
    return field === '' ? String(part) : `${field}.${String(part)}`;
  }, '');
