import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Writable } from '#platform/kernel/writable.js';
import { type CommandContext, contextOf } from '#platform/runtime/commands/command-context.js';
import { type BodyLabels } from '../paid/body-labels.js';
import { mergedTags, tagsOf } from '../paid/tags.header.js';
import { traceOf } from '../paid/trace.header.js';

/**
 * The context of a command that a caller sent, with its key, the models of the key's policy, and
 * the labels of its request.
 * @throws HttpFailure 400 for tags that cannot be read
 */
export const callerContext = (
  { id, headers }: Pick<FastifyRequest, 'id' | 'headers'>,
  { userId, credential: { keyId: key, lists } }: Pick<Caller, 'userId' | 'credential'>,
  { tags: ofBody, endUser }: BodyLabels = {},
): CommandContext => {
  const ofHeader = tagsOf(headers);
  const trace = traceOf(headers);
  const context: Writable<CommandContext> = contextOf(id, `user:${userId}`);
  if (key !== undefined) context.key = key;
  if (ofHeader || ofBody) context.tags = mergedTags(ofHeader ?? [], ofBody ?? []);
  if (endUser !== undefined) context.endUser = endUser;
  if (trace !== undefined) context.trace = trace;
  if (lists?.limitsModels === true) context.allowsModel = (name) => lists.allowsModel(name);
  return context;
};
