import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { INFERENCE_ONLY, SESSION_SCOPES } from '#areas/identity/keys/key-policy.js';
import { APP_NAME_LENGTH_MAX, DEVICE_INFO_LENGTH_MAX } from '#areas/identity/users/user-details.js';
import { GRANTED_TEAMS_MAX, GROUP_LENGTH_MAX, ISSUER } from '#events/identity/group-rule.events.js';
import { Role } from '#events/identity/identity.vocabulary.js';
import { type Scope, SCOPES } from '#events/identity/key-policy.vocabulary.js';
import { TEAM_ID, TEAM_ROLES, type TeamRole } from '#events/teams/team.vocabulary.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { ChoiceField, ChoicesField, ObjectsField, TextField } from '../fields/request-fields.js';

const TEAM_EXAMPLE = 'team-019ac5d2-6a53-7c55-9d0f-0d3a5a3f8f01';

/** Longer than any list of scopes. */
const SCOPES_TEXT_MAX = 256;

/** A list in a query: its entries with spaces between, as OAuth writes scopes. */
const spaced = ({ value }: { readonly value: unknown }): unknown =>
  typeof value === 'string' && value.length <= SCOPES_TEXT_MAX ? value.split(' ') : value;

export class StartSignInDto {
  @ChoicesField(SCOPES, {
    required: false,
    default: SESSION_SCOPES,
    example: ['inference', 'read_billing'],
    expected: `some of ${SCOPES.join(', ')} with spaces between`,
    description: 'Of the session and its key, with spaces between.',
  })
  @Transform(spaced)
  readonly scopes: readonly Scope[] = SESSION_SCOPES;

  @TextField({
    required: false,
    example: 'Quipu Console',
    description: 'The name of the app, which is the name of the key of the session.',
    maxLength: APP_NAME_LENGTH_MAX,
    minLength: 1,
  })
  readonly app_name?: string;

  @TextField({
    required: false,
    example: 'Firefox',
    maxLength: DEVICE_INFO_LENGTH_MAX,
    description: 'The device, for the list of sessions.',
  })
  readonly device_info?: string;
}

class TeamGrantDto {
  @TextField({
    matches: TEAM_ID,
    expected: 'the id of a team',
    example: TEAM_EXAMPLE,
    description: 'The id of the team.',
  })
  readonly team_id!: string;

  @ChoiceField(TEAM_ROLES, { example: 'developer', description: 'The role in the team.' })
  readonly role!: TeamRole;
}

export class SetGroupRuleDto {
  @TextField({
    required: false,
    matches: ISSUER,
    expected: 'the URL of an issuer, of at most 512 characters',
    example: 'https://id.example.org',
    description: 'Default: the configured provider.',
  })
  readonly issuer?: string;

  @TextField({
    minLength: 1,
    maxLength: GROUP_LENGTH_MAX,
    example: 'ml-platform',
    description: 'A group as the provider names it.',
  })
  readonly group!: string;

  @ChoiceField(Role.options, { example: 'Partner' })
  readonly role!: Role;

  @ChoicesField(SCOPES, {
    required: false,
    default: INFERENCE_ONLY,
    example: ['inference', 'read_billing'],
    description: 'Of tokens of the provider that machines send as their credential.',
  })
  readonly token_scopes: readonly Scope[] = INFERENCE_ONLY;

  @ObjectsField(TeamGrantDto, {
    required: false,
    maxItems: GRANTED_TEAMS_MAX,
    description: 'A user becomes a member of these teams by a sign-in. Default: none.',
  })
  readonly teams: readonly TeamGrantDto[] = [];
}

export class GroupRuleIdDto {
  @TextField({
    matches: /^[0-9a-f]{16}$/,
    expected: 'the id of a rule',
    example: '2b9ac6a26d6d9ca1',
    description: 'The id of the rule.',
  })
  readonly rule_id!: string;
}

class GroupRuleDto {
  @ApiProperty({ example: '2b9ac6a26d6d9ca1' })
  readonly rule_id!: string;
  @ApiProperty({ example: 'https://id.example.org' })
  readonly issuer!: string;
  @ApiProperty({ example: 'ml-platform' })
  readonly group!: string;
  @ApiProperty({ enum: Role.options })
  readonly role!: string;
  @ApiProperty({ enum: SCOPES, isArray: true, example: INFERENCE_ONLY })
  readonly token_scopes!: readonly string[];
  @ApiProperty({ type: [TeamGrantDto] })
  readonly teams!: readonly TeamGrantDto[];
}

export class GroupRuleAnswerDto extends AnswerDto {
  @ApiProperty({ type: GroupRuleDto })
  readonly rule!: GroupRuleDto;
}

export class GroupRulesDto extends AnswerDto {
  @ApiProperty({ type: [GroupRuleDto] })
  readonly rules!: readonly GroupRuleDto[];
}
