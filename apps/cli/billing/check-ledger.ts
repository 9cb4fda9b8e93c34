import { existsSync } from 'node:fs';
import path from 'node:path';
import { CheckLedgerQuery, type LedgerReport } from '#areas/billing/check-ledger.handler.js';
import { describeDamage } from '#platform/event-store/event-store.errors.js';
import { inUsd, toDecimal } from '#platform/kernel/money.js';
import { accountOverview } from '#projections/billing/account-overview.projection.js';
import { spend } from '#projections/requests/spend.projection.js';
import { checkSqliteFile } from '#platform/sqlite/sqlite-check.js';
import { embeddedStoresOf } from '../../composition/embedded-stores.js';
import { CommandFailure } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { expectLog, settingsOf } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withProgress } from '../progress.js';
import { withQuipu } from '../quipu.context.js';

export interface CheckLedgerOptions extends CommonOptions {
  /** Also whether the indexes of every file have what their tables have. */
  readonly full?: boolean;
}

export const checkLedger = async (
  { full = false }: CheckLedgerOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  // Before the log is opened, which a damaged file may prevent.
  const fileFaults = await fileFaultsOf(invocation, full);
  const needs = {
    areas: ['billing', 'identity', 'requests'],
    installation: 'exists',
    projections: [accountOverview, spend],
    // A damaged log stops the read model: the check says so, and lists what is damaged.
    onStopped: 'go-on',
  } as const;
  const checking = withQuipu(invocation, needs, ({ queries }) =>
    withProgress(invocation, 'Checking the ledger', (onProgress) =>
      queries.execute(new CheckLedgerQuery(onProgress)),
    ),
  );
  const report = await checking.catch((cause: unknown) => {
    if (fileFaults.length === 0) throw cause;
    const message = `SQLite finds faults in a file: ${fileFaults.join('; ')}`;
    throw new CommandFailure('file_damaged', message, EXIT.failed, { cause });
  });
  const checked = { ...report, fileFaults };
  const isSound = report.balanced && fileFaults.length === 0;
  return {
    json: {
      ...(isSound ? {} : { success: false, code: codeOf(checked), message: messageOf(checked) }),
      balanced: report.balanced,
      ...figuresOf(checked),
    },
    text: textOf(checked, isSound),
    exitCode: isSound ? EXIT.done : EXIT.failed,
  };
};

interface CheckedLedger extends LedgerReport {
  /** The faults that SQLite finds in the files of the installation. */
  readonly fileFaults: readonly string[];
}

const fileFaultsOf = async (
  { environment, parts }: Invocation,
  full: boolean,
): Promise<readonly string[]> => {
  const settings = settingsOf(environment, parts?.areas);
  await expectLog(settings);
  const stores = embeddedStoresOf(settings);
  const files = full ? Object.values(stores).filter((file) => existsSync(file)) : [stores.log];
  return files.flatMap((file) => {
    if (file === undefined) return [];
    const faults = checkSqliteFile(file, full ? 'full' : 'quick');
    return faults.map((fault) => `${path.basename(file)}: ${fault}`);
  });
};

/** The gravest first: the figures of a damaged log prove nothing. */
const codeOf = ({ damaged, faults, fileFaults }: CheckedLedger): string => {
  if (damaged.length > 0) return 'log_damaged';
  if (fileFaults.length > 0) return 'file_damaged';
  return faults.length > 0 ? 'ledger_not_balanced' : 'read_model_not_comparable';
};

const messageOf = (report: CheckedLedger): string => {
  const { damaged, faults, fileFaults, readModelFailure } = report;
  const parts = [
    ...(damaged.length > 0 ? [`the log has ${damaged.length} damaged events`] : []),
    ...(fileFaults.length > 0 ? [`SQLite finds faults in a file: ${fileFaults[0] ?? ''}`] : []),
    ...(faults.length > 0 ? [`the ledger has ${faults.length} faults`] : []),
    ...(readModelFailure === null
      ? []
      : [`the read model cannot be compared: ${readModelFailure}`]),
  ];
  return parts.join('; ');
};

const figuresOf = (report: CheckedLedger): Outcome['json'] => ({
  accounts: report.accounts,
  events: report.events,
  position: report.position.toString(),
  deposited_micro_usd: toDecimal(report.deposited),
  charged_micro_usd: toDecimal(report.charged),
  held_micro_usd: toDecimal(report.held),
  adjusted_micro_usd: toDecimal(report.adjusted),
  available_micro_usd: toDecimal(report.available),
  in_transit_micro_usd: toDecimal(report.inTransit),
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
  file_faults: report.fileFaults,
  chain: report.chain,
});

const textOf = (report: CheckedLedger, isSound: boolean): string => {
  const { accounts, events, position, faults, damaged, fileFaults, chain } = report;
  const verdict = isSound ? 'The ledger balances.' : `The ledger fails: ${messageOf(report)}.`;
  return [
    `${verdict} ${accounts} accounts, ${events} events, up to position ${position}.`,
    `  deposited   ${inUsd(report.deposited)}`,
    `  charged     ${inUsd(report.charged)}`,
    `  held        ${inUsd(report.held)}`,
    `  adjusted    ${inUsd(report.adjusted)}`,
    `  available   ${inUsd(report.available)}`,
    `  in transit  ${inUsd(report.inTransit)}`,
    chain === null
      ? '  chain       none is kept with this log'
      : `  chain       ${chain.events} events checked, ends with ${chain.hash ?? 'nothing'}`,
    ...fileFaults.map((fault) => `  file: ${fault}`),
    ...damaged.map((one) => `  damaged: ${describeDamage(one)}`),
    ...faults.map(
      (fault) => `  fault: account ${fault.accountId} at position ${fault.position}: ${fault.law}`,
    ),
  ].join('\n');
};
