import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type Logger } from 'pino';
import { DTN_SETTINGS, type DtnSettings } from '#areas/dtn/dtn.settings.js';
import { systemTimers, type Timers } from '#engines/convergence/timers.js';
import { SettingsError } from '#platform/runtime/areas/settings.js';
import { type Settings } from '../composition/settings.js';
import { BundleNode } from '../dtn-node/bundle-node.js';
import { NodePlan } from '../dtn-node/node-plan.js';
import { NodeStore } from '../dtn-node/node-store.js';

export interface StartedNode {
  readonly node: string;
  readonly port: number | null;
  stop(): Promise<void>;
}

const FILE = 'dtn-node.db';

/** A node of the delay-tolerant network on its own: no log, no gateway, one SQLite file. */
export const startDtnNode = async (
  { home, ofAreas }: Pick<Settings, 'home' | 'ofAreas'>,
  logger: Logger,
  timers: Timers = systemTimers,
): Promise<StartedNode> => {
  const settings = ofAreas.get(DTN_SETTINGS) as DtnSettings;
  if (settings.peers.size === 0) {
    throw new SettingsError('bad settings\n  QUIPU_DTN_PEERS: required by this process');
  }
  await mkdir(home, { recursive: true, mode: 0o700 });
  const store = new NodeStore(path.join(home, FILE));
  const plan = new NodePlan(settings.planFile);
  const node = new BundleNode({ settings, store, plan, timers, logger, serve: null });
  try {
    await node.start();
  } catch (error) {
    await store.close();
    throw error;
  }
  const stop = async (): Promise<void> => {
    await node.stop();
    await store.close();
  };
  return { node: settings.node, port: node.port, stop };
};
