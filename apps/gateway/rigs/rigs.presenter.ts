import { type RigStatus } from '#areas/inference/rigs/rig-state.js';
import { type RigStanding } from '#areas/rigs/certifications.queries.js';
import { type MeasuredRig } from '#areas/rigs/measured-rigs.port.js';
import { rigNumberOf } from '#platform/tasks/rig-name.js';
import { type HeardRig } from '#platform/tasks/worker-directory.js';
import { type WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';
import { stateOf, type WorkerRig } from '#projections/fleet/worker-rigs.projection.js';
import {
  type RigDetailDto,
  type RigEngineDto,
  type RigMomentDto,
  type RigTelemetryDto,
} from './rig-detail.dto.js';
import { type CertificationDto, type RigDto } from './rigs.dto.js';

/** The known facts of a rig of the catalog. */
export interface CatalogRigFacts {
  readonly rig: MeasuredRig;
  readonly standing: RigStanding | undefined;
  /** As this gateway sees it; undefined right after a change of the catalog. */
  readonly status: RigStatus | undefined;
}

/** The known facts of the rig of a worker. */
export interface WorkerRigFacts {
  readonly rig: WorkerRig;
  /** As this gateway has heard it last. */
  readonly heard: HeardRig | undefined;
  readonly standing: RigStanding | undefined;
}

const certificationOf = (standing: RigStanding | undefined) => ({
  badge: standing?.badge ?? null,
  status: standing?.status ?? 'never_certified',
  certification: standing?.certification ? presentCertification(standing.certification) : null,
});

export const presentCatalogRig = ({
  rig,
  standing,
  status,
}: CatalogRigFacts): Readonly<RigDto> => ({
  id: rig.name,
  rig_id: rigNumberOf(rig.name),
  name: rig.name,
  source: 'catalog',
  kind: rig.kind,
  region: status?.region ?? null,
  state: status?.breaker === 'open' ? 'down' : 'up',
  models: rig.models.map(({ id }) => id),
  brand: null,
  device: null,
  memory_bytes: null,
  in_flight: status?.inFlight ?? null,
  max_concurrency: status?.maxConcurrency ?? null,
  tasks_per_second: null,
  first_token_ms: status?.firstTokenMs ?? {},
  ...certificationOf(standing),
});

/** The heartbeat of the process that is registered, while it is heard. */
const liveOf = ({ rig, heard }: Pick<WorkerRigFacts, 'rig' | 'heard'>): WorkerHeartbeat | null =>
  heard && !heard.isSilent && heard.heartbeat.startedAt === rig.startedAt ? heard.heartbeat : null;

const total = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);

const MS_PER_SECOND = 1_000;

/** Null before the first task. */
const rateOf = (doneTasks: number, busyMs: number): number | null =>
  doneTasks === 0 || busyMs === 0 ? null : (doneTasks / busyMs) * MS_PER_SECOND;

export const presentWorkerRig = (
  facts: WorkerRigFacts,
  firstTokens?: RigStatus,
): Readonly<RigDto> => {
  const { rig } = facts;
  const { region, brand, processor, hostMemoryBytes, devices, engines } = rig.description;
  const live = liveOf(facts)?.engines;
  return {
    id: rig.rig,
    rig_id: rigNumberOf(rig.rig),
    name: rig.rig,
    source: 'worker',
    kind: 'worker',
    region,
    state: stateOf(rig),
    models: [...new Set(engines.flatMap(({ models }) => models.map(({ name }) => name)))],
    brand,
    device: devices?.[0]?.name ?? processor,
    memory_bytes: devices ? total(devices.map((one) => one.memoryBytes)) : hostMemoryBytes,
    in_flight: live ? total(live.map(({ runningTasks }) => runningTasks)) : null,
    max_concurrency: total(engines.map(({ tasksMax }) => tasksMax)),
    tasks_per_second: live
      ? rateOf(
          total(live.map(({ doneTasks }) => doneTasks)),
          Math.max(0, ...live.map(({ busyMs }) => busyMs)),
        )
      : null,
    first_token_ms: firstTokens?.firstTokenMs ?? {},
    ...certificationOf(facts.standing),
  };
};

