import { EXIT } from '../exit-code.js';
import { CommandFailure } from '../command-failure.js';
import { settingsOf } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { inColumns } from '../table.js';
import { type Settings } from '../../composition/settings.js';
import { failed, type Finding, ok } from './finding.js';
import { homeFindings } from './home.findings.js';
import { logFindings } from './log.findings.js';
import { rigFindings } from './rig.findings.js';
import { storeFindings } from './store.findings.js';

/** A server may be running. Nothing is created: an installation begins with its server. */
export const examineInstallation = async (
  _: CommonOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const findings = await findingsOf(invocation);
  const isHealthy = findings.every(({ state }) => state !== 'failed');
  return {
    json: { healthy: isHealthy, findings },
    text: textOf(findings),
    ...(!isHealthy && { exitCode: EXIT.failed }),
  };
};

const findingsOf = async (invocation: Invocation): Promise<readonly Finding[]> => {
  const settings = settingsOr(invocation);
  if ('state' in settings) return [settings];
  const home = await homeFindings(settings);
  const log = await logFindings(settings);
  // Each part that follows needs the log and its key, which opening the stores would create.
  const isThere =
    log.every(({ state }) => state !== 'failed') &&
    log.some(({ part, state }) => part === 'secrets' && state === 'ok');
  return [
    ok('settings', 'each is valid'),
    ...home,
    ...log,
    ...(isThere ? await storeFindings(settings, invocation) : []),
    ...(await rigFindings(invocation)),
  ];
};

const settingsOr = ({ environment, parts }: Invocation): Settings | Finding => {
  try {
    return settingsOf(environment, parts?.areas);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return failed('settings', error.message, 'correct the variable; SETTINGS.md describes it');
  }
};

const textOf = (findings: readonly Finding[]): string => {
  const rows = findings.map(({ part, state, detail }) => [state, part, detail]);
  const remedies = findings.flatMap(({ part, remedy }) =>
    remedy === null ? [] : [`  ${part}: ${remedy}`],
  );
  return [inColumns(rows), ...(remedies.length > 0 ? ['Remedies:', ...remedies] : [])].join('\n');
};
