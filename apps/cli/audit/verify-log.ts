import { AUDIT_SETTINGS, type AuditSettings } from '#areas/audit/audit.settings.js';
import { logSignerOf } from '#areas/audit/log-signer.js';
import { type Checkpoint, verifyCheckpoint } from '#platform/audit/checkpoint.js';
import { NoteError } from '#platform/audit/signed-note.js';
import { TreeCheck, type TreeReport } from '#platform/audit/tree-check.js';
import { describeDamage } from '#platform/event-store/event-store.errors.js';
import { EXIT } from '../exit-code.js';
import { type Installation, withInstallation } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withProgress } from '../progress.js';

/** The last published checkpoint, as far as it can be read. */
interface Published {
  readonly checkpoint: Checkpoint | null;
  /** Why the stored checkpoint is not one of this log, or null. */
  readonly fault: string | null;
}

/** Checks the log against its tree and its last checkpoint. A server may be running. */
export const verifyLog = (_: CommonOptions, invocation: Invocation): Promise<Outcome> =>
  withInstallation(invocation, 'exists', async (installation) => {
    const { eventStore, readStore } = installation.engines;
    const published = await publishedOf(installation);
    // Read after the checkpoint, which covers no event that is not in the log.
    const upTo = await eventStore.head();
    const checkpoints = published.checkpoint ? [published.checkpoint] : [];
    const check = new TreeCheck(eventStore, readStore);
    const report = await withProgress(invocation, 'Verifying the log', (onProgress) =>
      check.check({ upTo, checkpoints, onProgress: (position) => onProgress(position, upTo) }),
    );
    return outcomeOf(report, published);
  });

const publishedOf = async ({ engines, settings }: Installation): Promise<Published> => {
  const last = await engines.checkpoints.last();
  if (!last) return { checkpoint: null, fault: null };
  const { origin } = settings.ofAreas.get(AUDIT_SETTINGS) as AuditSettings;
  try {
    const { key } = logSignerOf(engines.secrets, origin);
    return { checkpoint: verifyCheckpoint(last.note, key), fault: null };
  } catch (error) {
    if (!(error instanceof NoteError)) throw error;
    return { checkpoint: null, fault: error.message };
  }
};

const outcomeOf = (report: TreeReport, published: Published): Outcome => {
  const faults = faultsOf(report, published);
  const verified = faults.length === 0;
  const verdict = verified
    ? { verified }
    : { success: false, code: 'log_not_verified', message: faults.join('; '), verified };
  return {
    json: { ...verdict, ...figuresOf(report, published) },
    text: textOf(report, published, faults),
    exitCode: verified ? EXIT.done : EXIT.failed,
  };
};

const faultsOf = (report: TreeReport, { fault }: Published): readonly string[] => {
  const { firstDifference: first, damaged, damagedTiles, contradicted } = report;
  const others = damaged.length - (first ? 1 : 0);
  return [
    ...(first ? [`leaf ${first.leaf} differs: ${describeDamage(first)}`] : []),
    ...(others > 0 ? [`${others} ${first ? 'more ' : ''}events are damaged`] : []),
    ...damagedTiles.map((key) => `the hashes of tile ${key} do not add up`),
    ...contradicted.map(
      ({ size }) => `the log contradicts the published checkpoint of ${size} leaves`,
    ),
    ...(fault === null ? [] : [`the published checkpoint belongs to another log: ${fault}`]),
  ];
};

const figuresOf = (report: TreeReport, { checkpoint }: Published): Outcome['json'] => ({
  events: report.events,
  leaves: report.leaves,
  position: report.position.toString(),
  root: report.hash,
  checkpoint: checkpoint && {
    origin: checkpoint.origin,
    size: checkpoint.size,
    root: checkpoint.root.toString('hex'),
  },
  first_difference: report.firstDifference && {
    leaf: report.firstDifference.leaf,
    position: report.firstDifference.position.toString(),
    stream: report.firstDifference.stream,
    reason: report.firstDifference.reason,
  },
  damaged: report.damaged.map(({ position, stream, reason }) => ({
    position: position.toString(),
    stream,
    reason,
  })),
  damaged_tiles: report.damagedTiles,
});

const textOf = (report: TreeReport, { checkpoint }: Published, faults: readonly string[]): string =>
  [
    faults.length === 0 ? 'The log is verified.' : 'The log is NOT verified.',
    `  events      ${report.events}`,
    `  leaves      ${report.leaves}, root ${report.hash ?? 'none'}`,
    checkpoint === null
      ? '  checkpoint  none was published'
      : `  checkpoint  ${checkpoint.size} leaves of ${checkpoint.origin}`,
    ...faults.map((fault) => `  fault: ${fault}`),
  ].join('\n');
