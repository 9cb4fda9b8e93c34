import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { committedSchemas } from './golden.files.js';

/** The parts of a recorded event that its schema covers. */
export type SchematicEvent = Pick<RecordedEvent, 'type' | 'data'> & {
  readonly metadata: Pick<RecordedEvent['metadata'], 'version'>;
};

/** @returns the faults of the event by the committed JSON Schema of its type and version */
export type StoredEventValidator = (event: SchematicEvent) => readonly string[];

/**
 * Checks the events of a log against the published JSON Schemas, with a validator that does not use
 * the definitions.
 */
export const storedEventValidator = async (): Promise<StoredEventValidator> => {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  const validators = new Map(
    (await committedSchemas()).map(({ type, version, content }) => [
      `${type}.v${version}`,
      ajv.compile(content as object),
    ]),
  );
  return ({ type, data, metadata: { version } }) => {
    const name = `${type}.v${version}`;
    const validate = validators.get(name);
    if (!validate) return [`${name} has no schema`];
    if (validate(data)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message = 'is wrong' }) => `${name}${instancePath} ${message}`,
    );
  };
};
