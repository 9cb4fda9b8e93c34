import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type PartnerId } from '#events/partners/partner.vocabulary.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { numberedPage } from '#platform/runtime/projections/numbered-page.js';
import {
  type DocumentReader,
  type Projections,
} from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { LIFETIME } from '#projections/partners/partner-earnings.projection.js';
import { partnerKey } from '#projections/partners/partners.projection.js';
import { type SubUser, subUsers } from '#projections/partners/sub-users.projection.js';
import { type PartnerUser, PartnerUsers } from './partner-users.port.js';
import { type Earned, earnedIn, monthOf } from './partner.queries.js';

export interface ListedSubUser extends SubUser {
  /** Null for an erased user. */
  readonly user: PartnerUser | null;
  readonly month: Earned;
  readonly lifetime: Earned;
}

export interface SubUserPage {
  readonly subUsers: readonly ListedSubUser[];
  readonly total: number;
  readonly position: bigint;
}

/** A page of who is or was a sub-user of a partner, by user id. */
export class SubUsersQuery extends Query<SubUserPage> {
  constructor(
    readonly partnerId: PartnerId,
    /** From 1. */
    readonly page: number,
    readonly limit: number,
    readonly asOf?: AsOf,
  ) {
    super();
  }
}

@QueryHandler(SubUsersQuery)
export class SubUsersHandler implements IQueryHandler<SubUsersQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'at'>,
    private readonly users: PartnerUsers,
  ) {}

  async execute({ partnerId, page, limit, asOf }: SubUsersQuery): Promise<SubUserPage> {
    const reader = await this.projections.at(asOf);
    const prefix = `${partnerKey(partnerId)}/`;
    const { documents, total, position } = await numberedPage(reader, subUsers, {
      prefix,
      page,
      limit,
    });
    const members = documents.flatMap(({ document: { subUser } }) => subUser ?? []);
    const listed = await Promise.all(members.map((one) => this.#listed(reader, partnerId, one)));
    return { subUsers: listed, total, position };
  }

  async #listed(
    reader: DocumentReader,
    partnerId: PartnerId,
    subUser: SubUser,
  ): Promise<ListedSubUser> {
    const { userId, accountId } = subUser;
    const [user, month, lifetime] = await Promise.all([
      this.users.find(userId),
      earnedIn(reader, partnerId, monthOf(reader.readAt), accountId),
      earnedIn(reader, partnerId, LIFETIME, accountId),
    ]);
    return { ...subUser, user, month, lifetime };
  }
}
