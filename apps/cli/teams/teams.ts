import { ChangeAccountCommand } from '#areas/billing/change-account.handler.js';
import { AllotCommand } from '#areas/teams/allot.handlers.js';
import { CloseTeamCommand } from '#areas/teams/close-team.handlers.js';
import { CreateTeamCommand } from '#areas/teams/create-team.handler.js';
import { INVITATION_HOURS_MAX, InviteMemberCommand } from '#areas/teams/invitations.handlers.js';
import { RemoveMemberCommand } from '#areas/teams/members.handlers.js';
import { type TeamFunds } from '#areas/teams/team-accounts.port.js';
import { TeamQuery, TeamsQuery, type TeamView } from '#areas/teams/team.queries.js';
import { type TeamRole } from '#events/teams/team.vocabulary.js';
import { UserId } from '#events/vocabulary.js';
import { instant } from '#platform/kernel/clock.js';
import { inUsd, type MicroUsd, toDecimal } from '#platform/kernel/money.js';
import { teams } from '#projections/teams/teams.projection.js';
import { CommandFailure } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { confirm } from '../confirmation.js';
import {
  type CommonOptions,
  type Invocation,
  type IrreversibleOptions,
  type Outcome,
} from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { accountOf } from '../user-option.js';

export interface ListTeamsOptions extends CommonOptions {
  readonly user: string;
  readonly closed?: boolean;
}

export interface CreateTeamOptions extends CommonOptions {
  readonly user: string;
  readonly name: string;
  readonly below?: string;
}

export interface TeamOptions extends CommonOptions {
  readonly team: string;
}

export interface CloseTeamOptions extends TeamOptions, IrreversibleOptions {}

export interface AllotOptions extends TeamOptions {
  readonly usd: MicroUsd;
  readonly reason: string;
}

export interface TeamBudgetOptions extends TeamOptions {
  readonly usdPerDay?: MicroUsd;
  readonly usdPerWeek?: MicroUsd;
  readonly usdPerMonth?: MicroUsd;
  readonly usdInTotal?: MicroUsd;
}

export interface InviteOptions extends TeamOptions {
  readonly role: TeamRole;
  readonly hours: number;
}

export interface MemberOptions extends TeamOptions {
  readonly member: string;
}

const NEEDS = {
  areas: ['identity', 'billing', 'teams'],
  installation: 'exists',
  projections: [teams],
} as const;

const ALERTS = [50, 80, 100];

export const createTeam = (
  { user, name, below }: CreateTeamOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ commands, queries, context }) => {
    const own = await accountOf({ queries }, user);
    const data = { accountId: below ?? own, userId: UserId.parse(Number(own)), name };
    const { teamId } = await commands.execute(new CreateTeamCommand(data, context()));
    return { json: { team_id: teamId, name }, text: `Team ${teamId} has the first owner ${user}.` };
  });

export const listTeams = (
  { user, closed = false }: ListTeamsOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ queries }) => {
    const accountId = await accountOf({ queries }, user);
    const asker = { accountId, userId: Number(accountId) };
    const { below, memberships } = await queries.execute(new TeamsQuery(asker, closed));
    const header = ['TEAM', 'NAME', 'MEMBERS', 'AVAILABLE', 'CLOSED'];
    const rows = [...new Map([...below, ...memberships].map((one) => [one.teamId, one])).values()];
    return {
      json: { below: below.map(jsonOf), memberships: memberships.map(jsonOf) },
      text:
        rows.length === 0
          ? 'There is no team.'
          : inColumns([
              header,
              ...rows.map(({ teamId, name, memberCount, funds, closedAt }) => [
                ...[teamId, name, String(memberCount), inUsd(funds.available), closedAt ?? '-'],
              ]),
            ]),
    };
  });

export const showTeam = ({ team }: TeamOptions, invocation: Invocation): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ queries }) => {
    const { members, invitations, ...view } = await queries.execute(new TeamQuery(team));
    const listed = members.map(({ memberId, userId, role, source }) => ({
      ...{ member_id: memberId, user_id: userId, role, source },
    }));
    const open = invitations.map(({ invitationId, role, expiresAt }) => ({
      ...{ invitation_id: invitationId, role, expires_at: expiresAt },
    }));
    const header = ['MEMBER', 'USER', 'ROLE', 'SOURCE'];
    const rows = listed.map((one) => [one.member_id, String(one.user_id), one.role, one.source]);
    return {
      json: { ...jsonOf(view), members: listed, invitations: open },
      text: [
        `${view.name}, ${stateOf(view)}${textOf(view.funds)}`,
        inColumns([header, ...rows]),
      ].join('\n'),
    };
  });

