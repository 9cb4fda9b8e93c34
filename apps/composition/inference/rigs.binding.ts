import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type Catalog } from '#areas/catalog/catalog.js';
import {
  type CatalogModel,
  type CatalogRig,
  rigModelOf,
  type ServerRigEntry,
} from '#areas/catalog/catalog-entry.js';
import {
  type ChatFeature,
  EMBEDDED_FEATURES,
  type SpokenDialect,
} from '#areas/inference/rigs/chat-features.js';
import { type RigBackend } from '#areas/inference/rigs/embedding-backend.js';
import { createHttpRig } from '#areas/inference/rigs/http-rig.js';
import {
  isAllowable,
  OperatorFields,
  type RigServer,
} from '#areas/inference/rigs/operator-fields.js';
import { type PinnedRigs } from '#areas/inference/rigs/rig-candidates.js';
import { createRigRouter, type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { type ChoiceWeights } from '#areas/inference/rigs/choice/rig-choice.js';
import { WarmSessions } from '#areas/inference/rigs/choice/warm-sessions.js';
import { type AttemptObserver } from '#areas/inference/rigs/rig-attempt.js';
import { type Rig, type RigChange } from '#areas/inference/rigs/rig-state.js';
import { SERVER_FEATURES } from '#platform/chats/server-features.js';
import { costsOf } from './rig-costs.js';
import { EmbeddedModels, type FurtherModels } from './embedded-models.js';
import { type EmbeddedEngines, withEmbeddings } from './embedded-embeddings.js';
import { httpRigOf, missingVariables } from './server-rigs.js';

/** A clock with fractions of a millisecond, which times attempts. */
const { timeOrigin } = performance;
const precise = { now: () => timeOrigin + performance.now() };

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
  /** Models that the first embedded rig serves beside the models of the catalog. */
  readonly further?: FurtherModels;
  /** Absent where nothing records what attempts cost. */
  readonly onAttempt?: AttemptObserver;
  /** Default: the router's. */
  readonly weights?: ChoiceWeights;
}

/**
 * Routes requests to the rigs of the current catalog. After a change of the catalog, open requests
 * keep the old rigs, which close when the last of these requests has ended.
 */
