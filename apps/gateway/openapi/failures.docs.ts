import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'A field is missing or wrong; the message names it.',
  401: 'No credential, or one that is unknown, ended or of the wrong kind.',
  402: 'The balance does not cover the worst-case price.',
  403: 'The account’s role does not allow it.',
  404: 'There is no such thing.',
  409: 'It conflicts with what is there already.',
  413: 'The body is larger than this gateway takes.',
  415: 'The body is not JSON.',
  429: 'Too many failed attempts; `Retry-After` says when to come back.',
  500: 'A defect; the request id leads the operator to it.',
  501: 'The engine for this is not part of this release.',
  502: 'The upstream failed.',
  503: 'Not now; `Retry-After` says when, where that is known.',
  504: 'The upstream took too long.',
};

const APPLICATION = {
  type: 'object',
  required: ['success', 'message', 'code'],
  properties: {
    success: { type: 'boolean', enum: [false] },
    message: { type: 'string' },
    code: { type: 'string' },
    param: { type: 'string' },
  },
};

const OPENAI = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        param: { type: 'string', nullable: true },
        code: { type: 'string', nullable: true },
        metadata: { type: 'object' },
      },
    },
  },
};

const failures = (schema: object, statuses: readonly number[]) =>
  applyDecorators(
    ...statuses.map((status) =>
      ApiResponse({ status, description: DESCRIPTIONS[status] ?? '', schema }),
    ),
  );

/** Documents failures of application routes: `{success:false,message,code}`. */
export const ApplicationFailures = (...statuses: readonly number[]) =>
  failures(APPLICATION, statuses);

/** Documents failures of the OpenAI-compatible routes: `{error:{message,type,param,code}}`. */
export const OpenAiFailures = (...statuses: readonly number[]) => failures(OPENAI, statuses);
