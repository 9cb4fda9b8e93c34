import { z } from 'zod';
import { ResponseId } from '#events/responses/response.events.js';
import { UserId } from '#events/vocabulary.js';
import { ResponseBody } from '../translation/response-body.js';

/** The input of a response in the background: equal for every repetition of its request. */
export const BackgroundInput = z.strictObject({
  responseId: ResponseId,
  userId: UserId,
  /** The response that it continues. */
  previous: z
    .strictObject({
      responseId: ResponseId,
      depth: z.int().positive(),
      conversationBytes: z.int().nonnegative(),
    })
    .nullable(),
  /** Its own input items. */
  input: z.array(z.looseObject({})),
  /** The request, without the input. */
  body: ResponseBody,
  /** The chat request made from it, with the messages of the conversation. */
  chat: z.record(z.string(), z.unknown()),
});
export type BackgroundInput = z.infer<typeof BackgroundInput>;

/** The object that answers, as it is stored. */
export const ResponseResult = z.looseObject({ output: z.array(z.looseObject({})) });
export type ResponseResult = z.infer<typeof ResponseResult>;
