import { type PipeTransform } from '@nestjs/common';
import { z } from 'zod';
import { isRoutingMode } from '#areas/inference/routing-mode.js';
import { type ChatBody as PricedBody } from '#areas/inference/token-bound.js';
import { HttpFailure } from '../errors/http-failure.js';
import { refuseDeepFields } from '../errors/nesting.js';

export const MESSAGES_MAX = 10_000;
export const CHOICES_MAX = 16;

const Message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z
    .union([z.string(), z.array(z.looseObject({ type: z.string() })).max(1_000), z.null()])
    .optional(),
});

const positive = z.int().min(1).max(10_000_000).nullish();

/**
 * Fields that Quipu uses are strict; all others pass to the rig unchanged. It is a zod schema and
 * not a class, since it runs for every request and zod compiles it once
 * (decisions/0001-chat-body-by-zod.md in libs/areas/inference).
 */
export const ChatBody = z.looseObject({
  model: z.string().min(1).max(256),
  messages: z.array(Message).min(1).max(MESSAGES_MAX),
  routing_mode: z
    .string()
    .refine(isRoutingMode, 'is not one of the routing modes, nor rig_{id}')
    .default('auto'),
  cleanroom_uuid: z.uuid().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  timesteps: z.int().min(1).max(64).default(8),
  max_tokens: positive,
  max_completion_tokens: positive,
  n: z.int().min(1).max(CHOICES_MAX).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
  seed: z.int().nullish(),
});
export type ChatBody = z.infer<typeof ChatBody> & PricedBody;

const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : `${text}${text && '.'}${String(part)}`,
    '',
  );

/** @throws HttpFailure 400 whose param is the first invalid field; the message names all */
export const parseChatBody = (value: unknown): ChatBody => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new HttpFailure({
      status: 400,
      code: 'invalid_request',
      message: 'the body must be a JSON object',
    });
  }
  refuseDeepFields(value);
  const parsed = ChatBody.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidFields(
    parsed.error.issues.map(({ path, message }) => ({ param: pathOf(path), message })),
  );
};

const invalidFields = (
  faults: readonly { readonly param: string; readonly message: string }[],
): HttpFailure =>
  new HttpFailure({
    status: 400,
    code: 'invalid_request',
    message: faults.map(({ param, message }) => `${param}: ${message}`).join('; '),
    param: faults[0]?.param ?? '',
  });

export class ChatBodyPipe implements PipeTransform<unknown, ChatBody> {
  transform(value: unknown): ChatBody {
    return parseChatBody(value);
  }
}
