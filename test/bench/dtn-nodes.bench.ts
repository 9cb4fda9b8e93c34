/**
 * Bundles through two nodes with custody: `npm run dtn-nodes`. One node sends over TCPCLv4 at
 * 127.0.0.1, the other stores each bundle on its disk and reports it, and the report comes back.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { BundleNode } from '../../apps/dtn-node/bundle-node.js';
import { NodePlan } from '../../apps/dtn-node/node-plan.js';
import { NodeStore } from '../../apps/dtn-node/node-store.js';
import { type DtnSettings } from '../../libs/areas/dtn/dtn.settings.js';
import {
  type Bundle,
  BUNDLE_FLAGS,
  bundleKeyOf,
  dtnTimeOf,
} from '../../libs/engines/bundles/bundle.js';
import { encodeBundle } from '../../libs/engines/bundles/bundle.codec.js';
import { systemTimers } from '../../libs/engines/convergence/timers.js';
import { freePorts } from '../servers/server-process.js';

const BUNDLES = 2_000;
const PAYLOAD_BYTES = 1_024;
const LIFETIME_MS = 3_600_000;
const HOST = '127.0.0.1';
const MS_PER_SECOND = 1_000;

const folder = mkdtempSync(path.join(tmpdir(), 'quipu-dtn-bench-'));
const planFile = path.join(folder, 'plan.json');
const now = Date.now();
const times = {
  starts_at: new Date(now - LIFETIME_MS).toISOString(),
  ends_at: new Date(now + LIFETIME_MS).toISOString(),
  bits_per_second: 10_000_000_000,
};
writeFileSync(
  planFile,
  JSON.stringify([
    { from: 'dtn://near/', to: 'dtn://far/', ...times },
    { from: 'dtn://far/', to: 'dtn://near/', ...times },
  ]),
);
const [nearPort = 0, farPort = 0] = await freePorts(2);

const nodeOf = (name: string, port: number, peer: string, peerPort: number) => {
  const settings: DtnSettings = {
    ...{ node: `dtn://${name}/`, bundlesMax: 1, bytesMax: 1_000_000_000, planFile },
    peers: new Map([[`dtn://${peer}/`, { host: HOST, port: peerPort }]]),
    ...{ listen: { host: HOST, port }, tls: null, nodeKeys: new Map(), grantKey: null },
  };
  const store = new NodeStore(path.join(folder, `${name}.db`));
  const logger = pino({ level: 'silent' });
  const plan = new NodePlan(planFile);
  const node = new BundleNode({ settings, store, plan, timers: systemTimers, logger, serve: null });
  return { store, node };
};

const near = nodeOf('near', nearPort, 'far', farPort);
const far = nodeOf('far', farPort, 'near', nearPort);
const bundles = Array.from({ length: BUNDLES }, (_, sequence): Bundle => ({
  primary: {
    ...{ flags: BUNDLE_FLAGS.reportReception, crcType: 2, destination: 'dtn://far/in' },
    ...{ source: 'dtn://near/out', reportTo: 'dtn://near/reports', fragment: null },
    ...{ created: { timeMs: dtnTimeOf(now), sequence }, lifetimeMs: LIFETIME_MS },
  },
  blocks: [{ type: 1, number: 1, flags: 0, crcType: 2, data: new Uint8Array(PAYLOAD_BYTES) }],
}));
await Promise.all(
  bundles.map((bundle) => {
    const content = encodeBundle(bundle);
    const kept = { key: bundleKeyOf(bundle), destination: 'dtn://far/in', bytes: content.length };
    const state = { expiresMs: now + LIFETIME_MS, state: 'waiting', event: 'stored' } as const;
    return near.store.add([{ ...kept, ...state, content, detail: '' }], now);
  }),
);
await far.node.start();
const started = performance.now();
await near.node.start();
while (near.store.count('delivered') < BUNDLES) {
  await new Promise((resolve) => setTimeout(resolve, 50));
}
const seconds = (performance.now() - started) / MS_PER_SECOND;
console.log(`bundles through two nodes with custody: ${Math.round(BUNDLES / seconds)} a second`);
await near.node.stop();
await far.node.stop();
await near.store.close();
await far.store.close();
rmSync(folder, { recursive: true });
