import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
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
  { tags: ofBody = [], endUser }: BodyLabels = {},
): CommandContext => {
  const tags = mergedTags(tagsOf(headers) ?? [], ofBody);
  const context = contextOf(id, `user:${userId}`, {
    ...(key !== undefined && { key }),
    ...(tags.length > 0 && { tags: [...tags] }),
    ...(endUser !== undefined && { endUser }),
    ...traceOf(headers),
  });
  return lists?.limitsModels === true
    ? { ...context, allowsModel: (name) => lists.allowsModel(name) }
    : context;
};
