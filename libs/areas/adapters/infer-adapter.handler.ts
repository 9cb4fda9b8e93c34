import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type AdapterPrompt, AdapterChats, type AdapterReply } from './adapter-chats.port.js';
import { BaseModels } from './base-models.port.js';
import { AdapterVault, type VaultEntry } from './adapter-vault.js';

export interface AdapterAnswer extends AdapterReply {
  readonly adapter: VaultEntry;
  readonly baseModel: string;
}

/** Answers a prompt with an adapter. */
export class InferAdapterCommand extends Command<AdapterAnswer> {
  constructor(
    readonly order: Omit<AdapterPrompt, 'model'> & {
      /** Null: the model that the adapter was made for. */
      readonly baseModel: string | null;
    },
    readonly signal: AbortSignal,
  ) {
    super();
  }
}

@CommandHandler(InferAdapterCommand)
export class InferAdapterHandler implements ICommandHandler<InferAdapterCommand> {
  constructor(
    private readonly vault: AdapterVault,
    private readonly bases: BaseModels,
    private readonly chats: AdapterChats,
  ) {}

  async execute({ order, signal }: InferAdapterCommand): Promise<AdapterAnswer> {
    const { baseModel, ...prompt } = order;
    const { entry } = await this.vault.find(order.accountId, order.adapterId);
    const model = baseModel ?? entry.baseModel;
    // Before the chat, whose errors speak of a field `model`.
    await this.bases.find(model);
    const reply = await this.chats.complete({ ...prompt, model }, signal);
    return { ...reply, adapter: entry, baseModel: model };
  }
}
