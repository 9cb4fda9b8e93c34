import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Alert, type AlertRules } from '#events/alerts/alert.events.js';
import { type Clock } from '#platform/kernel/clock.js';
import { fromDecimal } from '#platform/kernel/money.js';
import { type CommandSender } from '#platform/runtime/areas/leader-service.js';
import { PollingService } from '#platform/runtime/areas/polling-service.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { projectionPages } from '#platform/runtime/projections/all-documents.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, LOGGER, PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  type AccountAlerts,
  accountAlerts,
} from '#projections/alerts/account-alerts.projection.js';
import { accountOverview } from '#projections/billing/account-overview.projection.js';
import { chargesByMinute, chargesKey } from '#projections/billing/charges-by-minute.projection.js';
import { userKey, users } from '#projections/identity/users.projection.js';
import { type AccountFacts, alertsDue } from './alert-rules.js';
import { ALERT_SETTINGS, type AlertSettings } from './alerts.settings.js';
import { ChangeAlertsCommand } from './alerts.handlers.js';
import { DownRigs } from './down-rigs.js';
import { EndingKeys } from './ending-keys.js';

const HOUR_MS = 3_600_000;
const HOURS = 24;

/** Compares the rules of accounts with the facts, one account after the other. */
@Injectable()
export class AlertWatch extends PollingService {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list' | 'get'>,
    private readonly downRigs: DownRigs,
    private readonly endingKeys: EndingKeys,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) logger: Logger,
    @Inject(ALERT_SETTINGS) { pollMs }: AlertSettings,
  ) {
    const failed = 'the rules of alerts could not be examined; retrying';
    super({ name: 'alerts.watch', pauseMs: pollMs, failed }, logger);
  }

  /** Rigs are asked once in a look, and not without a rule that needs it. */
  protected override async look(sender: CommandSender, signal: AbortSignal): Promise<void> {
    let rigs: Promise<readonly Alert[]> | undefined;
    const rigsDown = () => (rigs ??= this.downRigs.look(signal));
    for await (const { documents } of projectionPages(this.projections, accountAlerts)) {
      for (const { document } of documents) {
        for (const alert of await this.#due(document, rigsDown)) {
          if (signal.aborted) return;
          const context = contextOf(randomUUID(), 'system:alerts');
          const change = { type: 'RaiseAlert', data: { alert } } as const;
          await sender.execute(new ChangeAlertsCommand(document.accountId, change, context));
        }
      }
    }
  }

  async #due(
    { accountId, rules }: AccountAlerts,
    rigsDown: () => Promise<readonly Alert[]>,
  ): Promise<readonly Alert[]> {
    const { keyEndsWithinDays: days } = rules;
    return [
      ...(hasMoneyRule(rules) ? alertsDue(rules, await this.#factsOf(accountId)) : []),
      ...(days === null ? [] : await this.endingKeys.within(accountId, days)),
      ...(rules.rigDown && (await this.#isOperator(accountId)) ? await rigsDown() : []),
    ];
  }

  async #isOperator(accountId: string): Promise<boolean> {
    const { document: user } = await this.projections.get(users, userKey(Number(accountId)));
    return user?.role === 'Admin' && user.status === 'active';
  }

  async #factsOf(accountId: string): Promise<AccountFacts> {
    const now = this.clock.now();
    const startOf = (hours: number): string =>
      chargesKey(accountId, new Date(now - hours * HOUR_MS).toISOString());
    const [overview, charges] = await Promise.all([
      this.projections.get(accountOverview, accountId),
      this.projections.list(chargesByMinute, {
        prefix: `${accountId}/`,
        from: startOf(HOURS),
        limit: HOURS * 60 + 1,
      }),
    ]);
    const charged = (from: string): bigint =>
      charges.documents
        .filter(({ key }) => key >= from)
        .reduce((sum, { document }) => sum + fromDecimal(document.charged), 0n);
    return {
      available: fromDecimal(overview.document?.available ?? '0'),
      chargedInHour: charged(startOf(1)),
      chargedInDay: charged(startOf(HOURS)),
    };
  }
}

const hasMoneyRule = (rules: AlertRules): boolean =>
  rules.balanceBelowMicroUsd !== null || rules.daysLeftBelow !== null || rules.spendAnomaly;
