import { Option } from 'commander';
import { TEAM_ROLES } from '#events/teams/team.vocabulary.js';
import { command, commandGroup, type DeclareCommands, irreversible } from '../declare-command.js';
import { limitOf, reasonOf, usdOf, uuidOf } from '../options.js';
import {
  type AllotOptions,
  type CloseTeamOptions,
  type CreateTeamOptions,
  type InviteOptions,
  type ListTeamsOptions,
  type MemberOptions,
  type TeamBudgetOptions,
  type TeamOptions,
} from './teams.js';
import { teamNameOf, teamOf } from './team.options.js';

export const declareCommands: DeclareCommands = (program, invoke) => {
  const team = commandGroup(program, 'team', 'Manage teams and projects as the operator.');
  const ofTeam = (name: string, description: string) =>
    command(team, name, description).requiredOption('--team <id>', 'the id of the team', teamOf);
  command(team, 'create', 'Create a team below the account of a user, who is its first owner.')
    .requiredOption('--user <name>', 'the owner of the account above')
    .requiredOption('--name <name>', 'the name of the team', teamNameOf)
    .option('--below <id>', 'the team to create it below; default: the account', teamOf)
    .action((options: CreateTeamOptions) =>
      invoke(options, async () => (await import('./teams.js')).createTeam),
    );
  command(team, 'list', 'List the teams below an account, and the memberships of its user.')
    .requiredOption('--user <name>', 'the owner of the account')
    .option('--closed', 'with the closed teams below the account')
    .action((options: ListTeamsOptions) =>
      invoke(options, async () => (await import('./teams.js')).listTeams),
    );
  ofTeam('show', 'Show a team with its money, members and invitations.').action(
    (options: TeamOptions) => invoke(options, async () => (await import('./teams.js')).showTeam),
  );
  irreversible(team, 'close', 'Close a team; its free money goes to the account above.')
    .requiredOption('--team <id>', 'the id of the team', teamOf)
    .action((options: CloseTeamOptions) =>
      invoke(options, async () => (await import('./teams.js')).closeTeam),
    );
  const moving = (name: string, description: string) =>
    ofTeam(name, description)
      .requiredOption('--usd <amount>', 'dollars, with at most 6 decimals', usdOf)
      .requiredOption(
        '--reason <text>',
        'the reason; the log keeps it, so it must name no person',
        reasonOf,
      );
  moving('allot', 'Give a team money of the account above.').action((options: AllotOptions) =>
    invoke(options, async () => (await import('./teams.js')).allot),
  );
  moving('take-back', 'Take back money that a team has not spent.').action(
    (options: AllotOptions) => invoke(options, async () => (await import('./teams.js')).takeBack),
  );
  ofTeam('budget', 'Set the budget of a team as a whole; the team cannot change it.')
    .option('--usd-per-day <amount>', 'dollars of a day in UTC', usdOf)
    .option('--usd-per-week <amount>', 'dollars of a week from Monday in UTC', usdOf)
    .option('--usd-per-month <amount>', 'dollars of a month in UTC', usdOf)
    .option('--usd-in-total <amount>', 'dollars since it was first set', usdOf)
    .action((options: TeamBudgetOptions) =>
      invoke(options, async () => (await import('./teams.js')).setTeamBudget),
    );
  ofTeam('invite', 'Make an invitation; its token is printed once.')
    .addOption(new Option('--role <role>', 'the role').choices(TEAM_ROLES).makeOptionMandatory())
    .option('--hours <number>', 'how long it can be accepted', limitOf, 168)
    .action((options: InviteOptions) =>
      invoke(options, async () => (await import('./teams.js')).invite),
    );
  ofTeam('remove-member', 'Remove a member, whose keys for the team become invalid.')
    .requiredOption('--member <id>', 'the id of the membership', uuidOf)
    .action((options: MemberOptions) =>
      invoke(options, async () => (await import('./teams.js')).removeMember),
    );
};
