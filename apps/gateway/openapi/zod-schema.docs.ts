import { z } from 'zod';

/** The body of a request in the OpenAPI document. */
export const schemaOf = (schema: z.ZodType, example: object): object => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
  });
  return { ...rest, example };
};
