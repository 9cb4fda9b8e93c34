import { CheckLedgerQuery, type LedgerReport } from '#areas/billing/check-ledger.handler.js';
import { toDecimal } from '#platform/kernel/money.js';
import { accountOverview } from '#projections/billing/account-overview.projection.js';
import { stopIfInterrupted } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { openProgress } from '../progress.js';
import { withQuipu } from '../quipu.context.js';
import { inUsd } from './usd.js';

export const checkLedger = async (_: CommonOptions, invocation: Invocation): Promise<Outcome> => {
  const needs = {
    areas: ['billing'],
    installation: 'exists',
    projections: [accountOverview],
  } as const;
  const report = await withQuipu(invocation, needs, async ({ queries }) => {
    const progress = await openProgress(invocation.stderr, 'Checking the ledger');
    const onProgress = (position: bigint, head: bigint): void => {
      stopIfInterrupted(invocation.signal);
      progress.update(position, head);
    };
    try {
      return await queries.execute(new CheckLedgerQuery(onProgress));
    } finally {
      progress.stop();
    }
  });
  return {
    json: { ...verdictOf(report), ...figuresOf(report) },
    text: textOf(report),
    exitCode: report.balanced ? EXIT.done : EXIT.failed,
  };
};

const verdictOf = ({ balanced, faults }: LedgerReport): Outcome['json'] =>
  balanced
    ? { balanced }
    : {
        success: false,
        code: 'ledger_not_balanced',
        message: `the ledger has ${faults.length} faults`,
        balanced,
      };

const figuresOf = (report: LedgerReport): Outcome['json'] => ({
  accounts: report.accounts,
  events: report.events,
  position: report.position.toString(),
  deposited_micro_usd: toDecimal(report.deposited),
  charged_micro_usd: toDecimal(report.charged),
  held_micro_usd: toDecimal(report.held),
  available_micro_usd: toDecimal(report.available),
  faults: report.faults.map(({ accountId, position, law }) => ({
    account_id: accountId,
    position,
    law,
  })),
});

const textOf = (report: LedgerReport): string => {
  const { balanced, accounts, events, position, faults } = report;
  const verdict = balanced
    ? 'The ledger balances.'
    : `The ledger does not balance: ${faults.length} faults.`;
  return [
    `${verdict} ${accounts} accounts, ${events} events, up to position ${position}.`,
    `  deposited   ${inUsd(report.deposited)}`,
    `  charged     ${inUsd(report.charged)}`,
    `  held        ${inUsd(report.held)}`,
    `  available   ${inUsd(report.available)}`,
    ...faults.map(
      (fault) => `  fault: account ${fault.accountId} at position ${fault.position}: ${fault.law}`,
    ),
  ].join('\n');
};
