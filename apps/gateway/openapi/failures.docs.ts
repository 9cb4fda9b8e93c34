import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiProperty } from '@nestjs/swagger';

/** Begins the name of an extension that holds a code until the document has its responses. */
export const CODE_EXTENSION = 'x-fails-with-';

/**
 * Documents the codes of areas that a route can return; on a controller, that each of its routes
 * can. The document adds the codes of the gateway, by the credentials, body and parameters of a
 * route.
 */
export const FailsWith = (...codes: readonly string[]): MethodDecorator & ClassDecorator =>
  applyDecorators(...codes.map((code) => ApiExtension(`${CODE_EXTENSION}${code}`, true)));

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
