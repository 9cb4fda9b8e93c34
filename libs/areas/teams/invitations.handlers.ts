import { createHmac, hash } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { INVITATION_PREFIX, teamIdOf, type TeamRole } from '#events/teams/team.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { type TeamAccess } from './team-access.query.js';
import { reject } from './teams.errors.js';
import { Teams } from './teams.js';

export const INVITATION_HOURS_MAX = 720;

export interface IssuedInvitation {
  readonly invitationId: string;
  /** `svc_inv_…`; shown once. */
  readonly token: string;
  readonly role: TeamRole;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

type By = Pick<TeamAccess, 'teamId' | 'role'>;

/**
 * Makes a token that an owner or admin hands over, and that makes one user a member.
 * @throws DomainError `team_role_missing`, `too_many_members`, `too_many_invitations`
 */
export class InviteMemberCommand extends Command<IssuedInvitation> {
  constructor(
    readonly by: By,
    readonly data: { readonly role: TeamRole; readonly hours: number },
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** @throws DomainError `team_role_missing`, `invitation_not_found` */
export class WithdrawInvitationCommand extends Command<void> {
  constructor(
    readonly by: By,
    readonly invitationId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** @throws DomainError `invalid_invitation`, `already_member`, `too_many_members` */
export class AcceptInvitationCommand extends Command<{ readonly teamId: string }> {
  constructor(
    readonly token: string,
    readonly userId: UserId,
    readonly context: CommandContext,
  ) {
    super();
  }
}

const HOUR_MS = 3_600_000;
const UUID_LENGTH = 36;
const TOKEN = new RegExp(`^${INVITATION_PREFIX}([0-9a-f-]{${UUID_LENGTH}})_[\\w-]{43}$`);

const fingerprint = (token: string): string => hash('sha256', token);

@CommandHandler(InviteMemberCommand)
export class InviteMemberHandler implements ICommandHandler<InviteMemberCommand> {
  readonly #key: Uint8Array;

  constructor(
    private readonly teams: Teams,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SECRETS) secrets: Pick<Secrets, 'key'>,
  ) {
    this.#key = secrets.key('team-invitations');
  }

  async execute({ by, data, context }: InviteMemberCommand): Promise<IssuedInvitation> {
    const { role, hours } = data;
    const { requestId: invitationId } = context;
    const token = this.#tokenOf(by.teamId, invitationId);
    const expiresAt = new Date(this.clock.now() + hours * HOUR_MS).toISOString();
    const issuedAt = instant(this.clock);
    const invitation = { teamId: by.teamId, invitationId, role, issuedAt, expiresAt };
    const issued = { ...invitation, secretHash: fingerprint(token) };
    await this.teams.change({ type: 'IssueInvitation', data: issued, by: by.role }, context);
    return { invitationId, token, role, expiresAt };
  }

  /** The same one in every attempt at the request: HMAC-SHA-256 under a key of the installation. */
  #tokenOf(teamId: string, invitationId: string): string {
    const secret = createHmac('sha256', this.#key).update(`${teamId}\n${invitationId}`);
    const uuid = teamId.slice(-UUID_LENGTH);
    return `${INVITATION_PREFIX}${uuid}_${secret.digest('base64url')}`;
  }
}

@CommandHandler(WithdrawInvitationCommand)
export class WithdrawInvitationHandler implements ICommandHandler<WithdrawInvitationCommand> {
  constructor(
    private readonly teams: Teams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ by, invitationId, context }: WithdrawInvitationCommand): Promise<void> {
    const data = { teamId: by.teamId, invitationId, withdrawnAt: instant(this.clock) };
    await this.teams.change({ type: 'WithdrawInvitation', data, by: by.role }, context);
  }
}

@CommandHandler(AcceptInvitationCommand)
export class AcceptInvitationHandler implements ICommandHandler<AcceptInvitationCommand> {
  constructor(
    private readonly teams: Teams,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ token, userId, context }: AcceptInvitationCommand) {
    const uuid = TOKEN.exec(token)?.[1];
    if (uuid === undefined) return reject('invalid_invitation', 'token: expected svc_inv_…');
    const teamId = teamIdOf(uuid);
    const { requestId: memberId } = context;
    const joinedAt = instant(this.clock);
    const data = { teamId, memberId, userId, joinedAt, secretHash: fingerprint(token) };
    await this.teams.change({ type: 'AcceptInvitation', data }, context);
    return { teamId };
  }
}
