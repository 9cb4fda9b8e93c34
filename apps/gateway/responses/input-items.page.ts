import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { type InputItemsDto, type InputItemsPageDto } from './responses.dto.js';

/** @throws RejectedRequestError 400 for an `after` that names no item */
export const inputItemsPage = (
  items: readonly object[],
  { after, limit, order }: InputItemsPageDto,
): InputItemsDto => {
  const ordered = order === 'asc' ? items : items.toReversed();
  const at = after === undefined ? -1 : ordered.findIndex((item) => idOf(item) === after);
  if (after !== undefined && at === -1) throw rejectedField('after', 'expected the id of an item');
  const data = ordered.slice(at + 1, at + 1 + limit);
  return {
    object: 'list',
    data,
    first_id: idOf(data.at(0)),
    last_id: idOf(data.at(-1)),
    has_more: at + 1 + limit < ordered.length,
  };
};

const idOf = (item: object | undefined): string | null =>
  item && 'id' in item && typeof item.id === 'string' ? item.id : null;
