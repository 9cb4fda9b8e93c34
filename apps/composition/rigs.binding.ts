import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type Catalog } from '#areas/catalog/catalog.js';
import { type CatalogModel, type CatalogRig } from '#areas/catalog/catalog-entry.js';
import { type ChatBackend, type ChatRequest } from '#areas/inference/rigs/chat-backend.js';
import { type TextAdapter } from '#areas/inference/rigs/text-adapter.js';
import { createEmbeddedRig, type TextEngine } from '#areas/inference/rigs/embedded-rig.js';
import { createOpenAiRig } from '#areas/inference/rigs/openai-rig.js';
import { isAllowable, OperatorFields } from '#areas/inference/rigs/operator-fields.js';
import { createRigRouter, type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { type Rig, type RigChange } from '#areas/inference/rigs/rig-state.js';

/** A clock with fractions of a millisecond, which times attempts. */
const precise = { now: () => performance.timeOrigin + performance.now() };

/**
 * Timers drop fractions and fire up to a millisecond early. A caller that waits for the end of a
 * rig's down time would find the rig still down.
 */
export const sleepAtLeast = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(Math.ceil(ms) + 1, undefined, { signal });

const ports = { clock: precise, sleep: sleepAtLeast, random: Math.random };

/**
 * Routes requests to the rigs of the current catalog. After a change of the catalog, open requests
 * keep the old rigs, which close when the last of these requests has ended.
 * @param batchPercent the part of each rig's slots that lines of batches may occupy
 */
export const bindRigs = (
  catalog: Catalog,
  engine: TextEngine,
  batchPercent: number,
  logger: Logger,
): RigRouter => {
  const onChange = (change: RigChange): void => logChange(change, logger);
  const open = (): RigRouter =>
    createRigRouter({ ...ports, onChange, rigs: rigsOf(catalog, engine, batchPercent) });
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
  { maxConcurrency }: CatalogRig,
  batchPercent: number,
): number => Math.max(1, Math.floor((maxConcurrency * batchPercent) / 100));

const rigsOf = (catalog: Catalog, engine: TextEngine, batchPercent: number): readonly Rig[] =>
  catalog.rigs().map((rig) => {
    const models = catalog.models().filter((model) => model.rigs.includes(rig.name));
    return {
      name: rig.name,
      maxConcurrency: rig.maxConcurrency,
      batchConcurrencyMax: batchConcurrencyMaxOf(rig, batchPercent),
      models: new Set(models.map(({ id }) => id)),
      backend: backendOf(rig, models, engine),
      ...(rig.kind === 'openai' && {
        operatorFields: new OperatorFields(rig.server, rig.allowedFields),
      }),
    };
  });

const backendOf = (
  rig: CatalogRig,
  models: readonly CatalogModel[],
  engine: TextEngine,
): ChatBackend => {
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
      return new EmbeddedModels(rig.name, models, engine);
  }
};

/** Backends of the in-process engine, by model file and by adapter. */
class EmbeddedModels implements ChatBackend {
  readonly #openings: ReadonlyMap<string, (adapter?: TextAdapter) => ChatBackend>;

  constructor(name: string, models: readonly CatalogModel[], engine: TextEngine) {
    const openingOf = (modelFile: string) => (adapter?: TextAdapter) =>
      createEmbeddedRig({ name, engine, modelFile, ...(adapter && { adapter }) });
    this.#openings = new Map(
      models.flatMap(({ upstreamId, file }) =>
        file === null ? [] : [[upstreamId, openingOf(file)]],
      ),
    );
  }

  complete(request: ChatRequest, signal: AbortSignal) {
    return this.#backendOf(request).complete(request, signal);
  }

  stream(request: ChatRequest, signal: AbortSignal) {
    return this.#backendOf(request).stream(request, signal);
  }

  // The engine is shared, and a backend holds nothing.
  close(): Promise<void> {
    return Promise.resolve();
  }

  #backendOf({ body, adapter }: ChatRequest): ChatBackend {
    const open = this.#openings.get(String(body['model']));
    if (!open) throw new Error(`the embedded engine has no file for ${String(body['model'])}`);
    return open(adapter);
  }
}
