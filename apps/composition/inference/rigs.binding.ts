import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type Catalog } from '#areas/catalog/catalog.js';
import { type CatalogModel, type CatalogRig } from '#areas/catalog/catalog-entry.js';
import { type ChatFeature, EMBEDDED_FEATURES } from '#areas/inference/rigs/chat-features.js';
import { type RigBackend } from '#areas/inference/rigs/embedding-backend.js';
import { createOpenAiRig } from '#areas/inference/rigs/openai-rig.js';
import { isAllowable, OperatorFields } from '#areas/inference/rigs/operator-fields.js';
import {
  createRigRouter,
  type PinnedRigs,
  type RigRouter,
} from '#areas/inference/rigs/rig-router.js';
import { type AttemptObserver } from '#areas/inference/rigs/rig-attempt.js';
import { type Rig, type RigChange } from '#areas/inference/rigs/rig-state.js';
import { SERVER_FEATURES } from '#platform/chats/server-features.js';
import { costsOf } from './rig-costs.js';
import { EmbeddedModels } from './embedded-models.js';
import { type EmbeddedEngines, withEmbeddings } from './embedded-embeddings.js';

/** A clock with fractions of a millisecond, which times attempts. */
const precise = { now: () => performance.timeOrigin + performance.now() };

/**
 * Timers drop fractions and fire up to a millisecond early. A caller that waits for the end of a
 * rig's down time would find the rig still down.
 */
export const sleepAtLeast = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(Math.ceil(ms) + 1, undefined, { signal });

const ports = { clock: precise, sleep: sleepAtLeast, random: Math.random };

export interface RigsPlace {
  /** The part of each rig's slots that lines of batches may occupy. */
  readonly batchPercent: number;
  /** Of this gateway; null: in no region, so that every rig is near. */
  readonly region?: string | null;
  /** The workers that a pin may name, for these models with files. Absent without a shared bus. */
  readonly workersFor?: (models: readonly CatalogModel[]) => PinnedRigs;
  /** Absent where nothing records what attempts cost. */
  readonly onAttempt?: AttemptObserver;
}

/**
 * Routes requests to the rigs of the current catalog. After a change of the catalog, open requests
 * keep the old rigs, which close when the last of these requests has ended.
 */
export const bindRigs = (
  catalog: Catalog,
  engine: EmbeddedEngines,
  logger: Logger,
  { batchPercent, region = null, workersFor, onAttempt }: RigsPlace,
): RigRouter => {
  const onChange = (change: RigChange): void => logChange(change, logger);
  const open = (): RigRouter =>
    createRigRouter({
      ...ports,
      onChange,
      rigs: rigsOf(catalog, engine, batchPercent, region),
      ...(onAttempt && { onAttempt }),
      ...(workersFor && { pinnedRigs: workersFor(embeddedModelsOf(catalog)) }),
    });
  let current = open();
  let closing: Promise<unknown> = Promise.resolve();
  catalog.onChange(() => {
    const old = current;
    warnOfMissingKeys(catalog, logger);
    warnOfIgnoredFields(catalog, logger);
    current = open();
    closing = Promise.all([closing, closeWhenIdle(old)]);
  });
  return {
    check: (target, body) => current.check(target, body),
    refuseFields: (target, body) => current.refuseFields(target, body),
    complete: (order, signal) => current.complete(order, signal),
    embed: (order, signal) => current.embed(order, signal),
    stream: (order, signal) => current.stream(order, signal),
    status: () => current.status(),
    waiting: () => current.waiting(),
    close: async () => {
      await current.close();
      await closing;
    },
  };
};

const logChange = (change: RigChange, logger: Logger): void => {
  const { rig } = change;
  if (change.state === 'up') {
    logger.info({ rig }, 'a rig is up again');
    return;
  }
  const { kind, message, cause } = change.cause;
  const detail = Error.isError(cause) ? cause.message : undefined;
  logger.warn({ rig, kind, reason: message, detail }, 'a rig is down; its requests are refused');
};

