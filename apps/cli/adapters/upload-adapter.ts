import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { UploadAdapterCommand } from '#areas/adapters/upload-adapter.handler.js';
import { UserId } from '#events/vocabulary.js';
import { EmbeddedBaseModels } from '../../composition/adapters/base-models.binding.js';
import { CommandFailure } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { catalogOffer } from '../rigs/catalog-rigs.js';
import { accountOf } from '../user-option.js';
import { adapterJson } from './adapter-fields.js';
import { ADAPTER_NEEDS } from './adapter-needs.js';

export interface UploadAdapterOptions extends CommonOptions {
  readonly folder: string;
  readonly user: string;
  readonly slug: string;
  readonly category: string;
  readonly baseModel: string;
}

export const uploadAdapter = async (
  { folder, user, slug, category, baseModel: modelId }: UploadAdapterOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const config = (await read(folder, 'adapter_config.json')).toString('utf8');
  const weights = await read(folder, 'adapter_model.safetensors');
  const { rigs, models } = await catalogOffer(invocation);
  const entry = await withQuipu(invocation, ADAPTER_NEEDS, async (quipu) => {
    const { commands, queries, context } = quipu;
    const accountId = await accountOf({ queries }, user);
    const baseModel = await new EmbeddedBaseModels({
      model: (id) => models.find((one) => one.id === id),
      rigs: () => rigs,
    }).find(modelId);
    const owner = { accountId, userId: UserId.parse(Number(accountId)) };
    const upload = { slug, category, baseModel, config, weights };
    return commands.execute(new UploadAdapterCommand(owner, upload, context()));
  });
  return {
    json: adapterJson(entry),
    text: `The adapter ${entry.slug} (${entry.adapterId}) fits ${entry.baseModel} and is stored.`,
  };
};

const read = async (folder: string, name: string): Promise<Buffer> => {
  const file = path.join(folder, name);
  return readFile(file).catch((cause: unknown) => {
    throw new CommandFailure('bad_adapter', `${file} cannot be read`, EXIT.usage, { cause });
  });
};
