import path from 'node:path';
import { UPSTREAM_MODEL } from './load/workload.js';
import { type BenchOptions, type Part } from './bench-options.js';
import { type PeerProcess, type PeerProgram, startPeer } from './peer-process.js';
import { installPortkey, portkeyHeaders, portkeyProgram } from './portkey.peer.js';
import { freshQuipuHome, openAccounts, QUIPU_MODEL } from './quipu.peer.js';

export type LaneName = 'mock' | 'bare' | 'journal' | 'portkey' | 'quipu' | 'quipu-hot';

/** One row of the tables: a running peer and how it is asked. */
export interface Lane {
  readonly name: LaneName;
  readonly peer: PeerProcess;
  readonly model: string;
  readonly apiKeys: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
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

type GatewayPart = Exclude<Part, 'event-store'>;

/** A fresh home for each start of Quipu, so its start-up is that of a stranger's first day. */
const programOf = async (
  part: GatewayPart,
  { directory }: BenchOptions,
  upstreamPort: number,
): Promise<PeerProgram> => {
  const upstream = { UPSTREAM_PORT: String(upstreamPort) };
  switch (part) {
    case 'mock':
      return mockProgram;
    case 'bare':
      return ownProgram('bare', 'bare-proxy.js', upstream);
    case 'journal':
      return ownProgram('journal', 'journaling-proxy.js', {
        ...upstream,
        JOURNAL: path.join(directory, 'journal.jsonl'),
      });
    case 'portkey':
      await installPortkey();
      return portkeyProgram;
    case 'quipu':
      return (await freshQuipuHome(directory, upstreamPort)).program;
  }
};

export const gatewayParts = ({ parts }: BenchOptions): readonly GatewayPart[] =>
  [...parts].filter((part) => part !== 'event-store');

/** Starts and stops each peer once per round, in turn. */
export const measureStartUps = async (
  options: BenchOptions,
  upstreamPort: number,
): Promise<readonly StartUp[]> => {
  const startUps: StartUp[] = [];
  for (let round = 1; round <= options.rounds; round += 1)
    for (const part of gatewayParts(options)) {
      const program = await programOf(part, options, upstreamPort);
      const { startUpMs, rssAtReadyBytes, stop } = await startPeer(program, options.directory);
      await stop();
      startUps.push({ name: part, startUpMs, rssAtReadyBytes });
    }
  return startUps;
};

const ANY_KEY = ['sk-bench'];

const quipuLanes = async (
  { directory, accounts }: BenchOptions,
  upstreamPort: number,
): Promise<readonly Lane[]> => {
  const home = await freshQuipuHome(directory, upstreamPort);
  const { hot, many } = await openAccounts(home, accounts);
  const peer = await startPeer(home.program, directory);
  const lane = { peer, model: QUIPU_MODEL, headers: {} };
  return [
    { ...lane, name: 'quipu', apiKeys: many },
    { ...lane, name: 'quipu-hot', apiKeys: [hot] },
  ];
};

const lanesOf = async (
  part: GatewayPart,
  options: BenchOptions,
  upstream: PeerProcess,
): Promise<readonly Lane[]> => {
  const asked = { model: UPSTREAM_MODEL, apiKeys: ANY_KEY };
  if (part === 'mock') return [{ ...asked, name: part, peer: upstream, headers: {} }];
  if (part === 'quipu') return quipuLanes(options, upstream.port);
  const program = await programOf(part, options, upstream.port);
  const peer = await startPeer(program, options.directory);
  const headers = part === 'portkey' ? portkeyHeaders(upstream.port) : {};
  return [{ ...asked, name: part, peer, headers }];
};

/** All peers up at once: they idle, at no cost, while another is measured. */
export const openLanes = async (
  options: BenchOptions,
  upstream: PeerProcess,
): Promise<readonly Lane[]> => {
  const lanes: Lane[] = [];
  for (const part of gatewayParts(options)) lanes.push(...(await lanesOf(part, options, upstream)));
  return lanes;
};