/** A warning, since servers on a private network often need no key. */
const warnOfMissingKeys = (catalog: Catalog, logger: Logger): void => {
  for (const rig of catalog.rigs()) {
    if (rig.kind !== 'openai' || rig.apiKeyEnv === null || process.env[rig.apiKeyEnv]) continue;
    const { name, apiKeyEnv } = rig;
    logger.warn(
      { rig: name, apiKeyEnv },
      'the API key of a rig is not set; requests to it carry no key',
    );
  }
};

/** Some fields would have a rig do more than was held, so `allow_fields` cannot name them. */
const warnOfIgnoredFields = (catalog: Catalog, logger: Logger): void => {
  for (const rig of catalog.rigs()) {
    if (rig.kind !== 'openai') continue;
    for (const field of rig.allowedFields.filter((one) => !isAllowable(one))) {
      logger.warn({ rig: rig.name, field }, 'a rig cannot allow this field; it stays refused');
    }
  }
};

const closeWhenIdle = async (router: RigRouter): Promise<void> => {
  while (router.waiting() > 0 || router.status().some(({ inFlight }) => inFlight > 0)) {
    await sleep(100, undefined, { ref: false });
  }
  await router.close();
};

/** How many slots of a rig lines of batches may occupy. */
export const batchConcurrencyMaxOf = (
  { maxConcurrency }: Pick<CatalogRig, 'maxConcurrency'>,
  batchPercent: number,
): number => Math.max(1, Math.floor((maxConcurrency * batchPercent) / 100));

const embeddedModelsOf = (catalog: Catalog): readonly CatalogModel[] =>
  catalog.models().filter(({ file }) => file !== null);

const rigsOf = (
  catalog: Catalog,
  engine: EmbeddedEngines,
  batchPercent: number,
  region: string | null,
): readonly Rig[] =>
  catalog.rigs().map((rig) => {
    const models = catalog.models().filter((model) => model.rigs.includes(rig.name));
    return {
      name: rig.name,
      region: rig.region,
      isRemote: rig.region !== null && region !== null && rig.region !== region,
      isOwn: rig.kind === 'embedded',
      maxConcurrency: rig.maxConcurrency,
      batchConcurrencyMax: batchConcurrencyMaxOf(rig, batchPercent),
      models: new Set(models.map(({ id }) => id)),
      backend: backendOf(rig, models, engine),
      features: featuresOf(rig),
      costs: costsOf(rig),
      ...(rig.kind === 'openai' && {
        operatorFields: new OperatorFields(rig.server, rig.allowedFields),
      }),
    };
  });

const featuresOf = (rig: CatalogRig): ReadonlySet<ChatFeature> => {
  if (rig.kind === 'embedded') return EMBEDDED_FEATURES;
  const features: readonly ChatFeature[] = rig.features ?? SERVER_FEATURES;
  return new Set(rig.allowsPrivateUrls ? [...features, 'private_urls'] : features);
};

const backendOf = (
  rig: CatalogRig,
  models: readonly CatalogModel[],
  engine: EmbeddedEngines,
): RigBackend => {
  switch (rig.kind) {
    case 'openai': {
      const apiKey = rig.apiKeyEnv === null ? undefined : process.env[rig.apiKeyEnv];
      const { name, baseUrl, maxConcurrency, connectTimeoutMs, answerTimeoutMs, idleTimeoutMs } =
        rig;
      return createOpenAiRig({
        name,
        baseUrl,
        maxConcurrency,
        connectTimeoutMs,
        answerTimeoutMs,
        idleTimeoutMs,
        ...(apiKey !== undefined && { apiKey }),
        readsMaxTokensOnly: rig.server === 'ollama',
      });
    }
    case 'embedded':
      return withEmbeddings(new EmbeddedModels(rig.name, models, engine), rig.name, models, engine);
  }
};
