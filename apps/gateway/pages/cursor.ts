import { applyDecorators } from '@nestjs/common';
import { IsOptional, Matches } from 'class-validator';

/** What a page names as the `after` of the next one: an id, without control characters. */
export const Cursor = (): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    Matches(/^[!-~]{1,128}$/, { message: 'after must be the next_after of a page' }),
  );
