import { CheckLedgerQuery, type LedgerReport } from '#areas/billing/check-ledger.handler.js';
import { describeDamage } from '#platform/event-store/event-store.errors.js';
import { inUsd, toDecimal } from '#platform/kernel/money.js';
import { accountOverview } from '#projections/billing/account-overview.projection.js';
import { stopIfInterrupted } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { openProgress } from '../progress.js';
import { withQuipu } from '../quipu.context.js';

export const checkLedger = async (_: CommonOptions, invocation: Invocation): Promise<Outcome> => {
  const needs = {
    areas: ['billing'],
    installation: 'exists',
    projections: [accountOverview],
    // A damaged log stops the read model: the check says so, and lists what is damaged.
    onStopped: 'go-on',
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

const verdictOf = (report: LedgerReport): Outcome['json'] => {
  const { balanced } = report;
  if (balanced) return { balanced };
  return { success: false, code: codeOf(report), message: messageOf(report), balanced };
};

/** The gravest first: the figures of a damaged log prove nothing. */
const codeOf = ({ damaged, faults }: LedgerReport): string => {
  if (damaged.length > 0) return 'log_damaged';
  return faults.length > 0 ? 'ledger_not_balanced' : 'read_model_not_comparable';
};

const messageOf = ({ damaged, faults, readModelFailure }: LedgerReport): string => {
  const parts = [
    ...(damaged.length > 0 ? [`the log has ${damaged.length} damaged events`] : []),
    ...(faults.length > 0 ? [`the ledger has ${faults.length} faults`] : []),
    ...(readModelFailure === null
      ? []
      : [`the read model cannot be compared: ${readModelFailure}`]),
  ];
  return parts.join('; ');
};

const figuresOf = (report: LedgerReport): Outcome['json'] => ({
  accounts: report.accounts,
  events: report.events,
  position: report.position.toString(),
  deposited_micro_usd: toDecimal(report.deposited),
  charged_micro_usd: toDecimal(report.charged),
  held_micro_usd: toDecimal(report.held),
  adjusted_micro_usd: toDecimal(report.adjusted),
  available_micro_usd: toDecimal(report.available),
  faults: report.faults.map(({ accountId, position, law }) => ({
    account_id: accountId,
    position,
    law,
  })),
  damaged: report.damaged.map(({ position, stream, reason }) => ({
    position: position.toString(),
    stream,
    reason,
  })),
  chain: report.chain,
});

const textOf = (report: LedgerReport): string => {
  const { balanced, accounts, events, position, faults, damaged, chain } = report;
  const verdict = balanced ? 'The ledger balances.' : `The ledger fails: ${messageOf(report)}.`;
  return [
    `${verdict} ${accounts} accounts, ${events} events, up to position ${position}.`,
    `  deposited   ${inUsd(report.deposited)}`,
    `  charged     ${inUsd(report.charged)}`,
    `  held        ${inUsd(report.held)}`,
    `  adjusted    ${inUsd(report.adjusted)}`,
    `  available   ${inUsd(report.available)}`,
    chain === null
      ? '  chain       none is kept with this log'
      : `  chain       ${chain.events} events checked, ends with ${chain.hash ?? 'nothing'}`,
    ...damaged.map((one) => `  damaged: ${describeDamage(one)}`),
    ...faults.map(
      (fault) => `  fault: account ${fault.accountId} at position ${fault.position}: ${fault.law}`,
    ),
  ].join('\n');
};
