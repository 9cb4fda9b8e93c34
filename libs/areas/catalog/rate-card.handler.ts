import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { type DocumentReader } from '#platform/runtime/projections/document-reader.js';
import { numberedPage } from '#platform/runtime/projections/numbered-page.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
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

/** Which card: that of a version, that in force at an instant, or the newest one. */
export type RateCardChoice =
  | { readonly version: number }
  /** ISO 8601 UTC with milliseconds. */
  | { readonly at: string }
  | 'newest';

/** One rate card. */
export class RateCardQuery extends Query<RateCardFound> {
  constructor(
    readonly choice: RateCardChoice,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(RateCardQuery)
export class RateCardHandler implements IQueryHandler<RateCardQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Projections) {}

  /** @throws DomainError rate_card_not_found */
  async execute({ choice, asOf }: RateCardQuery): Promise<RateCardFound> {
    const reader = await this.projections.at(asOf);
    if (choice === 'newest') {
      return (await newest(reader)) ?? reject('no rate card was published yet');
    }
    if ('version' in choice) {
      const { version } = choice;
      return (await ofVersion(reader, version)) ?? reject(`there is no rate card ${version}`);
    }
    return (
      (await inForce(reader, choice.at)) ?? reject(`no rate card was in force at ${choice.at}`)
    );
  }
}

const newest = async (reader: DocumentReader): Promise<RateCardFound | undefined> => {
  const last = { direction: 'backwards', limit: 1 } as const;
  const { documents, position } = await reader.list(rateCards, last);
  const card = documents[0]?.document;
  return card && { card, position };
};

const ofVersion = async (
  reader: DocumentReader,
  version: number,
): Promise<RateCardFound | undefined> => {
  const { document, position } = await reader.get(rateCards, rateCardKey(version));
  return document && { card: document, position };
};

/** Versions are 1, 2, … without a gap, and none is in force before its predecessor. */
const inForce = async (reader: DocumentReader, at: string): Promise<RateCardFound | undefined> => {
  const last = await newest(reader);
  if (!last || last.card.effectiveFrom <= at) return last;
  let found: RateCardFound | undefined;
  let [first, before] = [1, last.card.version - 1];
  while (first <= before) {
    const middle = Math.floor((first + before) / 2);
    const one = await ofVersion(reader, middle);
    if (one && one.card.effectiveFrom <= at) [found, first] = [one, middle + 1];
    else before = middle - 1;
  }
  return found;
};

const reject = (message: string): never => {
  throw new DomainError<CatalogErrorCode>('rate_card_not_found', message);
};

export interface RateCardPage {
  /** The newest one first. */
  readonly cards: readonly RateCardDocument[];
  readonly total: number;
  readonly position: bigint;
}

/** A page of the rate cards. */
export class RateCardsQuery extends Query<RateCardPage> {
  constructor(
    /** From 1. */
    readonly page: number,
    readonly limit: number,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(RateCardsQuery)
export class RateCardsHandler implements IQueryHandler<RateCardsQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>) {}

  async execute({ page, limit, asOf }: RateCardsQuery): Promise<RateCardPage> {
    const reader = await this.projections.at(asOf);
    const order = { direction: 'backwards', page, limit } as const;
    const { documents, total, position } = await numberedPage(reader, rateCards, order);
    return { cards: documents.map(({ document }) => document), total, position };
  }
}
