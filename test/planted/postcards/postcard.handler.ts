import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { reject } from './postcards.errors.js';
import { type ListedPostcard, postcards } from './postcards.projection.js';

/** One postcard of an account. @throws DomainError `postcard_not_found` */
export class PostcardQuery extends Query<ListedPostcard> {
  constructor(
    readonly accountId: string,
    readonly postcardId: string,
  ) {
    super();
  }
}

@QueryHandler(PostcardQuery)
export class PostcardHandler implements IQueryHandler<PostcardQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Projections) {}

  async execute({ accountId, postcardId }: PostcardQuery): Promise<ListedPostcard> {
    const { document } = await this.projections.get(postcards, postcardId);
    if (document?.accountId === accountId) return document;
    return reject('postcard_not_found', `there is no postcard ${postcardId}`);
  }
}
