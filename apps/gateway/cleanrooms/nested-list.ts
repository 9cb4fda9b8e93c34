import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, ValidateNested } from 'class-validator';

/** An array of objects of a class. */
export const nested = (
  type: new () => object,
  minItems: number,
  maxItems: number,
): PropertyDecorator => {
  const message = `an array of ${minItems} to ${maxItems} objects`;
  return applyDecorators(
    IsArray({ message }),
    ArrayMinSize(minItems, { message }),
    ArrayMaxSize(maxItems, { message }),
    ValidateNested({ each: true, message: 'an object' }),
    Type(() => type),
  );
};
