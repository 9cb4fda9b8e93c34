import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { refuseDeepFields } from './nesting.js';

/** Validates the body of an application route by its DTO class. Other bodies pass unchanged. */
export class DtoPipe extends ValidationPipe {
  constructor() {
    super({ whitelist: true, forbidNonWhitelisted: true, transform: true });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (typeof value === 'object' && value !== null && this.toValidate(metadata)) {
      refuseDeepFields(value);
    }
    return (await super.transform(value, metadata)) as unknown;
  }
}
