import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { type Catalog } from '#areas/catalog/catalog.js';
import { type CatalogModel, type CatalogRig, rigModelOf } from '#areas/catalog/catalog-entry.js';
import { type ChatChunk, RigError } from '#areas/inference/rigs/chat-backend.js';
import { type Usage } from '#platform/chats/chat-usage.js';
import { ANTHROPIC_VERSION } from '#areas/inference/rigs/dialects/anthropic/anthropic.dialect.js';
import { NO_NEEDS } from '#areas/inference/rigs/chat-features.js';
import { type RouteOrder } from '#areas/inference/rigs/rig-candidates.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { RouteError } from '#areas/inference/rigs/route-error.js';
import { isObject } from '#areas/inference/rigs/token-usage.js';
import { upstreamModels } from '#areas/inference/rigs/upstream-models.js';
import { promptTokensBound } from '#areas/inference/token-bound.js';
import {
  type MeasuredRig,
  MeasuredRigs,
  type MeasuredUsage,
  type MeasuringChat,
  RigProblem,
} from '#areas/rigs/measured-rigs.port.js';
import { type MeasuredWorkers } from './measured-workers.js';
import { batchConcurrencyMaxOf } from '../inference/rigs.binding.js';
import { spokenBy } from '../inference/server-rigs.js';

/** The rigs of the current catalog and of workers, asked as lines of batches are. */
export class RoutedRigs extends MeasuredRigs {
  /** @param workers absent where no bus connects processes */
  constructor(
    private readonly catalog: Pick<Catalog, 'rigs' | 'models' | 'model'>,
    private readonly router: Pick<RigRouter, 'stream'>,
    private readonly batchPercent: number,
    private readonly workers?: Pick<MeasuredWorkers, 'find' | 'listedModels'>,
  ) {
    super();
  }

  override rigs(): readonly MeasuredRig[] {
    return this.catalog.rigs().map((rig) => ({
      name: rig.name,
      kind: rig.kind,
      description: null,
      streamsMax: batchConcurrencyMaxOf(rig, this.batchPercent),
      models: this.#modelsOf(rig.name).map(({ id, maxOutputTokens }) => ({
        id,
        outputTokensMax: maxOutputTokens,
      })),
    }));
  }

  /** One of the catalog goes first, as it does for pins. */
  override async find(name: string): Promise<MeasuredRig | undefined> {
    return this.rigs().find((rig) => rig.name === name) ?? this.workers?.find(name);
  }

  override async listedModels(name: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const rig = this.catalog.rigs().find((one) => one.name === name);
    if (!rig) {
      if (this.workers) return this.workers.listedModels(name);
      throw new RigProblem(`there is no rig ${name} any more`);
    }
    const models = this.#modelsOf(name);
    const has = await presenceOf(rig, signal);
    const present = await Promise.all(models.map((model) => has(model)));
    return new Set(models.filter((_, index) => present[index]).map(({ id }) => id));
  }

  override async *stream(
    chat: MeasuringChat,
    signal: AbortSignal,
  ): AsyncGenerator<string, MeasuredUsage, void> {
    try {
      const { pages } = await this.router.stream(this.#orderOf(chat), signal);
      try {
        let page = await pages.next();
        for (; !page.done; page = await pages.next()) yield page.value.map(textOf).join('');
        const { source, promptTokens, completionTokens } = page.value;
        return { promptTokens, completionTokens, isStated: source === 'provider' };
      } finally {
        await pages.return(NOTHING);
      }
    } catch (error) {
      throw problemOf(error);
    }
  }

  #orderOf({ rig, model: id, question, outputTokens, onSent }: MeasuringChat): RouteOrder {
    const model = this.catalog.model(id);
    if (!model) throw new RigProblem(`the catalog has no model ${id} any more`);
    const body = {
      model: model.upstreamId,
      messages: [{ role: 'user', content: question }],
      max_tokens: outputTokens,
      temperature: 0,
    };
    const promptTokensMax = promptTokensBound(body, model);
    return {
      model: id,
      pin: rig,
      priority: 'batch',
      needs: NO_NEEDS,
      request: () => {
        onSent();
        return { body, promptTokensMax, isBatch: true };
      },
    };
  }

  #modelsOf(rig: string): readonly CatalogModel[] {
    return this.catalog.models().filter(({ kind, rigs }) => kind === 'chat' && rigs.includes(rig));
  }
}

const NOTHING: Usage = { promptTokens: 0, completionTokens: 0, source: 'counted' };

type Presence = (model: CatalogModel) => Promise<boolean>;

/** @throws RigProblem */
const presenceOf = async (rig: CatalogRig, signal: AbortSignal): Promise<Presence> => {
  switch (rig.kind) {
    case 'embedded':
      return ({ file }) => isReadable(file);
    // They list models of a place, not of the operator: an absent one fails its measuring.
    case 'azure-openai':
    case 'gemini':
    case 'vertex':
    case 'bedrock':
      return () => Promise.resolve(true);
    case 'openai':
    case 'anthropic': {
      const headers =
        rig.kind === 'anthropic' ? { ...ANTHROPIC_VERSION, ...rig.headers } : rig.headers;
      const asked = { ...rig, headers, credential: spokenBy(rig).credentials[0] };
      const ids = await upstreamModels(asked, signal).catch((error: unknown) => {
        throw problemOf(error);
      });
      return (model) => Promise.resolve(ids.has(rigModelOf(rig, model).upstreamId));
    }
  }
};

const isReadable = async (file: string | null): Promise<boolean> => {
  if (file === null) return false;
  const reading = access(file, constants.R_OK);
  return reading.then(
    () => true,
    () => false,
  );
};

/** The text of an answer, or of the reasoning before it: both are output. */
const textOf = ({ choices }: ChatChunk): string => {
  const [choice] = Array.isArray(choices) ? (choices as readonly unknown[]) : [];
  const delta = isObject(choice) ? choice['delta'] : undefined;
  if (!isObject(delta)) return '';
  const texts = [delta['reasoning_content'], delta['reasoning'], delta['content']];
  return texts.filter((text) => typeof text === 'string').join('');
};

/** Defects pass through as they are. */
const problemOf = (error: unknown): unknown => {
  if (!(error instanceof RouteError || error instanceof RigError)) return error;
  const rigError = error instanceof RouteError ? error.details.rigError : undefined;
  return new RigProblem(rigError?.message ?? error.message, { cause: error });
};
