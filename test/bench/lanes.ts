import path from 'node:path';
import { type BenchOptions, type Part } from './bench-options.js';
import { checkFloor, freshFloor } from './floor.peer.js';
import { LITELLM_KEY, litellmProgram } from './litellm.peer.js';
import { UPSTREAM_MODEL } from './load/workload.js';
import { type PeerProcess, type PeerProgram, startPeer } from './peer-process.js';
import { installPortkey, portkeyHeaders, portkeyProgram } from './portkey.peer.js';
import { checkLedger, freshQuipuHome, openAccounts, QUIPU_MODEL, startOnce } from './quipu.peer.js';
import { startFleet } from './quipu-fleet.peer.js';

export const LANES = [
  'mock',
  'bare',
  'floor',
  'portkey',
  'litellm',
  'quipu',
  'quipu-hot',
  'quipu-fleet',
] as const;
export type LaneName = (typeof LANES)[number];

/** One row of the tables: a running peer and how it is asked. */
export interface Lane {
  readonly name: LaneName;
  readonly peer: PeerProcess;
  readonly model: string;
  readonly apiKeys: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Processes that work for the peer, their CPU being part of the total cost of a request. */
  readonly behindPids: readonly number[];
  /** Where the process that runs its projections tells how far they are; null without any. */
  readonly projectionsUrl: string | null;
}

/** Lanes of one peer. */
export interface LaneGroup {
  readonly lanes: readonly Lane[];
  /** Throws unless the books hold these answers and nothing else; null where there are none. */
  readonly checkBooks: ((answers: number) => Promise<void> | void) | null;
  readonly stop: () => Promise<void>;
}

export interface StartUp {
  readonly name: string;
  readonly startUpMs: number;
  readonly rssAtReadyBytes: number;
}

const peerScript = (name: string): string => path.join(import.meta.dirname, 'peers', name);

const ownProgram = (
  name: string,
  script: string,
  environment: Readonly<Record<string, string>>,
): PeerProgram => ({
  name,
  args: () => [peerScript(script)],
  environment,
  readyPath: '/v1/models',
});

export const mockProgram = ownProgram('mock', 'mock-upstream.js', {});

export const bareProgram = (upstreamPort: number): PeerProgram =>
  ownProgram('bare', 'bare-proxy.js', { UPSTREAM_PORT: String(upstreamPort) });

/** A server asked over HTTP, started again in each round to measure its start. */
const STARTED = [
  'mock',
  'bare',
  'floor',
  'portkey',
  'litellm',
  'quipu',
] as const satisfies readonly Part[];
type StartedPart = (typeof STARTED)[number];

/** A fresh home for each start of Quipu, so that its first start is measured. */
const programOf = async (
  part: StartedPart,
  { directory, litellm }: BenchOptions,
  upstreamPort: number,
): Promise<PeerProgram> => {
  switch (part) {
    case 'mock':
      return mockProgram;
    case 'bare':
      return bareProgram(upstreamPort);
    case 'floor':
      return (await freshFloor(directory, upstreamPort)).program;
    case 'portkey':
      await installPortkey();
      return portkeyProgram;
    case 'litellm':
      return litellmProgram(litellm ?? 'litellm', directory, upstreamPort);
    case 'quipu':
      return (await freshQuipuHome(directory, upstreamPort)).program;
  }
};

export const asksGateways = ({ parts }: BenchOptions): boolean =>
  parts.has('fleet') || STARTED.some((part) => parts.has(part));

/** Starts and stops each peer once per round, in turn. */
export const measureStartUps = async (
  options: BenchOptions,
  upstreamPort: number,
): Promise<readonly StartUp[]> => {
  const startUps: StartUp[] = [];
  for (let round = 1; round <= options.rounds; round += 1)
    for (const part of STARTED.filter((one) => options.parts.has(one))) {
      const program = await programOf(part, options, upstreamPort);
      const { startUpMs, rssAtReadyBytes, stop } = await startPeer(program, options.directory);
      await stop();
      startUps.push({ name: part, startUpMs, rssAtReadyBytes });
    }
  return startUps;
};

const ANY_KEY = ['sk-bench'];
const KEEPS_NO_BOOKS = { behindPids: [], projectionsUrl: null } as const;

const readyUrlOf = ({ port }: PeerProcess): string => `http://127.0.0.1:${port}/health/ready`;

const quipuLanes = async (
  { directory, accounts }: BenchOptions,
  upstreamPort: number,
): Promise<LaneGroup> => {
  const home = await freshQuipuHome(directory, upstreamPort);
  await startOnce(home);
  const { hot, many } = await openAccounts(home, accounts);
  const peer = await startPeer(home.program, directory);
  const projectionsUrl = readyUrlOf(peer);
  const lane = { peer, model: QUIPU_MODEL, headers: {}, behindPids: [], projectionsUrl };
  const lanes: readonly Lane[] = [
    { ...lane, name: 'quipu', apiKeys: many },
    { ...lane, name: 'quipu-hot', apiKeys: [hot] },
  ];
  return { lanes, checkBooks: (answers) => checkLedger(home, answers), stop: peer.stop };
};

const fleetLane = async (
  { directory, accounts }: BenchOptions,
  upstreamPort: number,
): Promise<LaneGroup> => {
  const { home, gateway, eventStore, projector, stop } = await startFleet(directory, upstreamPort);
  const { many } = await openAccounts(home, accounts);
  const lane: Lane = {
    name: 'quipu-fleet',
    peer: gateway,
    model: QUIPU_MODEL,
    apiKeys: many,
    headers: {},
    behindPids: [eventStore.pid, projector.pid],
    projectionsUrl: readyUrlOf(projector),
  };
  return { lanes: [lane], checkBooks: (answers) => checkLedger(home, answers), stop };
};

const lanesOf = async (
  part: StartedPart,
  options: BenchOptions,
  upstream: PeerProcess,
): Promise<LaneGroup> => {
  if (part === 'quipu') return quipuLanes(options, upstream.port);
  const asked = { ...KEEPS_NO_BOOKS, name: part, model: UPSTREAM_MODEL, apiKeys: ANY_KEY };
  if (part === 'mock') {
    // Its starter stops it: the other lanes use it, too.
    const stop = (): Promise<void> => Promise.resolve();
    return { lanes: [{ ...asked, peer: upstream, headers: {} }], checkBooks: null, stop };
  }
  if (part === 'floor') {
    const { program, logPath } = await freshFloor(options.directory, upstream.port);
    const peer = await startPeer(program, options.directory);
    const checkBooks = (answers: number): void => checkFloor(logPath, answers);
    return { lanes: [{ ...asked, peer, headers: {} }], checkBooks, stop: peer.stop };
  }
  const program = await programOf(part, options, upstream.port);
  const peer = await startPeer(program, options.directory);
  const headers = part === 'portkey' ? portkeyHeaders(upstream.port) : {};
  const apiKeys = part === 'litellm' ? [LITELLM_KEY] : ANY_KEY;
  return { lanes: [{ ...asked, peer, apiKeys, headers }], checkBooks: null, stop: peer.stop };
};

/** All peers up at once: they idle, at no cost, while another is measured. */
export const openLanes = async (
  options: BenchOptions,
  upstream: PeerProcess,
): Promise<readonly LaneGroup[]> => {
  const groups: LaneGroup[] = [];
  for (const part of STARTED)
    if (options.parts.has(part)) groups.push(await lanesOf(part, options, upstream));
  if (options.parts.has('fleet')) groups.push(await fleetLane(options, upstream.port));
  return groups;
};
