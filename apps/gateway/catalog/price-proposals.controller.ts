import { createHash } from 'node:crypto';
import { Body, Controller, Get, HttpCode, Post, Query, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { CatalogError } from '#areas/catalog/catalog.error.js';
import { type CatalogErrorCode } from '#areas/catalog/catalog.errors.js';
import { PriceListError, readPriceList } from '#areas/catalog/proposals/price-list.js';
import {
  type CatalogProposal,
  ProposePricesQuery,
  PublishProposalCommand,
} from '#areas/catalog/proposals/propose-prices.handler.js';
import { RateCardsQuery } from '#areas/catalog/rate-card.handler.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Roles } from '../identity/roles.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PageDto, presentPage } from '../pages/page.dto.js';
import { asOfOf } from '../time-travel/as-of.dto.js';
import {
  PriceListDto,
  PriceProposalDto,
  ProposalPublishedDto,
  PublishedProposalDto,
  RateCardListDto,
} from './price-proposals.dto.js';

/** The prices of lists of others, for the catalog of this gateway. */
@ApiTags('catalog')
@Credentials('api-key', 'app-token')
@UseGuards(ApiGuard)
@Roles('Admin')
@Scope('operate')
@Controller('api/v1')
export class PriceProposalsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly commands: CommandBus,
  ) {}

  @Get('rate_cards')
  @ApiOperation({
    summary: 'List the rate cards',
    description: 'Only for an Admin. Each with the price list of its proposal, where it was one.',
  })
  @ApiOkResponse({ type: RateCardListDto, description: 'A page of the rate cards.' })
  async list(@Query() query: PageDto): Promise<RateCardListDto> {
    const { page, limit } = query;
    const found = await this.queries.execute(new RateCardsQuery(page, limit, asOfOf(query)));
    return {
      ...presentPage(query, found),
      rate_cards: found.cards.map((card) => ({
        version: card.version,
        effective_from: card.effectiveFrom,
        published_at: card.publishedAt,
        models: card.models.length,
        proposed_from: card.proposedFrom ?? null,
      })),
    };
  }

  @Post('price_proposals')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Propose prices from a list',
    description:
      'Only for an Admin. The difference that a price list makes for the models of the catalog ' +
      'file, as `quipu prices propose` shows it. Nothing is written.',
  })
  @ApiOkResponse({ type: PriceProposalDto, description: 'The difference.' })
  @FailsWith('catalog_invalid')
  async propose(@Body() body: PriceListDto): Promise<PriceProposalDto> {
    const proposal = await this.#proposal(body);
    const { list, models, isChanged } = proposal;
    return {
      success: true,
      ...list,
      catalog_sha256: catalogOf(proposal),
      is_changed: isChanged,
      models,
    };
  }

  @Post('price_proposals/publish')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Publish the prices of a list',
    description:
      'Only for an Admin. They become the next rate card, and are written to the catalog file.',
  })
  @ApiOkResponse({ type: ProposalPublishedDto, description: 'The rate card is published.' })
  @FailsWith('catalog_invalid', 'catalog_changed', 'catalog_not_writable')
  async publish(
    @Body() body: PublishedProposalDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<ProposalPublishedDto> {
    const proposal = await this.#proposal(body);
    if (catalogOf(proposal) !== body.catalog_sha256) {
      throw new DomainError<CatalogErrorCode>(
        'catalog_changed',
        'the catalog has changed since the proposal was made: propose again',
      );
    }
    if (!proposal.isChanged) throw rejectedField('list', 'expected a list that changes a price');
    const context = contextOf(request.id, `user:${userId}`);
    const command = new PublishProposalCommand(proposal, context);
    const { position } = await this.commands.execute(command);
    return { success: true, position: position.toString() };
  }

  async #proposal({ list, provider }: PriceListDto): Promise<CatalogProposal> {
    const options = provider === undefined ? {} : { provider };
    try {
      const read = readPriceList(Buffer.from(list));
      return await this.queries.execute(new ProposePricesQuery(read, options));
    } catch (error) {
      if (error instanceof PriceListError) throw rejectedField('list', error.message);
      if (!(error instanceof CatalogError)) throw error;
      throw new DomainError<CatalogErrorCode>('catalog_invalid', error.message);
    }
  }
}

/** By which a publication finds the catalog that its proposal was shown for. */
const catalogOf = ({ current }: CatalogProposal): string =>
  createHash('sha256').update(current).digest('hex');
