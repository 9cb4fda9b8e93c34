import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type SealedBlob } from '#events/vaults/vault.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { AccountTurns } from '#platform/runtime/commands/account-turns.js';
import { type CommandContext, followUp } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import { vaultsOfAccount, vaultsPrefix } from '#projections/vaults/vaults-of-account.projection.js';
import { type Attributes, type VaultLabel } from './labels.js';
import { Clearances, type VaultCaller } from './clearances.js';
import { StoredVaults } from './stored-vaults.js';
import { TextVectorizer, type VectorModel } from './text-vectors.port.js';
import { type OpenVault } from './vault.decider.js';
import { VaultMemory } from './vault-memory.js';
import { documentNotFound, reject, vaultNotFound } from './vaults.errors.js';
import { VaultFailure } from './vaults.failures.js';
import { VAULT_SETTINGS, type VaultSettings } from './vaults.settings.js';

export const NAME_LENGTH_MAX = 128;

export interface NewVault {
  readonly accountId: string;
  readonly userId: UserId;
  readonly name: string;
  readonly metadata?: VaultLabel['metadata'];
  /** Null: the model that the operator has set. */
  readonly model: string | null;
}

/** Creates a vault. A repeat of the request is the same vault. */
export class CreateVaultCommand extends Command<OpenVault> {
  constructor(
    readonly order: NewVault,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** One creation of an account at a time in a process: the next one sees the one before. */
const TURNS = { total: 16, perAccount: 1, reserve: 4, waitingMax: 16, waitMsMax: 10_000 };

@CommandHandler(CreateVaultCommand)
export class CreateVaultHandler implements ICommandHandler<CreateVaultCommand> {
  readonly #turns = new AccountTurns(TURNS, (options) => busy(options));

  constructor(
    private readonly vaults: StoredVaults,
    private readonly vectorizer: TextVectorizer,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'count'>,
    @Inject(VAULT_SETTINGS) private readonly settings: VaultSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError, VaultFailure */
  async execute({ order, context }: CreateVaultCommand): Promise<OpenVault> {
    const { accountId } = order;
    const model = this.#modelOf(order.model ?? this.settings.model);
    return this.#turns.run(accountId, () => this.#create(order, model, context));
  }

  #modelOf(name: string): { readonly id: string; readonly dimensions: number } {
    const model: VectorModel =
      this.vectorizer.model(name) ??
      reject('vault_model_not_found', `model: there is no embedding model ${name}`);
    const { id, dimensions } = model;
    if (dimensions !== null) return { id, dimensions };
    const detail = `model: the catalog does not say how long the vectors of ${id} are`;
    return reject('vault_model_unsuitable', detail);
  }

  async #create(
    { accountId, userId, name, metadata = {} }: NewVault,
    { id: model, dimensions }: { readonly id: string; readonly dimensions: number },
    context: CommandContext,
  ): Promise<OpenVault> {
    const vaultId = derivedId('vault', context.requestId);
    const known = await this.vaults.stateOf(vaultId);
    if (known.status === 'open') return known;
    const { vaultsMax } = this.settings;
    const has = await this.projections.count(vaultsOfAccount, vaultsPrefix(accountId));
    if (has >= vaultsMax) {
      return reject('too_many_vaults', `the account has ${vaultsMax} vaults; delete some first`);
    }
    const sealedLabel = await this.vaults.sealVaultLabel(userId, { name, metadata });
    const createdAt = instant(this.clock);
    const data = { vaultId, accountId, userId, sealedLabel, model, dimensions, createdAt };
    const { state } = await this.vaults.run(vaultId, { type: 'CreateVault', data }, context);
    return state.status === 'open' ? state : vaultNotFound();
  }
}

const busy = (options?: ErrorOptions): VaultFailure =>
  new VaultFailure('busy', 'too many vaults of the account are being created; try again', options);

/** Gives a vault another name or other metadata; what is left out stays. */
export class DescribeVaultCommand extends Command<void> {
  constructor(
    readonly vaultId: string,
    readonly accountId: string,
    readonly changes: Partial<VaultLabel>,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(DescribeVaultCommand)
export class DescribeVaultHandler implements ICommandHandler<DescribeVaultCommand> {
  constructor(
    private readonly vaults: StoredVaults,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `vault_not_found` */
  async execute({ vaultId, accountId, changes, context }: DescribeVaultCommand): Promise<void> {
    const { vault } = await this.vaults.find(vaultId, accountId);
    const known = await this.vaults.vaultLabelOf(vault.userId, vault.sealedLabel);
    const label = { name: '', metadata: {}, ...known, ...changes };
    const sealedLabel = await this.vaults.sealVaultLabel(vault.userId, label);
    const data = { sealedLabel, describedAt: instant(this.clock) };
    await this.vaults.run(vault.vaultId, { type: 'DescribeVault', data }, context);
  }
}

/** Of a vault as its owner sees it. */
abstract class OnOwnVault extends Command<void> {
  constructor(
    readonly vaultId: string,
    readonly caller: VaultCaller,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** Destroys the keys of a vault: no copy of its content opens any more. */
export class EraseVaultCommand extends OnOwnVault {}

@CommandHandler(EraseVaultCommand)
export class EraseVaultHandler implements ICommandHandler<EraseVaultCommand> {
  constructor(
    private readonly vaults: StoredVaults,
    private readonly clearances: Clearances,
    private readonly memory: VaultMemory,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `vault_not_found`, `clearance_of_account_needed` */
  async execute({ vaultId: asked, caller, context }: EraseVaultCommand): Promise<void> {
    const state = await this.vaults.find(asked, caller.accountId);
    await this.clearances.demandThatOfAccount(caller);
    const { vaultId } = state.vault;
    const data = { reason: 'requested', erasedAt: instant(this.clock) } as const;
    await this.vaults.run(vaultId, { type: 'EraseVault', data }, context);
    await this.vaults.destroyKeys(vaultId);
    await this.memory.forget(vaultId);
  }
}

/** Gives a vault a new key. A saga seals the older content with it, then destroys the old key. */
export class RotateVaultKeyCommand extends OnOwnVault {}

@CommandHandler(RotateVaultKeyCommand)
export class RotateVaultKeyHandler implements ICommandHandler<RotateVaultKeyCommand> {
  constructor(
    private readonly vaults: StoredVaults,
    private readonly clearances: Clearances,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError */
  async execute({ vaultId, caller, context }: RotateVaultKeyCommand): Promise<void> {
    const { vault } = await this.vaults.find(vaultId, caller.accountId);
    await this.clearances.demandThatOfAccount(caller);
    const data = { rotatedAt: instant(this.clock) };
    await this.vaults.run(vault.vaultId, { type: 'RotateKey', data }, context);
  }
}

/** Gives a document other attributes. */
export class DescribeDocumentCommand extends Command<void> {
  constructor(
    readonly vaultId: string,
    readonly documentId: string,
    readonly attributes: Attributes,
    readonly caller: VaultCaller,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(DescribeDocumentCommand)
export class DescribeDocumentHandler implements ICommandHandler<DescribeDocumentCommand> {
  constructor(
    private readonly vaults: StoredVaults,
    private readonly clearances: Clearances,
    @Inject(VAULT_SETTINGS) private readonly settings: VaultSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `vault_not_found`, `vault_document_not_found`, `vault_key_changed` */
  async execute({ attributes, caller, context, ...asked }: DescribeDocumentCommand): Promise<void> {
    const { vault, documents } = await this.vaults.find(asked.vaultId, caller.accountId);
    const { vaultId } = vault;
    const document = documents.get(asked.documentId);
    if (!document) return documentNotFound();
    const sight = { clearance: await this.clearances.of(caller), words: this.settings.words };
    const label = { ...(await this.vaults.labelOf(vaultId, document)), attributes };
    const { documentId, keyGeneration } = document;
    const sealedLabel = await this.vaults.sealLabel(vaultId, keyGeneration, label);
    const describedAt = instant(this.clock);
    const data = { documentId, keyGeneration, sealedLabel, describedAt, sight };
    await this.vaults.run(vaultId, { type: 'DescribeDocument', data }, context);
  }
}

export class DeleteDocumentCommand extends Command<void> {
  constructor(
    readonly vaultId: string,
    readonly documentId: string,
    readonly caller: VaultCaller,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(DeleteDocumentCommand)
export class DeleteDocumentHandler implements ICommandHandler<DeleteDocumentCommand> {
  constructor(
    private readonly vaults: StoredVaults,
    private readonly clearances: Clearances,
    @Inject(VAULT_SETTINGS) private readonly settings: VaultSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `vault_not_found`, `vault_document_not_found` */
  async execute({ vaultId, documentId, caller, context }: DeleteDocumentCommand): Promise<void> {
    const { vault } = await this.vaults.find(vaultId, caller.accountId);
    const clearance = await this.clearances.of(caller);
    const sight = { clearance, words: this.settings.words };
    const id = documentId.toLowerCase();
    const data = { documentId: id, sight, deletedAt: instant(this.clock) };
    await this.vaults.run(vault.vaultId, { type: 'DeleteDocument', data }, context);
  }
}

/** A command of `vault-content.saga.ts`. Each may come twice. */
abstract class OnVault extends Command<void> {
  constructor(
    readonly vaultId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

export class RetainDocumentsCommand extends Command<void> {
  constructor(
    readonly vaultId: string,
    readonly documentIds: readonly string[],
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RetainDocumentsCommand)
export class RetainDocumentsHandler implements ICommandHandler<RetainDocumentsCommand> {
  constructor(private readonly vaults: StoredVaults) {}

  execute({ vaultId, documentIds }: RetainDocumentsCommand): Promise<void> {
    return this.vaults.retainContent(vaultId, documentIds);
  }
}

export class ReleaseDocumentsCommand extends Command<void> {
  constructor(
    readonly vaultId: string,
    readonly documents: readonly SealedBlob[],
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(ReleaseDocumentsCommand)
export class ReleaseDocumentsHandler implements ICommandHandler<ReleaseDocumentsCommand> {
  constructor(private readonly vaults: StoredVaults) {}

  execute({ vaultId, documents }: ReleaseDocumentsCommand): Promise<void> {
    return this.vaults.release(vaultId, documents);
  }
}

export class ResealVaultCommand extends OnVault {}

@CommandHandler(ResealVaultCommand)
export class ResealVaultHandler implements ICommandHandler<ResealVaultCommand> {
  constructor(private readonly vaults: StoredVaults) {}

  execute({ vaultId, context }: ResealVaultCommand): Promise<void> {
    return this.vaults.reseal(vaultId, context);
  }
}

export class DestroyVaultKeysCommand extends OnVault {}

@CommandHandler(DestroyVaultKeysCommand)
export class DestroyVaultKeysHandler implements ICommandHandler<DestroyVaultKeysCommand> {
  constructor(private readonly vaults: StoredVaults) {}

  execute({ vaultId }: DestroyVaultKeysCommand): Promise<void> {
    return this.vaults.destroyKeys(vaultId);
  }
}

/** The command of `account-vaults.saga.ts`. */
export class EraseVaultsOfAccountCommand extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(EraseVaultsOfAccountCommand)
export class EraseVaultsOfAccountHandler implements ICommandHandler<EraseVaultsOfAccountCommand> {
  constructor(
    private readonly vaults: StoredVaults,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ accountId, context }: EraseVaultsOfAccountCommand): Promise<void> {
    const prefix = vaultsPrefix(accountId);
    const page = { prefix, direction: 'forwards', limit: ERASED_AT_ONCE, offset: 0 } as const;
    for (;;) {
      const { documents } = await this.projections.list(vaultsOfAccount, page);
      if (documents.length === 0) return;
      for (const { document } of documents) await this.#erase(document.vaultId, context);
    }
  }

  async #erase(vaultId: string, context: CommandContext): Promise<void> {
    const cause = { id: context.requestId, correlationId: context.correlationId };
    const data = { reason: 'account_erased', erasedAt: instant(this.clock) } as const;
    const own = followUp(cause, vaultId, context.actor);
    await this.vaults.run(vaultId, { type: 'EraseVault', data }, own);
    await this.vaults.destroyKeys(vaultId);
  }
}

const ERASED_AT_ONCE = 100;