export const bindRigs = (
  catalog: Catalog,
  engine: EmbeddedEngines,
  logger: Logger,
  { batchPercent, region = null, workersFor, further, onAttempt, weights }: RigsPlace,
): RigRouter => {
  const onChange = (change: RigChange): void => logChange(change, logger);
  const sessions = new WarmSessions();
  const open = (): RigRouter =>
    createRigRouter({
      ...ports,
      onChange,
      sessions,
      ...(weights && { weights }),
      rigs: rigsOf(catalog, engine, { batchPercent, region, ...(further && { further }) }),
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
    check: (target, body, original) => current.check(target, body, original),
    speaks: (model, dialect) => current.speaks(model, dialect),
    rejectFields: (target, body) => current.rejectFields(target, body),
    complete: (order, signal) => current.complete(order, signal),
    count: (order, signal) => current.count(order, signal),
    embed: (order, signal) => current.embed(order, signal),
    score: (order, signal) => current.score(order, signal),
    stream: (order, signal) => current.stream(order, signal),
    status: () => current.status(),
    ranking: (model) => current.ranking(model),
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
    if (rig.kind === 'embedded') continue;
    for (const variable of missingVariables(rig)) {
      const { name } = rig;
      logger.warn({ rig: name, variable }, 'a key of a rig is not set; requests do not carry it');
    }
  }
};

/** Some fields would have a rig do more than was held, so `allow_fields` cannot name them. */
const warnOfIgnoredFields = (catalog: Catalog, logger: Logger): void => {
  for (const rig of catalog.rigs()) {
    if (rig.kind === 'embedded') continue;
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
  { batchPercent, region = null, further }: Pick<RigsPlace, 'batchPercent' | 'region' | 'further'>,
): readonly Rig[] => {
  const firstEmbedded = catalog.rigs().find(({ kind }) => kind === 'embedded');
  return catalog.rigs().map((rig) => {
    const own = rig === firstEmbedded ? further : undefined;
    const models = catalog.models().filter((model) => model.rigs.includes(rig.name));
    return {
      name: rig.name,
      provider: rig.provider ?? providerOf(rig),
      collectsData: rig.collectsData,
      speaksChat: speaksChat(rig),
      breaker: rig.breaker,
      retries: rig.retries,
      region: rig.region,
      isRemote: rig.region !== null && region !== null && rig.region !== region,
      isOwn: rig.kind === 'embedded',
      maxConcurrency: rig.maxConcurrency,
      batchConcurrencyMax: batchConcurrencyMaxOf(rig, batchPercent),
      models: servedBy(models, own),
      terms: new Map(models.map((model) => [model.id, rigModelOf(rig, model)])),
      backend: backendOf(rig, models, engine, own),
      features: featuresOf(rig),
      costs: costsOf(rig),
      ...(rig.kind !== 'embedded' && {
        operatorFields: new OperatorFields(serverOf(rig), rig.allowedFields),
      }),
    };
  });
};

/** Lists the models of the catalog, and has the further ones, too. */
const servedBy = (models: readonly CatalogModel[], further?: FurtherModels): Rig['models'] => {
  const listed = new Set(models.map(({ id }) => id));
  return {
    has: (id) => listed.has(id) || further?.has(id) === true,
    [Symbol.iterator]: () => listed.values(),
  };
};

/** The names that OpenRouter has for the providers of these kinds; null: there is no one. */
const providerOf = (rig: CatalogRig): string | null => {
  switch (rig.kind) {
    case 'anthropic':
      return 'anthropic';
    case 'azure-openai':
      return 'azure';
    case 'gemini':
      return 'google-ai-studio';
    case 'vertex':
      return 'google-vertex';
    case 'bedrock':
      return 'amazon-bedrock';
    case 'openai':
      return rig.server === 'openai' ? 'openai' : null;
    case 'embedded':
      return null;
  }
};

/** Whether a chat of OpenAI reaches the rig as it is. */
const speaksChat = ({ kind }: CatalogRig): boolean =>
  kind === 'openai' || kind === 'azure-openai' || kind === 'embedded';

/** The dialects beside the chat in which a server takes the requests of callers as they are. */
const dialectsOf = (rig: ServerRigEntry): readonly SpokenDialect[] => {
  if (rig.kind === 'anthropic') return ['messages'];
  return rig.kind === 'openai' && rig.hasResponses ? ['responses'] : [];
};

const GOOGLE_FEATURES: readonly ChatFeature[] = [
  'tools',
  'json_schema',
  'json_object',
  'logprobs',
  'choices',
  'images',
  'audio',
  'penalties',
];

/** The features of a kind of server, where its catalog does not say. */
const FEATURES: Readonly<Record<ServerRigEntry['kind'], readonly ChatFeature[]>> = {
  openai: SERVER_FEATURES,
  'azure-openai': SERVER_FEATURES,
  anthropic: ['tools', 'json_schema', 'images'],
  gemini: GOOGLE_FEATURES,
  vertex: GOOGLE_FEATURES,
  bedrock: ['tools', 'json_schema', 'images'],
};

const featuresOf = (rig: CatalogRig): ReadonlySet<ChatFeature> => {
  if (rig.kind === 'embedded') return EMBEDDED_FEATURES;
  const does: readonly ChatFeature[] = rig.features ?? FEATURES[rig.kind];
  const features = [...does, ...dialectsOf(rig)];
  return new Set(rig.allowsPrivateUrls ? [...features, 'private_urls'] : features);
};

/** The list of the fields that belong to the operator. */
const serverOf = (rig: ServerRigEntry): RigServer | null => {
  switch (rig.kind) {
    case 'openai':
      return rig.server;
    case 'azure-openai':
    case 'gemini':
    case 'vertex':
    case 'bedrock':
      return 'openai';
    case 'anthropic':
      return 'anthropic';
  }
};

const backendOf = (
  rig: CatalogRig,
  models: readonly CatalogModel[],
  engine: EmbeddedEngines,
  further?: FurtherModels,
): RigBackend =>
  rig.kind === 'embedded'
    ? withEmbeddings(
        new EmbeddedModels(rig.name, models, engine, further),
        rig.name,
        models,
        engine,
      )
    : createHttpRig(httpRigOf(rig));
