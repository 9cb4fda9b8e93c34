import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';

/**
 * A key with a list of models pays only for work that names its models, all of them in the list.
 * @param models that the work may ask
 * @throws DomainError `model_not_allowed`
 */
export const demandModels = (
  { allowsModel }: Pick<CommandContext, 'allowsModel'>,
  models: readonly string[],
): void => {
  if (!allowsModel) return;
  const other = models.find((model) => !allowsModel(model));
  if (models.length > 0 && other === undefined) return;
  const detail =
    other === undefined
      ? 'the policy of the key has a list of models, and this work names none'
      : `model: the policy of the key does not list ${other}`;
  throw new DomainError('model_not_allowed', detail, other === undefined ? {} : { model: other });
};
