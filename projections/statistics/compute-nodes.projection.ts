import { HoldCaptured } from '#events/billing/account.events.js';
import { RigCertified } from '#events/rigs/rig.events.js';
import { type WorkerReadings, WorkerSampled } from '#events/statistics/worker.events.js';
import { type Projection } from '#platform/kernel/projection.js';
import { rigsOf } from '../requests/rigs-of-charge.js';

export interface ComputeNode {
  /** When it last answered a charged request or a certification; null for never. */
  readonly workedAt: string | null;
  /** Its last report; null for never. */
  readonly reported: (WorkerReadings & { readonly isOnline: boolean }) | null;
  /** The later of both. */
  readonly seenAt: string;
}

type Event = HoldCaptured | RigCertified | WorkerSampled;

/** Workers and rigs may have the same names. */
export const nodeKey = (kind: 'rig' | 'worker', name: string): string => `${kind}/${name}`;

const keys = ({ type, data }: Event): readonly string[] => {
  switch (type) {
    case 'HoldCaptured':
      return rigsOf(data).map((rig) => nodeKey('rig', rig));
    case 'RigCertified':
      return data.measuredModel === null ? [] : [nodeKey('rig', data.rig)];
    case 'WorkerSampled':
      return [nodeKey('worker', data.node)];
  }
};

const later = (one: string | null, other: string): string =>
  one !== null && one > other ? one : other;

const worked = (node: ComputeNode, at: string): ComputeNode => ({
  workedAt: later(node.workedAt, at),
  reported: node.reported,
  seenAt: later(node.seenAt, at),
});

const project = ({ type, data }: Event, node: ComputeNode): ComputeNode => {
  switch (type) {
    case 'HoldCaptured':
      return worked(node, data.capturedAt);
    case 'RigCertified':
      return worked(node, data.measuredAt);
    case 'WorkerSampled': {
      const { node: _, sampledAt, ...reported } = data;
      return { ...node, reported, seenAt: later(node.seenAt, sampledAt) };
    }
  }
};

/** Which nodes compute, when did each last work, and what does it report of itself? */
export const computeNodes: Projection<Event, ComputeNode> = {
  name: 'compute-nodes',
  version: 1,
  on: { HoldCaptured, RigCertified, WorkerSampled },
  keys,
  initial: () => ({ workedAt: null, reported: null, seenAt: '' }),
  project,
};
