import { type ArgumentMetadata, type ValidationError, ValidationPipe } from '@nestjs/common';
import { faultText, messageOf, UNSUPPORTED_FIELD } from '#platform/kernel/faults.js';
import { HttpFailure } from './http-failure.js';

/**
 * Values of one body. class-validator takes some ten microseconds for an unknown field. A DTO class
 * whose large field has a schema of its own declares a static `valuesMax` instead.
 */
export const VALUES_MAX = 512;

/**
 * Validates the body of an application route by its DTO class. Other bodies pass unchanged. Null in
 * an optional field means that it is absent, so the field has its default.
 */
export class DtoPipe extends ValidationPipe {
  constructor() {
    super({
      whitelist: true,
      forbidNonWhitelisted: true,
      transform: true,
      exceptionFactory: (errors: readonly ValidationError[]) => invalidFields(errors),
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (this.toValidate(metadata)) {
      const valuesMax = valuesMaxOf(metadata.metatype);
      if (hasMoreThan(valuesMax, value)) throw tooManyValues(valuesMax);
    }
    const read = (await super.transform(value, metadata)) as unknown;
    return this.toValidate(metadata) ? withDefaults(read, metadata.metatype) : read;
  }
}

interface Fault {
  readonly param: string;
  readonly text: string;
}

const invalidFields = (errors: readonly ValidationError[]): HttpFailure => {
  const faults = errors.flatMap((error) => faultsOf(error));
  const param = faults[0]?.param;
  return new HttpFailure({
    status: 400,
    code: 'invalid_request',
    message: messageOf(faults.map(({ text }) => text)),
    ...(param !== undefined && { param }),
  });
};

/** The message of each check is what its field expects. */
const faultsOf = (
  { property, value, constraints = {}, children = [] }: ValidationError,
  parent = '',
): readonly Fault[] => {
  const isIndex = /^\d+$/.test(property);
  const param = isIndex ? `${parent}[${property}]` : `${parent}${parent && '.'}${property}`;
  const { whitelistValidation: unsupported, ...checks } = constraints;
  const expected = [...new Set(Object.values(checks))].join(' and ');
  return [
    ...(unsupported === undefined ? [] : [{ param, text: `${param}: ${UNSUPPORTED_FIELD}` }]),
    ...(expected === '' ? [] : [{ param, text: faultText(param, expected, value) }]),
    ...children.flatMap((child) => faultsOf(child, param)),
  ];
};

const valuesMaxOf = (metatype: ArgumentMetadata['metatype']): number =>
  metatype && 'valuesMax' in metatype ? Number(metatype.valuesMax) : VALUES_MAX;

const withDefaults = (read: unknown, metatype: ArgumentMetadata['metatype']): unknown => {
  if (!metatype || !(read instanceof metatype)) return read;
  const fields = read as Record<string, unknown>;
  for (const [name, fallback] of Object.entries(new metatype() as object)) {
    if (fields[name] === null && fallback !== undefined) fields[name] = fallback;
  }
  return read;
};

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

const tooManyValues = (valuesMax: number): HttpFailure =>
  new HttpFailure({
    status: 400,
    code: 'body_too_complex',
    message: `the body has more than ${valuesMax} values`,
  });
