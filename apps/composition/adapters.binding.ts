import {
  AdapterChats,
  type AdapterPrompt,
  type AdapterReply,
} from '#areas/adapters/adapter-chats.port.js';
import { type AdapterErrorCode } from '#areas/adapters/adapters.errors.js';
import { type BaseMatrix, type BaseModel, BaseModels } from '#areas/adapters/base-models.port.js';
import { type PlacedAdapters } from '#areas/adapters/placed-adapters.js';
import { type CatalogRig, type ModelEntry } from '#areas/catalog/catalog-entry.js';
import { ChatAdapters } from '#areas/inference/chat-adapters.js';
import { type CompleteChatHandler } from '#areas/inference/complete-chat.handler.js';
import { type TextAdapter } from '#areas/inference/rigs/text-adapter.js';
import { type LanguageModelEngine } from '#engines/language-model/language-model.engine.js';
import { DomainError } from '#platform/kernel/domain-error.js';

/** The adapters of the vault, for chats. */
export class VaultChatAdapters extends ChatAdapters {
  /** @param placed absent in a process without the area */
  constructor(private readonly placed: PlacedAdapters | undefined) {
    super();
  }

  place(accountId: string, adapter: string, modelId: string): Promise<TextAdapter> {
    if (!this.placed) throw new Error('this process has no adapters');
    return this.placed.place(accountId, adapter, modelId);
  }
}

/** Prompts with an adapter, as chats: with their rules, their rigs and their prices. */
export class GatewayChats extends AdapterChats {
  /** @param chats absent in a process without the area */
  constructor(private readonly chats: Pick<CompleteChatHandler, 'execute'> | undefined) {
    super();
  }

  async complete(asked: AdapterPrompt, signal: AbortSignal): Promise<AdapterReply> {
    if (!this.chats) throw new Error('this process has no chats');
    const { model, adapterId, prompt, system, maxTokens, temperature, seed, ...request } = asked;
    const instructions = system === null ? [] : [{ role: 'system', content: system }];
    const body = {
      model,
      messages: [...instructions, { role: 'user', content: prompt }],
      adapter: adapterId,
      max_tokens: maxTokens,
      temperature,
      seed,
    };
    const order = { ...request, body, routingMode: 'auto' };
    const { text, usage, entry, pace } = await this.chats.execute(order, signal);
    const { promptTokens, completionTokens } = usage;
    return { ...replyIn(text), promptTokens, completionTokens, entry, ...(pace && { pace }) };
  }
}

/** An embedded rig answers in this shape. */
interface Completion {
  readonly choices: readonly [
    { readonly message: { readonly content: string }; readonly finish_reason: string },
  ];
  readonly adapter_swap_ms?: number | null;
}

const replyIn = (json: string): Pick<AdapterReply, 'text' | 'finishReason' | 'swapMs'> => {
  const { choices, adapter_swap_ms: swapMs = null } = JSON.parse(json) as Completion;
  const [{ message, finish_reason: finishReason }] = choices;
  return { text: message.content, finishReason, swapMs };
};

/** What is needed of a catalog. */
interface ServedModels {
  model(id: string): Pick<ModelEntry, 'rigs' | 'file'> | undefined;
  rigs(): readonly Pick<CatalogRig, 'name' | 'kind'>[];
}

/** Models with an embedded rig: their weights are known, and the engine there changes them. */
export class EmbeddedBaseModels extends BaseModels {
  #engine: Promise<LanguageModelEngine> | undefined;

  /** @param catalog absent in a process without the area */
  constructor(private readonly catalog: ServedModels | undefined) {
    super();
  }

  async find(modelId: string): Promise<BaseModel> {
    const model = this.catalog?.model(modelId);
    if (!model) return refuse('adapter_base_unknown', `the model ${modelId} is not in the catalog`);
    const rigs = this.catalog?.rigs().filter(({ name }) => model.rigs.includes(name)) ?? [];
    if (model.file === null || !rigs.some(({ kind }) => kind === 'embedded')) {
      return refuse(
        'adapter_base_unsuitable',
        `the model ${modelId} is not served by Quipu itself`,
      );
    }
    return this.#read(modelId, model.file);
  }

  async #read(modelId: string, file: string): Promise<BaseModel> {
    // Native code is loaded by neither: both only read the file.
    const { createLanguageModelEngine } =
      await import('#engines/language-model/language-model.engine.js');
    const { readGgufHeader } = await import('#engines/language-model/gguf.header.js');
    this.#engine ??= Promise.resolve(createLanguageModelEngine());
    try {
      const { architecture, sha256 } = await (await this.#engine).describe(file);
      if (architecture !== 'llama') {
        const detail = `the model ${modelId} has the architecture ${architecture}, not llama`;
        return refuse('adapter_base_unsuitable', detail);
      }
      const { metadata, tensors } = await readGgufHeader(file);
      const numberOf = (key: string, fallback = 0): number => {
        const value = metadata.get(`llama.${key}`);
        return typeof value === 'number' ? value : fallback;
      };
      const heads = numberOf('attention.head_count');
      return {
        modelId,
        sha256,
        heads,
        keyValueHeads: numberOf('attention.head_count_kv', heads),
        matrices: new Map(tensors.flatMap(matrixOf)),
      };
    } catch (error) {
      if (error instanceof DomainError) throw error;
      const detail = `the file of the model ${modelId} cannot be read`;
      return refuse('adapter_base_unsuitable', detail);
    }
  }
}

const matrixOf = ({
  name,
  dimensions: [inputs, outputs],
}: {
  readonly name: string;
  readonly dimensions: readonly number[];
}): [string, BaseMatrix][] =>
  inputs === undefined || outputs === undefined
    ? []
    : [[name.replace(/\.weight$/, ''), { inputs, outputs }]];

const refuse = (code: AdapterErrorCode, detail: string): never => {
  throw new DomainError<AdapterErrorCode>(code, detail);
};
