import { createPublicKey } from 'node:crypto';
import path from 'node:path';
import { type Logger } from 'pino';
import { DTN_SETTINGS, type DtnSettings } from '#areas/dtn/dtn.settings.js';
import { systemTimers, type Timers } from '#engines/convergence/timers.js';
import { createLanguageModelEngine } from '#engines/language-model/language-model.engine.js';
import { rawPublicKeyOf } from '#platform/secrets/ed25519.js';
import { createFolder } from '#platform/files/create-folder.js';
import { SettingsError } from '#platform/runtime/areas/settings.js';
import { type Settings } from '../composition/settings.js';
import { BundleNode } from '../dtn-node/bundle-node.js';
import { NodePlan } from '../dtn-node/node-plan.js';
import { NodeStore } from '../dtn-node/node-store.js';
import { nodeKeyOf, RemoteChats } from '../dtn-node/remote-chats.js';

export interface StartedNode {
  readonly node: string;
  /** Of its receipts, in base64url. */
  readonly publicKey: string;
  readonly port: number | null;
  stop(): Promise<void>;
}

const FILE = 'dtn-node.db';
/** The model that ships with Quipu. */
const MODEL_FILE = path.resolve(import.meta.dirname, '../../../models/nano.gguf');

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
  await createFolder(home);
  const store = new NodeStore(path.join(home, FILE));
  const plan = new NodePlan(settings.planFile);
  const key = nodeKeyOf(home);
  const engine = createLanguageModelEngine();
  const { grantKey } = settings;
  const parts = { key, store, engine, modelFile: MODEL_FILE, now: timers.now, logger };
  const chats = grantKey && new RemoteChats({ node: settings.node, grantKey, ...parts });
  const serve = chats?.serve ?? null;
  const node = new BundleNode({ settings, store, plan, timers, logger, serve });
  try {
    await node.start();
  } catch (error) {
    await store.close();
    throw error;
  }
  const stop = async (): Promise<void> => {
    await node.stop();
    await engine.close();
    await store.close();
  };
  const publicKey = rawPublicKeyOf(createPublicKey(key)).toString('base64url');
  return { node: settings.node, publicKey, port: node.port, stop };
};
