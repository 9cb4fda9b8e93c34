import { Inject } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { type AlertEvent, type AlertRules } from '#events/alerts/alert.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  type AccountAlerts,
  accountAlerts,
} from '#projections/alerts/account-alerts.projection.js';
import { type AlertCommand, type AlertsState } from './alerts.decider.js';

export type AlertRunner = CommandRunner<AlertCommand, AlertsState, AlertEvent>;
export const ALERTS = Symbol('Alerts');

const alertStream = (accountId: string): string => `alerts-${accountId}`;

type Change =
  | {
      readonly type: 'SetAlertRules';
      readonly data: { readonly rules: AlertRules };
      readonly isOperator: boolean;
    }
  | {
      readonly type: 'RaiseAlert';
      readonly data: Pick<Extract<AlertCommand, { type: 'RaiseAlert' }>['data'], 'alert'>;
    };

/** Replaces the rules of an account, or raises an alert that they ask for. */
export class ChangeAlertsCommand extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly change: Change,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ChangeAlertsCommand)
export class ChangeAlertsHandler implements ICommandHandler<ChangeAlertsCommand> {
  constructor(
    @Inject(ALERTS) private readonly runner: AlertRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ accountId, change, context }: ChangeAlertsCommand): Promise<void> {
    const at = instant(this.clock);
    const command: AlertCommand =
      change.type === 'SetAlertRules'
        ? { ...change, data: { accountId, ...change.data, setAt: at } }
        : { ...change, data: { accountId, ...change.data, raisedAt: at } };
    await this.runner.run(alertStream(accountId), command, context);
  }
}

/** The rules of an account, and its last alerts. */
export class AlertsQuery extends Query<{
  readonly alerts: AccountAlerts;
  readonly position: bigint;
}> {
  constructor(
    readonly accountId: string,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(AlertsQuery)
export class AlertsHandler implements IQueryHandler<AlertsQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>) {}

  async execute({ accountId, asOf }: AlertsQuery) {
    const reader = await this.projections.at(asOf);
    const { document, position } = await reader.get(accountAlerts, accountId);
    return { alerts: document ?? accountAlerts.initial(accountId), position };
  }
}
