import { isURL, registerDecorator } from 'class-validator';

/** `new URL` drops them, so the stored value would differ from the sent one. */
const SPACES = /[\s\p{Cc}]/u;

/** Whether it is an http or https URL that `new URL`, which reads it later, reads as well. */
export const isWebAddress = (value: unknown): boolean =>
  typeof value === 'string' &&
  !SPACES.test(value) &&
  isURL(value, { protocols: ['http', 'https'], require_protocol: true, require_tld: false }) &&
  URL.canParse(value);

export const IsWebAddress = (): PropertyDecorator => (target, propertyKey) => {
  registerDecorator({
    name: 'isWebAddress',
    target: target.constructor,
    propertyName: String(propertyKey),
    options: { message: 'an http or https URL' },
    validator: { validate: isWebAddress },
  });
};
