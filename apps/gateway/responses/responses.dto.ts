import { ApiProperty } from '@nestjs/swagger';
import { ItemListDto } from '../pages/item-page.js';
import { ChoiceField, TextField } from '../fields/request-fields.js';

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

export class InputItemsDto extends ItemListDto<object> {
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } })
  readonly data!: readonly object[];
}

export class DeletedResponseDto {
  @ApiProperty({ example: 'resp_0123456789abcdef0123456789abcdef' })
  readonly id!: string;
  @ApiProperty({ enum: ['response'] })
  readonly object!: 'response';
  @ApiProperty({ enum: [true], type: Boolean })
  readonly deleted!: true;
}
