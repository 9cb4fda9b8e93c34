import { ApiProperty } from '@nestjs/swagger';
import { INVITATION_HOURS_MAX } from '#areas/teams/invitations.handlers.js';
import { APP_NAME_LENGTH_MAX } from '#areas/identity/users/user-details.js';
import { TEAM_NAME_LENGTH_MAX } from '#events/teams/team.events.js';
import { Member, TEAM_ID, TEAM_ROLES, type TeamRole } from '#events/teams/team.vocabulary.js';
import { AnswerDto, PositionedAnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableInstant } from '../fields/answer-fields.js';
import {
  ChoiceField,
  FlagField,
  IntegerField,
  NumberField,
  TextField,
  UuidField,
} from '../fields/request-fields.js';
import { ApiKeyDto, KeyPolicyDto } from '../identity/api-keys.dto.js';

const TEAM = 'team-019ac5d2-6a53-7c55-9d0f-0d3a5a3f8f01';
const USD_MAX = 1_000_000_000;
const REASON_MAX = 500;
const DAYS_7_HOURS = 168;

export class TeamIdDto {
  @TextField({
    matches: TEAM_ID,
    expected: 'the id of a team',
    example: TEAM,
    description: 'The id of the team, which is the id of its account, too.',
  })
  readonly team_id!: string;
}

export class TeamMemberIdDto extends TeamIdDto {
  @UuidField({ description: 'The id of the membership.' })
  readonly member_id!: string;
}

export class InvitationIdDto extends TeamIdDto {
  @UuidField({ description: 'The id of the invitation.' })
  readonly invitation_id!: string;
}

export class TeamKeyIdDto extends TeamIdDto {
  @TextField({
    example: '2b9ac6a26d6d9ca1',
    description: 'The id of the key.',
    matches: /^[0-9a-f]{16}$/,
    expected: 'the id of a key: 16 hex digits',
  })
  readonly key_id!: string;
}

export class ListTeamsDto {
  @ChoiceField(['true', 'false'], {
    required: false,
    default: 'false',
    description: 'Whether the closed teams below the account are listed, too.',
    expected: 'true or false',
  })
  readonly include_closed: 'true' | 'false' = 'false';
}

export class CreateTeamDto {
  @TextField({ minLength: 1, maxLength: TEAM_NAME_LENGTH_MAX, example: 'search ranking' })
  readonly name!: string;
}

export class AllotDto {
  @NumberField({ minimum: 0.000001, maximum: USD_MAX, decimalsMax: 6, example: 50 })
  readonly amount_usd!: number;

  @TextField({
    required: false,
    maxLength: REASON_MAX,
    example: 'fourth quarter',
    description: 'The log keeps it, so it must name no person.',
  })
  readonly reason: string = '';
}

export class InviteMemberDto {
  @ChoiceField(TEAM_ROLES, { example: 'developer' })
  readonly role!: TeamRole;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: INVITATION_HOURS_MAX,
    default: DAYS_7_HOURS,
    example: DAYS_7_HOURS,
    description: 'How long the invitation can be accepted.',
  })
  readonly expires_in_hours: number = DAYS_7_HOURS;
}

export class AcceptInvitationDto {
  @TextField({
    minLength: 1,
    maxLength: 256,
    example: 'svc_inv_…',
    description: 'The token of an invitation.',
  })
  readonly token!: string;
}

export class SetMemberRoleDto {
  @ChoiceField(TEAM_ROLES, { example: 'auditor' })
  readonly role!: TeamRole;
}

export class IssueTeamKeyDto extends KeyPolicyDto {
  @TextField({ example: 'nightly batch', maxLength: APP_NAME_LENGTH_MAX, minLength: 1 })
  readonly name!: string;

  @FlagField({
    required: false,
    default: false,
    description: 'The key ends with the session of the access token that asks.',
  })
  readonly with_session: boolean = false;
}

export class TeamFundsDto {
  @ApiProperty({ example: 500, description: 'Allotments that arrived, less the returned ones.' })
  readonly funded_usd!: number;
  @ApiProperty({ example: 12.3, description: 'Charges.' })
  readonly charged_usd!: number;
  @ApiProperty({ example: 0.1, description: 'Open holds of running work.' })
  readonly held_usd!: number;
  @ApiProperty({ example: 487.6, description: 'For the next hold, or to be taken back.' })
  readonly available_usd!: number;
}

export class TeamDto {
  @ApiProperty({ example: TEAM })
  readonly team_id!: string;
  @ApiProperty({ example: '7', description: 'The account above: of a user, or a team.' })
  readonly parent_id!: string;
  @ApiProperty({ example: 1, description: 'Levels below the account of a user.' })
  readonly depth!: number;
  @ApiProperty({ example: 'search ranking' })
  readonly name!: string;
  @ApiProperty({ example: 4 })
  readonly member_count!: number;
  @ApiProperty({ type: TeamFundsDto })
  readonly funds!: TeamFundsDto;
  @InstantField('When it was created.')
  readonly created_at!: string;
  @NullableInstant('When it was closed; null while it is open.')
  readonly closed_at!: string | null;
}

export class TeamMemberDto {
  @ApiProperty({ format: 'uuid' })
  readonly member_id!: string;
  @ApiProperty({ example: 7 })
  readonly user_id!: number;
  @ApiProperty({ enum: TEAM_ROLES })
  readonly role!: string;
  @ApiProperty({ enum: Member.shape.source.options, description: '`provider`: by a rule.' })
  readonly source!: string;
}

export class InvitationDto {
  @ApiProperty({ format: 'uuid' })
  readonly invitation_id!: string;
  @ApiProperty({ enum: TEAM_ROLES })
  readonly role!: string;
  @InstantField('The end of the invitation.')
  readonly expires_at!: string;
}

export class TeamDetailsDto extends TeamDto {
  @ApiProperty({ type: [TeamMemberDto] })
  readonly members!: readonly TeamMemberDto[];
  @ApiProperty({ type: [InvitationDto], description: 'The open ones, without their tokens.' })
  readonly invitations!: readonly InvitationDto[];
}

export class TeamAnswerDto extends AnswerDto {
  @ApiProperty({ type: TeamDetailsDto })
  readonly team!: TeamDetailsDto;
}

export class TeamsDto extends PositionedAnswerDto {
  @ApiProperty({ type: [TeamDto], description: 'Directly below the account.' })
  readonly below!: readonly TeamDto[];
  @ApiProperty({ type: [TeamDto], description: 'Of which the user is a member.' })
  readonly memberships!: readonly TeamDto[];
}

export class TeamFundsAnswerDto extends AnswerDto {
  @ApiProperty({ type: TeamFundsDto })
  readonly funds!: TeamFundsDto;
}

export class NewInvitationDto extends AnswerDto {
  @ApiProperty({ example: 'svc_inv_…', description: 'Only this answer shows it.' })
  readonly token!: string;
  @ApiProperty({ type: InvitationDto })
  readonly invitation!: InvitationDto;
}

export class TeamKeyDto extends ApiKeyDto {
  @ApiProperty({ example: 7, description: 'The member that issued it.' })
  readonly user_id!: number;
}

export class TeamKeysDto extends PositionedAnswerDto {
  @ApiProperty({ type: [TeamKeyDto] })
  readonly keys!: readonly TeamKeyDto[];
}
