import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { RateCardQuery } from '#areas/catalog/rate-card.handler.js';
import { ImportModelCommand } from '#areas/models/import-model.handler.js';
import { CHAT_TEMPLATES } from '#areas/models/model-import.engine.js';
import { OwnModelCard, OwnModelSlug } from '#events/platform/own-model.events.js';
import { instant } from '#platform/kernel/clock.js';
import { nameOf } from '#platform/own-models/own-model.decider.js';
import { OWN_MODEL_BYTES_MAX } from '#platform/own-models/own-models.js';
import { rateCards } from '#projections/catalog/rate-cards.projection.js';
import { storedBytes } from '#projections/files/stored-bytes.projection.js';
import { OfferedModels } from '../../composition/models/priced-models.binding.js';
import { usage } from '../command-failure.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { catalogOffer } from '../rigs/catalog-rigs.js';
import { accountOf } from '../user-option.js';

export interface ImportModelOptions extends CommonOptions {
  readonly file: string;
  readonly user: string;
  readonly name: string;
  readonly card: string;
  readonly config?: string;
  readonly tokenizer?: string;
}

const NEEDS = {
  areas: ['identity', 'billing', 'catalog', 'files', 'jobs', 'training', 'models'],
  installation: 'exists',
  projections: [rateCards, storedBytes],
} as const;

/** The fields of a card as `POST /api/v1/models` takes them. */
const Card = z.strictObject({
  ...OwnModelCard.omit({ baseTokenizer: true }).shape,
  base_tokenizer: OwnModelCard.shape.baseTokenizer.optional(),
  context_length: z.int().positive().optional(),
  chat_template: z.enum(CHAT_TEMPLATES).optional(),
});

export const importModel = async (
  options: ImportModelOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  if (!OwnModelSlug.safeParse(options.name).success) {
    throw usage('--name: expected 1 to 64 of a-z, digits, and ".", "_", "-" inside');
  }
  const card = await cardIn(options.card);
  const files = {
    file: await contentOf(options.file),
    config: await contentOf(options.config),
    tokenizer: await contentOf(options.tokenizer),
  };
  if (files.file === null) throw usage('expected a file');
  const { file, config, tokenizer } = files;
  const offer = await catalogOffer(invocation);
  const { model } = await withQuipu(invocation, NEEDS, async (quipu) => {
    const accountId = await accountOf(quipu, options.user);
    const { card: rates } = await quipu.queries.execute(
      new RateCardQuery({ at: instant(quipu.clock) }),
    );
    const { version, batchDiscountPercent } = rates;
    const priced = await new OfferedModels({
      models: () => offer.models,
      rateFor: (id) => {
        const found = rates.models.find(({ modelId }) => modelId === id);
        if (!found) return undefined;
        const { modelId: _, ...price } = found;
        return { ...price, version, batchDiscountPercent };
      },
    }).list();
    const { name, licence, source } = card;
    const order = {
      accountId,
      slug: options.name,
      files: { file, config, tokenizer },
      card: { name, licence, source, baseTokenizer: card.base_tokenizer ?? null },
      contextTokens: card.context_length ?? null,
      chatTemplate: card.chat_template ?? null,
      priced,
    };
    const command = new ImportModelCommand(order, invocation.signal, quipu.context());
    return quipu.commands.execute(command);
  });
  const pricedAs = model.origin.kind === 'upload' ? model.origin.pricedAs : null;
  const { parameters, contextTokens, bytes, sha256 } = model;
  return {
    json: {
      model: nameOf(model),
      parameters,
      context_length: contextTokens,
      bytes,
      sha256,
      priced_as: pricedAs,
    },
    text:
      `The model ${nameOf(model)} has ${parameters} parameters and a context of ` +
      `${contextTokens} tokens, and is priced as ${pricedAs ?? '-'}.`,
  };
};

const cardIn = async (file: string): Promise<z.infer<typeof Card>> => {
  const text = await readFile(file, 'utf8').catch((error: unknown) => unreadable(file, error));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw usage(`${file}: expected JSON`);
  }
  const card = Card.safeParse(json);
  if (card.success) return card.data;
  const [issue] = card.error.issues;
  throw usage(`${file}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is no card'}`);
};

const contentOf = async (file: string | undefined): Promise<Uint8Array | null> => {
  if (file === undefined) return null;
  try {
    const { size } = await stat(file);
    if (size <= OWN_MODEL_BYTES_MAX) return new Uint8Array(await readFile(file));
  } catch (error) {
    return unreadable(file, error);
  }
  throw usage(`${file}: expected at most ${OWN_MODEL_BYTES_MAX} bytes`);
};

const unreadable = (file: string, error: unknown): never => {
  throw usage(`${file}: ${error instanceof Error ? error.message : String(error)}`);
};
