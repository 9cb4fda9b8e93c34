import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { HttpFailure } from './http-failure.js';

/** Values of one body. class-validator takes some ten microseconds for an unknown field. */
export const VALUES_MAX = 512;

/** Validates the body of an application route by its DTO class. Other bodies pass unchanged. */
export class DtoPipe extends ValidationPipe {
  constructor() {
    super({ whitelist: true, forbidNonWhitelisted: true, transform: true });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (this.toValidate(metadata) && hasMoreThan(VALUES_MAX, value)) throw tooManyValues();
    return (await super.transform(value, metadata)) as unknown;
  }
}

/** Stops at the limit. */
const hasMoreThan = (valuesMax: number, value: unknown): boolean => {
  let left = valuesMax;
  const isOver = (one: unknown): boolean => {
    left -= 1;
    if (left < 0) return true;
    return typeof one === 'object' && one !== null && Object.values(one).some(isOver);
  };
  return isOver(value);
};

const tooManyValues = (): HttpFailure =>
  new HttpFailure({
    status: 400,
    code: 'body_too_complex',
    message: `the body has more than ${VALUES_MAX} values`,
  });
