import { registerDecorator } from 'class-validator';

export const METADATA_KEYS_MAX = 16;
const KEY_LENGTH_MAX = 64;
const VALUE_LENGTH_MAX = 512;

/** Metadata as OpenAI limits it. */
export const isMetadata = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const pairs: readonly (readonly [string, unknown])[] = Object.entries(value);
  return (
    pairs.length <= METADATA_KEYS_MAX &&
    pairs.every(
      ([key, text]) =>
        key.length <= KEY_LENGTH_MAX && typeof text === 'string' && text.length <= VALUE_LENGTH_MAX,
    )
  );
};

export const IsMetadata = (): PropertyDecorator => (target, propertyKey) => {
  registerDecorator({
    name: 'isMetadata',
    target: target.constructor,
    propertyName: String(propertyKey),
    options: {
      message:
        `at most ${METADATA_KEYS_MAX} pairs of text, ` +
        `with keys of ${KEY_LENGTH_MAX} and values of ${VALUE_LENGTH_MAX} characters`,
    },
    validator: { validate: isMetadata },
  });
};
