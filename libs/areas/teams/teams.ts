import { Inject, Injectable } from '@nestjs/common';
import { type TeamEvent } from '#events/teams/team.events.js';
import { isTeamId } from '#events/teams/team.vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type TeamCommand, type TeamState } from './team.decider.js';
import { reject } from './teams.errors.js';

export type TeamRunner = CommandRunner<TeamCommand, TeamState, TeamEvent>;
export const TEAM_RUNNER = Symbol('TeamRunner');

type Created = NonNullable<TeamState['team']>;

/** A team that was created, with its members. */
export interface KnownTeam extends TeamState {
  readonly team: Created;
  /** The log position that this reflects. */
  readonly position: bigint;
}

/** The streams of teams, each named by the id of its team. */
@Injectable()
export class Teams {
  constructor(@Inject(TEAM_RUNNER) private readonly runner: TeamRunner) {}

  async change(command: TeamCommand, context: CommandContext): Promise<readonly TeamEvent[]> {
    const { events } = await this.runner.run(command.data.teamId, command, context);
    return events;
  }

  /** @throws DomainError `team_not_found` */
  async find(teamId: string): Promise<KnownTeam> {
    if (!isTeamId(teamId)) return notFound(teamId);
    const { state, position } = await this.runner.stateOf(teamId);
    const { team } = state;
    return team ? { ...state, team, position } : notFound(teamId);
  }

  /** The accounts above the team, the nearest first. */
  async accountsAbove({ parentId }: Pick<Created, 'parentId'>): Promise<readonly string[]> {
    if (!isTeamId(parentId)) return [parentId];
    const { team } = await this.find(parentId);
    return [parentId, ...(await this.accountsAbove(team))];
  }
}

const notFound = (teamId: string): never =>
  reject('team_not_found', `team_id: there is no team ${teamId} that the caller may see`);
