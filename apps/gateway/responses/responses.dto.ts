import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';
import { NumberText } from '../bodies/number-text.js';
import { Cursor } from '../pages/cursor.js';

const ITEMS_MAX = 100;
const ITEMS_DEFAULT = 20;
const ORDERS = ['asc', 'desc'] as const;

export class ResponseIdDto {
  @ApiProperty({
    description: 'The id of the response.',
    example: 'resp_0123456789abcdef0123456789abcdef',
  })
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'response_id is the id of a response' })
  readonly response_id!: string;
}

export class RetrieveResponseDto {
  @ApiPropertyOptional({ enum: ['false'], description: 'A stored response is not streamed.' })
  @IsOptional()
  @IsIn(['false'], { message: 'stream: a stored response is not streamed' })
  readonly stream?: 'false';
}

export class InputItemsPageDto {
  @ApiPropertyOptional({ description: 'The id of the last item of the page before.' })
  @Cursor()
  readonly after?: string;

  @ApiPropertyOptional({
    default: ITEMS_DEFAULT,
    minimum: 1,
    maximum: ITEMS_MAX,
    description: 'The items of a page.',
  })
  @IsOptional()
  @NumberText()
  @IsInt({ message: 'limit must be an integer' })
  @Min(1, { message: 'limit must not be less than 1' })
  @Max(ITEMS_MAX, { message: `limit must not be above ${ITEMS_MAX}` })
  readonly limit: number = ITEMS_DEFAULT;

  @ApiPropertyOptional({ enum: ORDERS, default: 'desc', description: 'Default: the last first.' })
  @IsOptional()
  @IsIn(ORDERS, { message: 'order is asc or desc' })
  readonly order: (typeof ORDERS)[number] = 'desc';
}

export class InputItemsDto {
  @ApiProperty({ enum: ['list'] })
  readonly object!: 'list';
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } })
  readonly data!: readonly object[];
  @ApiProperty({ type: String, nullable: true })
  readonly first_id!: string | null;
  @ApiProperty({ type: String, nullable: true })
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