const presentTelemetry = ({ sentAt, telemetry, hardware }: WorkerHeartbeat): RigTelemetryDto => ({
  measured_at: sentAt,
  processors: {
    temperature_c: telemetry.processors.temperatureC,
    power_w: telemetry.processors.powerW,
    utilisation_pct: telemetry.processors.utilisationPct,
  },
  memory_used_bytes: telemetry.memoryUsedBytes,
  devices:
    hardware.devices?.map(({ name, memoryBytes }, index) => {
      const read = telemetry.devices?.[index];
      return {
        name,
        memory_bytes: memoryBytes,
        temperature_c: read?.temperatureC ?? null,
        power_w: read?.powerW ?? null,
        utilisation_pct: read?.utilisationPct ?? null,
        memory_used_bytes: read?.memoryUsedBytes ?? null,
      };
    }) ?? null,
});

const presentEngines = (
  { description }: WorkerRig,
  live: WorkerHeartbeat | null,
): readonly RigEngineDto[] =>
  description.engines.map(({ name, tasksMax, models }) => {
    const engine = live?.engines.find((one) => one.name === name);
    return {
      name,
      tasks_max: tasksMax,
      running_tasks: engine?.runningTasks ?? null,
      done_tasks: engine?.doneTasks ?? null,
      tasks_per_second: engine ? rateOf(engine.doneTasks, engine.busyMs) : null,
      models,
    };
  });

/** Newest first: the certification is of a stream of its own. */
const historyOf = ({ rig, standing }: WorkerRigFacts): readonly RigMomentDto[] => {
  const certifiedAt = standing?.certification?.measuredAt;
  if (certifiedAt === undefined) return rig.history;
  const later = rig.history.filter(({ at }) => at > certifiedAt);
  const earlier = rig.history.slice(later.length);
  return [...later, { event: 'certified', at: certifiedAt }, ...earlier];
};

export const presentWorkerRigDetail = (
  facts: WorkerRigFacts,
  firstTokens?: RigStatus,
): RigDetailDto => {
  const { rig, heard } = facts;
  const live = liveOf(facts);
  return {
    ...presentWorkerRig(facts, firstTokens),
    started_at: rig.startedAt,
    last_heard_at: heard?.heartbeat.sentAt ?? null,
    telemetry: live && presentTelemetry(live),
    engines: presentEngines(rig, live),
    history: historyOf(facts),
    summaries: rig.spans.map((span) => ({
      from: span.from,
      to: span.to,
      heartbeats: span.heartbeats,
      done_tasks: span.doneTasks,
      temperature_max_c: span.temperatureMaxC,
      power_mean_w: span.powerMeanW,
    })),
  };
};

/** Only its certification is in the log; its health is known to this process. */
export const presentCatalogRigDetail = (facts: CatalogRigFacts): RigDetailDto => {
  const certifiedAt = facts.standing?.certification?.measuredAt;
  return {
    ...presentCatalogRig(facts),
    started_at: null,
    last_heard_at: null,
    telemetry: null,
    engines: null,
    history: certifiedAt === undefined ? [] : [{ event: 'certified', at: certifiedAt }],
    summaries: [],
  };
};

export const presentCertification = (
  certified: NonNullable<RigStanding['certification']>,
): CertificationDto => {
  const { measurements } = certified;
  return {
    id: certified.certificationId,
    badge: certified.badge,
    measurements: {
      first_token_ms: measurements.firstTokenMs,
      first_token_samples: measurements.firstTokenSamples,
      tokens_per_second: measurements.tokensPerSecond,
      concurrent_streams: measurements.concurrentStreams,
      tokens_per_second_concurrent: measurements.tokensPerSecondConcurrent,
      is_answer_consistent: measurements.isAnswerConsistent,
    },
    models: certified.models.map(({ id, isListed }) => ({ id, is_listed: isListed })),
    measured_model: certified.measuredModel,
    problems: certified.problems,
    thresholds: certified.thresholds.map((threshold) => ({
      badge: threshold.badge,
      first_token_ms_max: threshold.firstTokenMsMax,
      tokens_per_second_min: threshold.tokensPerSecondMin,
      tokens_per_second_concurrent_min: threshold.tokensPerSecondConcurrentMin,
    })),
    measured_at: certified.measuredAt,
    expires_at: certified.expiresAt,
  };
};
