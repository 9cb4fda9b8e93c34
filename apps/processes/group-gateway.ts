import cluster from 'node:cluster';
import { type InjectionToken } from '@nestjs/common';
import { type Logger } from 'pino';
import { Registry } from 'prom-client';
import { type LedgerCalls } from '#platform/ledger/remote/ledger.protocol.js';
import { RemoteLedger } from '#platform/ledger/remote/remote-ledger.js';
import { ProcessCalls } from '#platform/runtime/process/process-calls.js';
import { ProcessEvents } from '#platform/runtime/process/process-events.js';
import { ProjectorLink } from '#platform/runtime/projector/projector-link.js';
import { type ProjectorCalls } from '#platform/runtime/projector/projector.protocol.js';
import { batchedEndpoint } from '#platform/threads/batched-endpoint.js';
import { type Endpoint, ThreadCalls } from '#platform/threads/thread-calls.js';
import { type Settings } from '../composition/settings.js';
import { type SignInGate } from '../gateway/identity/sign-in-gate.js';
import { SignInThrottle } from '../gateway/identity/sign-in-throttle.js';
import { RequestRates } from '../gateway/identity/request-rates.js';
import { OperationsReports } from '../operations/operations-reports.js';
import { ProcessGroup } from '../operations/process-group.port.js';
import { Readiness } from '../operations/readiness.js';
import { type GroupGatewayCalls, type LeaderCalls } from './gateway-group.protocol.js';
import { type Gateway, startGateway } from './gateway.process.js';

/** How often a gateway reports the requests that it has counted. */
const COUNTED_EVERY_MS = 100;

type Leader = ThreadCalls<ProjectorCalls & LedgerCalls & LeaderCalls, GroupGatewayCalls>;

/** Starts a gateway in a process that `GatewayGroup` has forked. */
export const joinGroup = async (settings: Settings, logger: Logger): Promise<Gateway> => {
  const leader: Leader = new ThreadCalls(batchedEndpoint(leaderEndpoint), {});
  const link = new ProjectorLink('process');
  link.connect(leader, () => 0);
  const group: ProcessGroup = { metrics: () => leader.call('metrics', null) };
  const values = new Map<InjectionToken, unknown>([
    [ProcessGroup, group],
    [RemoteLedger, new RemoteLedger(leader)],
  ]);
  const options = { subscriptions: 'elsewhere', group: { link, values } } as const;
  const gateway = await startGateway(settings, logger, options);
  const { app, url, bootstrap } = gateway;
  const find = <Service>(type: abstract new (...args: never[]) => Service): Service =>
    app.get(type, { strict: false });
  const rates = find(RequestRates);
  find(Registry).setDefaultLabels({ process: `gateway-${settings.instance.split('.').at(-1)}` });
  find(SignInThrottle).share(attemptsOf(leader));
  const stopReporting = reportCounted(rates, leader);
  const processCalls = find(ProcessCalls);
  processCalls.connect((call) => leader.call('forward', call));
  leader.offer({
    counted: ({ accounts, keys }) => rates.countElsewhere(accounts, keys),
    reload: () => find(ProcessEvents).reload(),
    forwarded: (call) => processCalls.receive(call),
    reasons: async () => (await find(Readiness).parts()).flatMap(({ reasons }) => reasons),
    metrics: () => find(OperationsReports).values(),
  });
  leader.tell('listening', { url, bootstrap });
  const stop = (): Promise<void> => {
    stopReporting();
    return gateway.stop();
  };
  return { ...gateway, stop };
};

const leaderEndpoint: Endpoint = {
  postMessage: (message) => {
    if (process.connected) cluster.worker?.send(message as object);
  },
  on: (event, listener) => process.on(event, listener),
};

/** The leader counts the attempts of all gateways. Without it there are none. */
const attemptsOf = (leader: Leader): SignInGate => ({
  enter: (address) => leader.call('enterAttempt', address).catch(() => 'busy' as const),
  leave: (address, failed) => leader.tell('leaveAttempt', { address, failed }),
});

/** @returns ends the reports */
const reportCounted = (rates: RequestRates, leader: Leader): (() => void) => {
  let accounts = new Map<string, number>();
  let keys = new Map<string, number>();
  rates.share((account, key) => {
    accounts.set(account, (accounts.get(account) ?? 0) + 1);
    keys.set(key, (keys.get(key) ?? 0) + 1);
  });
  const timer = setInterval(() => {
    if (accounts.size === 0) return;
    leader.tell('counted', { accounts, keys });
    accounts = new Map();
    keys = new Map();
  }, COUNTED_EVERY_MS).unref();
  return () => clearInterval(timer);
};
