import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { applicationEnvelope, openAiEnvelope } from '../errors/envelope.js';
import { failure } from '../errors/failure-of.js';

interface Described {
  readonly description: string;
  /** One that the status comes with. */
  readonly code: string;
  readonly message: string;
}

const INTERNAL: Described = {
  description: 'A defect; the request id leads the operator to it.',
  code: 'internal_error',
  message: 'something went wrong here; the request id leads the operator to it',
};

const FAILURES: Readonly<Record<number, Described>> = {
  400: {
    description: 'A field is missing or wrong; the message names it.',
    code: 'invalid_request',
    message: 'limit must be an integer',
  },
  401: {
    description: 'No credential, or one that is unknown, ended or of the wrong kind.',
    code: 'invalid_api_key',
    message: 'The API key or access token is not valid.',
  },
  402: {
    description: 'The balance does not cover the worst-case price.',
    code: 'insufficient_balance',
    message: 'the balance does not cover the worst-case price of the request',
  },
  403: {
    description: 'The account’s role does not allow it.',
    code: 'insufficient_role',
    message: 'This route needs the role Partner or Admin.',
  },
  404: {
    description: 'There is no such thing.',
    code: 'not_found',
    message: 'there is no such thing',
  },
  409: {
    description: 'It conflicts with what is there already.',
    code: 'conflict',
    message: 'it conflicts with what is there already',
  },
  413: {
    description: 'The body is larger than this gateway takes.',
    code: 'body_too_large',
    message: 'Request body is too large',
  },
  415: {
    description: 'The body is not JSON.',
    code: 'unsupported_media_type',
    message: 'Unsupported Media Type',
  },
  429: {
    description: 'Too many failed attempts; `Retry-After` says when to come back.',
    code: 'too_many_attempts',
    message: 'Too many failed attempts from this address; try again later.',
  },
  501: {
    description: 'The engine for this is not part of this release.',
    code: 'routing_mode_unavailable',
    message: 'the engine of routing_mode moa_consensus is not part of this release',
  },
  502: {
    description: 'The upstream failed.',
    code: 'upstream_failed',
    message: 'rig local-vllm answered with status 500',
  },
  503: {
    description: 'Not now; `Retry-After` says when, where that is known.',
    code: 'read_model_lagging',
    message: 'the answer is being brought up to date; try again',
  },
  504: {
    description: 'The upstream took too long.',
    code: 'upstream_timed_out',
    message: 'rig local-vllm sent nothing within the time-out',
  },
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

/** Every route can meet a defect, so 500 is always among them. */
const failures = (
  schema: object,
  envelope: typeof openAiEnvelope,
  statuses: readonly number[],
): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ...[...statuses, 500].map((status) => {
      const { description, code, message } = FAILURES[status] ?? INTERNAL;
      const example = envelope(failure({ status, code, message }));
      return ApiResponse({
        status,
        description,
        content: { 'application/json': { schema, example } },
      });
    }),
  );

/** Documents failures of application routes: `{success:false,message,code}`. */
export const ApplicationFailures = (...statuses: readonly number[]) =>
  failures(APPLICATION, applicationEnvelope, statuses);

/** Documents failures of the OpenAI-compatible routes: `{error:{message,type,param,code}}`. */
export const OpenAiFailures = (...statuses: readonly number[]) =>
  failures(OPENAI, openAiEnvelope, statuses);
