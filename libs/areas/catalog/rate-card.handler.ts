import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type Projections } from '#platform/runtime/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  rateCardKey,
  rateCards,
  type RateCardDocument,
} from '#projections/catalog/rate-cards.projection.js';
import { type CatalogErrorCode } from './catalog.errors.js';

export interface RateCardFound {
  readonly card: RateCardDocument;
  readonly position: bigint;
}

/** One rate card: of a given version, or the newest one, which is in force. */
export class RateCardQuery extends Query<RateCardFound> {
  constructor(readonly version: number | null) {
    super();
  }
}

@QueryHandler(RateCardQuery)
export class RateCardHandler implements IQueryHandler<RateCardQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Projections) {}

  /** @throws DomainError rate_card_not_found */
  async execute({ version }: RateCardQuery): Promise<RateCardFound> {
    const range = version === null ? {} : { prefix: rateCardKey(version) };
    const { documents, position } = await this.projections.list(rateCards, {
      ...range,
      direction: 'backwards',
      limit: 1,
    });
    const card = documents[0]?.document;
    if (card) return { card, position };
    throw new DomainError<CatalogErrorCode>(
      'rate_card_not_found',
      version === null ? 'no rate card was published yet' : `there is no rate card ${version}`,
    );
  }
}
