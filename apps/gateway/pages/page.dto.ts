import { ApiProperty } from '@nestjs/swagger';
import { PositionedAnswerDto } from '../fields/answer.dto.js';
import { IntegerField } from '../fields/request-fields.js';
import { AsOfDto } from '../time-travel/as-of.dto.js';

export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;
/** No list has records beyond this page. */
const PAGE_MAX = 1_000_000;

/** A page of a list, as the query asks for it: of now, or of a past state of the log. */
export class PageDto extends AsOfDto {
  @IntegerField({
    required: false,
    default: 1,
    minimum: 1,
    maximum: PAGE_MAX,
    description: 'The page, from 1.',
    fromText: true,
  })
  readonly page: number = 1;

  @IntegerField({
    required: false,
    default: PAGE_LIMIT_DEFAULT,
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    description: 'The records of a page.',
    fromText: true,
  })
  readonly limit: number = PAGE_LIMIT_DEFAULT;
}

/** Where a page is in its list. */
export class PageOfListDto extends PositionedAnswerDto {
  @ApiProperty({ example: 1 })
  readonly page!: number;
  @ApiProperty({ example: PAGE_LIMIT_DEFAULT })
  readonly limit!: number;
  @ApiProperty({ example: 1 })
  readonly total_records!: number;
  @ApiProperty({ example: 1 })
  readonly total_pages!: number;
}

interface Found {
  readonly total: number;
  readonly position: bigint;
}

export const presentPage = (
  { page, limit }: PageDto,
  { total, position }: Found,
): Omit<PageOfListDto, 'success'> & { readonly success: true } => ({
  success: true,
  page,
  limit,
  total_records: total,
  total_pages: Math.ceil(total / limit),
  position: position.toString(),
});
