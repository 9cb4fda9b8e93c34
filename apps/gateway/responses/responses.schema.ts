import { z } from 'zod';
import { ResponseBody } from '#areas/responses/translation/response-body.js';

const { $schema: _dialect, ...SCHEMA } = z.toJSONSchema(
  ResponseBody.extend({
    input: z
      .union([z.string(), z.array(z.looseObject({}))])
      .optional()
      .describe('A text of the user, or items: messages, function calls and their outputs.'),
    store: ResponseBody.shape.store.default(true),
  }),
  { io: 'input', target: 'draft-2020-12', unrepresentable: 'any' },
);

/** The body of a request for a response, in the OpenAPI document. */
export const responseBodySchema = {
  ...(SCHEMA as object),
  example: { model: 'quipu/nano', input: 'What is Quipu?', store: false },
};