export const closeTeam = async (
  options: CloseTeamOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { team: teamId } = options;
  const consequence = `This ends the members and keys of ${teamId}; no team is opened again.`;
  await confirm({ word: teamId, consequence, otherwise: 'it is open' }, options, invocation);
  return withQuipu(invocation, NEEDS, async ({ commands, queries, context }) => {
    await commands.execute(new CloseTeamCommand(teamId, context()));
    const { closedAt, funds } = await queries.execute(new TeamQuery(teamId));
    return {
      json: { team_id: teamId, closed_at: closedAt, ...fundsJson(funds) },
      text: `Team ${teamId} is closed; its free money is in the account above.`,
    };
  });
};

export const allot = (options: AllotOptions, invocation: Invocation): Promise<Outcome> =>
  move('down', options, invocation);

export const takeBack = (options: AllotOptions, invocation: Invocation): Promise<Outcome> =>
  move('up', options, invocation);

const move = (
  direction: 'down' | 'up',
  { team: teamId, usd, reason }: AllotOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ commands, queries, context }) => {
    const { parentId } = await queries.execute(new TeamQuery(teamId));
    const by = { teamId, parentId, accountId: parentId };
    const data = { direction, amountMicroUsd: toDecimal(usd), reason };
    const funds = await commands.execute(new AllotCommand(by, data, context()));
    return { json: { team_id: teamId, ...fundsJson(funds) }, text: `${teamId}: ${textOf(funds)}` };
  });

export const setTeamBudget = (
  { team: accountId, ...options }: TeamBudgetOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ commands, queries, context, clock }) => {
    await queries.execute(new TeamQuery(accountId));
    const limits = {
      dayMicroUsd: decimalOf(options.usdPerDay),
      weekMicroUsd: decimalOf(options.usdPerWeek),
      monthMicroUsd: decimalOf(options.usdPerMonth),
      totalMicroUsd: decimalOf(options.usdInTotal),
      requestsPerMinute: null,
      tokensPerMinute: null,
    };
    const data = { accountId, limits, alertPercents: ALERTS, setAt: instant(clock) };
    const change = { type: 'SetBudget', data, by: { owner: 'operator' } } as const;
    await commands.execute(new ChangeAccountCommand(change, context()));
    return { json: { team_id: accountId, limits }, text: `Team ${accountId} has the budget.` };
  });

export const invite = (
  { team: teamId, role, hours }: InviteOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ commands, context }) => {
    if (hours > INVITATION_HOURS_MAX) {
      const message = `--hours: expected at most ${INVITATION_HOURS_MAX}`;
      throw new CommandFailure('invalid_hours', message, EXIT.usage);
    }
    const by = { teamId, role: 'owner' } as const;
    const issued = await commands.execute(new InviteMemberCommand(by, { role, hours }, context()));
    const { invitationId, token, expiresAt } = issued;
    return {
      json: { invitation_id: invitationId, token, role, expires_at: expiresAt },
      text: `${token}\nIt makes one user a member until ${expiresAt}, and is not shown again.`,
    };
  });

export const removeMember = (
  { team: teamId, member: memberId }: MemberOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ commands, context }) => {
    const by = { teamId, role: 'owner', member: null } as const;
    await commands.execute(new RemoveMemberCommand(by, memberId, context()));
    return {
      json: { team_id: teamId, member_id: memberId, removed: true },
      text: `Member ${memberId} was removed; its keys for the team are invalid.`,
    };
  });

const decimalOf = (amount: MicroUsd | undefined): string | null =>
  amount === undefined ? null : toDecimal(amount);

const fundsJson = ({ funded, charged, held, available }: TeamFunds) => ({
  funded_micro_usd: toDecimal(funded),
  charged_micro_usd: toDecimal(charged),
  held_micro_usd: toDecimal(held),
  available_micro_usd: toDecimal(available),
});

const jsonOf = ({ teamId, parentId, depth, name, memberCount, funds, ...times }: TeamView) => ({
  ...{ team_id: teamId, parent_id: parentId, depth, name, member_count: memberCount },
  ...fundsJson(funds),
  ...{ created_at: times.createdAt, closed_at: times.closedAt },
});

const stateOf = ({ closedAt }: TeamView): string =>
  closedAt === null ? '' : `closed ${closedAt}, `;

const textOf = ({ funded, charged, held, available }: TeamFunds): string =>
  `funded ${inUsd(funded)}, charged ${inUsd(charged)}, held ${inUsd(held)}, ` +
  `available ${inUsd(available)}`;
