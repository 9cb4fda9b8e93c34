import { ApiProperty } from '@nestjs/swagger';
import { type ItemPage, type PageOfItems, pageOfItems } from '#platform/kernel/item-page.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { NullableField } from '../fields/answer-fields.js';
import { ChoiceField, CursorField, IntegerField } from '../fields/request-fields.js';

const ITEMS_MAX = 100;
const ITEMS_DEFAULT = 20;
const ORDERS = ['asc', 'desc'] as const;

/** The query of a list in OpenAI's manner. */
export class ItemPageDto implements ItemPage {
  @CursorField('The id of the last item of the page before.')
  readonly after?: string;

  @CursorField('The id of the first item of the page after.')
  readonly before?: string;

  @IntegerField({
    required: false,
    default: ITEMS_DEFAULT,
    minimum: 1,
    maximum: ITEMS_MAX,
    description: 'The items of a page.',
    fromText: true,
  })
  readonly limit: number = ITEMS_DEFAULT;

  @ChoiceField(ORDERS, {
    required: false,
    default: 'desc',
    description: 'Default: the last first.',
    expected: 'asc or desc',
  })
  readonly order: (typeof ORDERS)[number] = 'desc';
}

export abstract class ItemListDto<Item extends object> {
  @ApiProperty({ enum: ['list'] })
  readonly object!: 'list';
  abstract readonly data: readonly Item[];
  @NullableField(String)
  readonly first_id!: string | null;
  @NullableField(String)
  readonly last_id!: string | null;
  @ApiProperty()
  readonly has_more!: boolean;
}

/** @throws RejectedRequestError 400 for a cursor that names no item */
export const foundPage = <Item>(
  page: PageOfItems<Item> | 'after' | 'before',
): PageOfItems<Item> => {
  if (typeof page === 'string') throw rejectedField(page, 'expected the id of an item');
  return page;
};

export const presentItems = <Item extends object>(
  data: readonly Item[],
  hasMore: boolean,
): ItemListDto<Item> => ({
  object: 'list',
  data,
  first_id: itemIdOf(data.at(0)),
  last_id: itemIdOf(data.at(-1)),
  has_more: hasMore,
});

/** @throws RejectedRequestError 400 for a cursor that names no item */
export const itemPage = (items: readonly object[], page: ItemPage): ItemListDto<object> => {
  const { items: data, hasMore } = foundPage(pageOfItems(items, itemIdOf, page));
  return presentItems(data, hasMore);
};

const itemIdOf = (item: object | undefined): string | null =>
  item && 'id' in item && typeof item.id === 'string' ? item.id : null;
