import path from 'node:path';
import { CommandBus } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { Registry } from 'prom-client';
import { systemClock } from '#platform/kernel/clock.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { ledgerAnswers } from '#platform/ledger/remote/ledger-answers.js';
import { ProcessEvents } from '#platform/runtime/process/process-events.js';
import { projectorAnswers } from '#platform/runtime/projector/projector-answers.js';
import { Runtime, type ServiceSource } from '#platform/runtime/runtime.js';
import { areas } from '../composition/areas.js';
import { withoutSagas } from '../composition/divided-areas.js';
import { type OpenEngines, openEngines } from '../composition/engines.js';
import { clearForeignReadModels } from '../composition/foreign-read-models.js';
import { QuipuModule } from '../composition/quipu.module.js';
import { serveEventStoreOf } from '../composition/served-event-store.js';
import { type Settings } from '../composition/settings.js';
import { LocalSignIns } from '../gateway/identity/sign-in-gate.js';
import { createOperationsApplication } from '../operations/operations.application.js';
import { OperationsReports } from '../operations/operations-reports.js';
import { ProcessGroup } from '../operations/process-group.port.js';
import { GatewayGroup, type LentCalls } from './gateway-group.js';
import { type Gateway } from './gateway.process.js';
import { GroupModule } from './group.module.js';
import { listenForOperations } from './listen.js';
import { operationsOf } from './operations-of.js';
import { type ProjectorThread, projectorThreadOf } from './projector.thread.js';

const GATEWAY_MAIN = path.join(import.meta.dirname, 'gateway-group.main.js');

export type StandaloneGroup = Pick<
  Gateway,
  'url' | 'bootstrap' | 'bootstrapFile' | 'reload' | 'stop'
>;

/**
 * A standalone of several processes: gateways that share one port, and this one, which starts them,
 * decides and appends the changes of accounts for all, and runs projections, sagas, relays,
 * consumers and jobs. All have the same files. This one answers no callers.
 */
export const startStandaloneGroup = async (
  settings: Settings,
  logger: Logger,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<StandaloneGroup> => {
  const projector = settings.hasProjectorThread
    ? projectorThreadOf(settings, logger, environment)
    : undefined;
  const engines = await openEngines(settings, systemClock, logger, areas, {
    onAppended: () => projector?.link.announce(),
  });
  await clearForeignReadModels(engines);
  const group = new GatewayGroup({
    size: settings.processes,
    main: GATEWAY_MAIN,
    environmentOf: (number) => environmentOf(environment, settings, number),
    attempts: new LocalSignIns(systemClock),
    logger,
    drainMs: settings.drainSeconds * 1_000,
  });
  // Both load their code while this thread composes its own; both are awaited below.
  const listening = group.start();
  const projecting = projector?.start(engines);
  listening.catch(() => undefined);
  projecting?.catch(() => undefined);
  const leader = await startLeader(settings, { engines, projector, projecting, group });
  const { url, bootstrap } = await listening;
  let stopping: Promise<void> | undefined;
  return {
    url,
    bootstrap,
    bootstrapFile: path.join(settings.home, 'bootstrap.json'),
    reload: async () => {
      await Promise.all([leader.reload(), projector?.link.reload(), group.reload()]);
    },
    stop: () => (stopping ??= leader.stop()),
  };
};

interface Parts {
  readonly engines: OpenEngines;
  readonly projector: ProjectorThread | undefined;
  /** Resolves when the thread of the projector runs. */
  readonly projecting: Promise<void> | undefined;
  readonly group: GatewayGroup;
}

/** Composes this process, and lends its ledger and its projector to the gateways. */
const startLeader = async (
  settings: Settings,
  { engines, projector, projecting, group }: Parts,
): Promise<Pick<StandaloneGroup, 'reload' | 'stop'>> => {
  const runtime = new Runtime(engines, projector ? withoutSagas(areas) : areas, projector?.link);
  const edges = [
    GroupModule.of(new Map([ProcessGroup, GatewayGroup].map((token) => [token, group]))),
    operationsOf(areas, settings.operations, [], [GatewayGroup]),
  ];
  const parts = { settings, engines, runtime, areas, runsReactions: true, edges };
  const module = await QuipuModule.of({ ...parts, role: 'projector' });
  await (projector ? runtime.startFollowing() : runtime.startProjections());
  const app = await createOperationsApplication(module, engines.logger);
  const find = <Service>(type: abstract new (...args: never[]) => Service): Service =>
    app.get(type, { strict: false });
  const processEvents = find(ProcessEvents);
  const reports = find(OperationsReports);
  find(Registry).setDefaultLabels({ process: 'leader' });
  group.lend({ ...lentBy(runtime), ...ledgerAnswers(find(Ledger)) }, () => reports.values());
  const serviceOf: ServiceSource = (type) => app.get(type, { strict: false });
  await projecting;
  await runtime.startReactions(find(CommandBus), serviceOf);
  const grpc = await serveEventStoreOf(settings, engines.eventStore, app);
  await listenForOperations(app);
  const stop = async (): Promise<void> => {
    // The gateways settle what is open through the ledger here.
    await Promise.all([group.stop(), processEvents.drain(settings.drainSeconds * 1_000)]);
    await app.close();
    await projector?.stop();
    await runtime.stop();
    await grpc?.close();
    await engines.close();
  };
  return { reload: () => processEvents.reload(), stop };
};

/** The projector is this thread or one beside it. */
const lentBy = (runtime: Runtime): Pick<LentCalls, 'appended' | 'reach' | 'status'> => {
  const { projector, engines } = runtime;
  const { appended, reach, status } = projectorAnswers(runtime);
  if (!projector) return { appended, reach, status };
  return {
    appended: () => {
      projector.announce();
      void engines.eventStore.head().catch(() => undefined);
    },
    reach: (request) => projector.reach(request),
    status: () => projector.status(),
  };
};

/** Ports that only one process can have belong to the leader. */
const environmentOf = (
  environment: NodeJS.ProcessEnv,
  { instance }: Settings,
  number: number,
): NodeJS.ProcessEnv => ({
  ...environment,
  QUIPU_INSTANCE: `${instance.slice(0, INSTANCE_CHARACTERS)}.${number}`,
  QUIPU_OPERATIONS_PORT: '',
  QUIPU_GRPC_PORT: '',
});

/** Leaves room for the number in a name of 63 characters. */
const INSTANCE_CHARACTERS = 60;
