import { readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { Inject } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { Catalog } from '../catalog.js';
import { type RateCardReceipt } from '../publish-rate-card.handler.js';
import { type CatalogErrorCode } from '../catalog.errors.js';
import { CATALOG_SETTINGS, type CatalogSettings } from '../catalog.settings.js';
import { type PriceList } from './price-list.js';
import { type PriceProposal, type ProposalOptions, proposePrices } from './price-proposal.js';

/** A proposal for the catalog file of this installation. */
export interface CatalogProposal extends PriceProposal {
  readonly file: string;
  /** The text that it changes. */
  readonly current: string;
  readonly list: Pick<PriceList, 'format' | 'sha256'>;
}

/** Asks for the catalog file with the prices of a list; nothing is written. */
export class ProposePricesQuery extends Query<CatalogProposal> {
  constructor(
    readonly list: PriceList,
    readonly options: ProposalOptions,
  ) {
    super();
  }
}

@QueryHandler(ProposePricesQuery)
export class ProposePricesHandler implements IQueryHandler<ProposePricesQuery> {
  constructor(@Inject(CATALOG_SETTINGS) private readonly settings: CatalogSettings) {}

  async execute({ list, options }: ProposePricesQuery): Promise<CatalogProposal> {
    const { catalogFile: file } = this.settings;
    const current = await readFile(file, 'utf8');
    const { format, sha256 } = list;
    const proposal = proposePrices(current, file, list.rows, options);
    return { ...proposal, file, current, list: { format, sha256 } };
  }
}

/** Publishes a proposal as the next rate card, and writes it to the catalog file. */
export class PublishProposalCommand extends Command<RateCardReceipt> {
  constructor(
    readonly proposal: CatalogProposal,
    readonly context?: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(PublishProposalCommand)
export class PublishProposalHandler implements ICommandHandler<PublishProposalCommand> {
  constructor(private readonly catalog: Catalog) {}

  /**
   * The card comes first, so that its event names the list: a server that reads the file afterwards
   * finds its prices in force.
   * @throws DomainError `catalog_changed`, `catalog_not_writable`; errors of the file system
   */
  async execute({ proposal, context }: PublishProposalCommand): Promise<RateCardReceipt> {
    const { file, source, current, list } = proposal;
    // A link stays, and leads to the new text.
    const target = await realpath(file);
    const draft = `${target}.proposed`;
    if ((await readFile(target, 'utf8')) !== current) {
      throw new DomainError<CatalogErrorCode>(
        'catalog_changed',
        `${file} has changed since the proposal was made: propose again`,
      );
    }
    await writeFile(draft, source, { mode: (await stat(target)).mode }).catch(
      rejectUnwritable(file),
    );
    let receipt: RateCardReceipt;
    try {
      receipt = await this.catalog.publishPrices(source, list, context);
    } catch (error) {
      await rm(draft);
      throw error;
    }
    await rename(draft, target);
    return receipt;
  }
}

const UNWRITABLE = new Set<unknown>(['EACCES', 'EPERM', 'EROFS']);

const rejectUnwritable =
  (file: string) =>
  (error: unknown): never => {
    if (!Error.isError(error) || !('code' in error) || !UNWRITABLE.has(error.code)) throw error;
    throw new DomainError<CatalogErrorCode>(
      'catalog_not_writable',
      `${file} cannot be written: change its prices where it comes from`,
    );
  };
