import { ApiProperty } from '@nestjs/swagger';
import { SESSION_SCOPES } from '#areas/identity/keys/key-policy.js';
import { SCOPES } from '#events/identity/key-policy.vocabulary.js';
import { AnswerDto, PositionedAnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField } from '../fields/answer-fields.js';
import { UuidField } from '../fields/request-fields.js';
import { UserIdDto } from './users.dto.js';

export class SessionIdDto {
  @UuidField({ description: 'The id of the session.' })
  readonly session_id!: string;
}

export class UserSessionIdDto extends UserIdDto {
  @UuidField({ description: 'The id of the session.' })
  readonly session_id!: string;
}

class OpenSessionDto {
  @ApiProperty({ format: 'uuid' })
  readonly session_id!: string;
  @NullableField(String, 'Null: the app gave none.', 'Quipu Mobile')
  readonly app_name!: string | null;
  @NullableField(String, 'Null: the app gave none.', 'Pixel 9')
  readonly device_info!: string | null;
  @ApiProperty({ enum: SCOPES, isArray: true, example: SESSION_SCOPES })
  readonly scopes!: readonly string[];
  @ApiProperty({ enum: ['none', 'one_time_code', 'recovery_code'] })
  readonly second_factor!: string;
  @InstantField('The log-in.')
  readonly started_at!: string;
  @InstantField('The end, unless the session is ended before.')
  readonly expires_at!: string;
}

export class OpenSessionsDto extends PositionedAnswerDto {
  @ApiProperty({ type: [OpenSessionDto] })
  readonly sessions!: readonly OpenSessionDto[];
}

export class EndedSessionsDto extends AnswerDto {
  @ApiProperty({ example: 2 })
  readonly ended!: number;
}
