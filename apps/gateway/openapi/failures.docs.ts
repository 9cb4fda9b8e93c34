import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiResponse, getSchemaPath } from '@nestjs/swagger';

/** What each status means on any route; the codes of a status are in the document's table. */
const DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'A field is missing or wrong. The message names it.',
  401: 'The credential is missing, unknown, expired or of the wrong kind.',
  402: 'The balance does not cover the request.',
  403: 'The role of the account does not allow the request.',
  404: 'The requested object does not exist.',
  409: 'The request conflicts with the current state.',
  410: 'It existed, and is no longer kept.',
  413: 'The body is larger than the limit of this gateway.',
  415: 'The body is not JSON.',
  422: 'The request is understood, and cannot be answered. The message says why.',
  429: 'There were too many requests or failed attempts. `Retry-After` gives the pause in seconds.',
  500: 'The gateway has a defect. The operator finds the cause by the request id.',
  501: 'This release does not implement the requested feature.',
  502: 'The upstream failed.',
  503: 'The service is temporarily unavailable. `Retry-After` gives the pause where it is known.',
  504: 'The upstream or the request took too long.',
};

/** The failure of an application route. */
export class ApplicationFailure {
  @ApiProperty({ enum: [false], type: Boolean })
  readonly success!: false;
  @ApiProperty({ description: 'A sentence for people.' })
  readonly message!: string;
  @ApiProperty({ description: 'Stable, for programs.' })
  readonly code!: string;
  @ApiProperty({ required: false, description: 'The field at fault.' })
  readonly param?: string;
  @ApiProperty({ selfRequired: false, type: 'object', additionalProperties: true })
  readonly metadata?: object;
}

class OpenAiError {
  @ApiProperty({ description: 'A sentence for people.' })
  readonly message!: string;
  @ApiProperty({ description: 'The error type of OpenAI; it follows from the status.' })
  readonly type!: string;
  @ApiProperty({ type: String, nullable: true, description: 'The field at fault.' })
  readonly param!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Stable, for programs.' })
  readonly code!: string | null;
  @ApiProperty({ selfRequired: false, type: 'object', additionalProperties: true })
  readonly metadata?: object;
}

/** The failure of an OpenAI-compatible route. */
export class OpenAiFailure {
  @ApiProperty({ type: OpenAiError })
  readonly error!: OpenAiError;
}

class AnthropicError {
  @ApiProperty({ description: 'The error type of Anthropic; it follows from the status.' })
  readonly type!: string;
  @ApiProperty({ description: 'A sentence for people.' })
  readonly message!: string;
  @ApiProperty({ description: 'Stable, for programs.' })
  readonly code!: string;
  @ApiProperty({ required: false, description: 'The field at fault.' })
  readonly param?: string;
  @ApiProperty({ selfRequired: false, type: 'object', additionalProperties: true })
  readonly metadata?: object;
}

/** The failure of a route for clients of Anthropic. */
export class AnthropicFailure {
  @ApiProperty({ enum: ['error'] })
  readonly type!: 'error';
  @ApiProperty({ type: AnthropicError })
  readonly error!: AnthropicError;
  @ApiProperty({ description: 'The id of the request.' })
  readonly request_id!: string;
}

/** Every route can meet a defect, so 500 is always among them. The document adds the examples. */
const failures = (schema: Type, statuses: readonly number[]): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ApiExtraModels(schema),
    ...[...statuses, 500].map((status) =>
      ApiResponse({
        status,
        description: descriptionOf(status),
        content: { 'application/json': { schema: { $ref: getSchemaPath(schema) } } },
      }),
    ),
  );

/** @throws RangeError for a status without a description */
const descriptionOf = (status: number): string => {
  const description = DESCRIPTIONS[status];
  if (description === undefined) throw new RangeError(`status ${status} is not described`);
  return description;
};

/** Documents failures of application routes: `{success:false,message,code}`. */
export const ApplicationFailures = (...statuses: readonly number[]) =>
  failures(ApplicationFailure, statuses);

/** Documents failures of the OpenAI-compatible routes: `{error:{message,type,param,code}}`. */
export const OpenAiFailures = (...statuses: readonly number[]) => failures(OpenAiFailure, statuses);

/** Documents failures of routes for Anthropic's clients: `{type:'error',error:{type,message}}`. */
export const AnthropicFailures = (...statuses: readonly number[]) =>
  failures(AnthropicFailure, statuses);
