import { type Readable } from 'node:stream';
import { type VerifiedCheckpoint } from '#platform/audit/checkpoint.js';
import { Frontier } from '#platform/audit/frontier.js';
import { isConsistent, leafHashOf, nodesOf } from '#platform/audit/merkle.js';
import { decodeEvent } from '../proof/decoded-event.js';
import { demand } from '../proof/proof.error.js';
import { type Trust, trusted, trustedCheckpoint, untrusted } from '../proof/trusted-checkpoint.js';
import { type ArchiveHeader, readArchive } from './archive-file.js';

export interface ArchiveReport {
  readonly first: number;
  readonly end: number;
  readonly events: number;
  readonly origin: string;
  /** Of the checkpoint. */
  readonly size: number;
  /** Of the log before the range and at its end, in hexadecimal: archives chain by them. */
  readonly rootBefore: string;
  readonly root: string;
  readonly proved: readonly string[];
  readonly notProved: readonly string[];
}

/**
 * Proves that the events of an archive are a range of the log, whole and in its order.
 * @throws ProofError with the reason
 */
export const verifyArchive = async (file: Readable, trust: Trust = {}): Promise<ArchiveReport> => {
  const { header, encodings } = await readArchive(file);
  const checkpoint = trustedCheckpoint(header, trust);
  const tree = frontierOf(header);
  const rootBefore = tree.root();
  for await (const encoding of encodings) {
    decodeEvent(encoding);
    tree.push(leafHashOf(encoding));
  }
  demand(tree.root().equals(header.root), 'the events have another root than the header says');
  demandBeginningOf(checkpoint, header);
  return reportOf(header, checkpoint, rootBefore, trust);
};

const frontierOf = ({ first, edge }: ArchiveHeader): Frontier => {
  const subtrees = nodesOf({ begin: 0, end: first }).length;
  demand(edge.length === subtrees, `a tree of ${first} leaves has ${subtrees} complete subtrees`);
  return new Frontier(first, edge);
};

const demandBeginningOf = (
  { size, root }: VerifiedCheckpoint,
  { end, root: oldRoot, consistency: proof }: ArchiveHeader,
): void =>
  demand(
    isConsistent({ oldSize: end, oldRoot, size, root, proof }),
    'the log of the checkpoint does not begin with these events',
  );

const reportOf = (
  { first, end, root }: ArchiveHeader,
  checkpoint: VerifiedCheckpoint,
  rootBefore: Buffer,
  trust: Trust,
): ArchiveReport => ({
  first,
  end,
  events: end - first,
  origin: checkpoint.origin,
  size: checkpoint.size,
  rootBefore: rootBefore.toString('hex'),
  root: root.toString('hex'),
  proved: [
    ...trusted(checkpoint),
    `the events are the leaves ${first} to ${end - 1} of that log, whole and in its order`,
  ],
  notProved: [
    ...untrusted(checkpoint, trust),
    'balances and statements: import the log and run quipu ledger check',
  ],
});

/** For people, without the final line break. */
export const describeArchive = (report: ArchiveReport): string =>
  [
    `The archive of ${report.events} events of ${report.origin} is proved.`,
    `  leaves       ${report.first} to ${report.end - 1}`,
    `  root before  ${report.rootBefore}`,
    `  root after   ${report.root}`,
    `  checkpoint   ${report.size} events`,
    'Proved:',
    ...report.proved.map((one) => `  + ${one}`),
    'Not proved:',
    ...report.notProved.map((one) => `  - ${one}`),
  ].join('\n');
