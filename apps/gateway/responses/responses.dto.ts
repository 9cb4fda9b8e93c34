import { ApiProperty } from '@nestjs/swagger';
import { NullableField } from '../fields/answer-fields.js';
import { ChoiceField, CursorField, IntegerField, TextField } from '../fields/request-fields.js';

const ITEMS_MAX = 100;
const ITEMS_DEFAULT = 20;
const ORDERS = ['asc', 'desc'] as const;

export class ResponseIdDto {
  @TextField({
    description: 'The id of the response.',
    example: 'resp_0123456789abcdef0123456789abcdef',
    matches: /^[A-Za-z0-9_-]{1,64}$/,
    expected: 'the id of a response',
  })
  readonly response_id!: string;
}

export class RetrieveResponseDto {
  @ChoiceField(['false'], {
    required: false,
    description: 'A stored response is not streamed.',
    expected: 'a stored response is not streamed',
  })
  readonly stream?: 'false';
}

export class InputItemsPageDto {
  @CursorField('The id of the last item of the page before.')
  readonly after?: string;

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

export class InputItemsDto {
  @ApiProperty({ enum: ['list'] })
  readonly object!: 'list';
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } })
  readonly data!: readonly object[];
  @NullableField(String)
  readonly first_id!: string | null;
  @NullableField(String)
  readonly last_id!: string | null;
  @ApiProperty()
  readonly has_more!: boolean;
}

export class DeletedResponseDto {
  @ApiProperty({ example: 'resp_0123456789abcdef0123456789abcdef' })
  readonly id!: string;
  @ApiProperty({ enum: ['response'] })
  readonly object!: 'response';
  @ApiProperty({ enum: [true], type: Boolean })
  readonly deleted!: true;
}
