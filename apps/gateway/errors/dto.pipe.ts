import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import { refuseDeepFields } from './nesting.js';

/** Validates what the application routes take by its DTO class; everything else passes untouched. */
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
