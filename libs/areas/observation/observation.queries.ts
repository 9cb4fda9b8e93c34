import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { numberedPage } from '#platform/runtime/projections/numbered-page.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { type Reader } from '#platform/runtime/projections/reader.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  collectionKey,
  type ObservationCollection,
  observationCollections,
} from '#projections/observation/collections.projection.js';
import {
  type Observation,
  observations,
  observationsPrefix,
} from '#projections/observation/observations.projection.js';
import { reject } from './observation.errors.js';
import { StoredObservations } from './stored-observations.js';

export class ObservationQuery extends Query<Observation> {
  constructor(
    readonly ingestId: string,
    readonly reader: Reader,
  ) {
    super();
  }
}

@QueryHandler(ObservationQuery)
export class ObservationHandler implements IQueryHandler<ObservationQuery> {
  constructor(private readonly stored: StoredObservations) {}

  /** @throws DomainError `observation_not_found` */
  execute({ ingestId, reader }: ObservationQuery): Promise<Observation> {
    return this.stored.find(ingestId, reader);
  }
}

/** The bytes of an image, or of its preview. */
export class ObservationContentQuery extends Query<{
  readonly observation: Observation;
  readonly bytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}> {
  constructor(
    readonly ingestId: string,
    readonly part: 'image' | 'preview',
    readonly reader: Reader,
  ) {
    super();
  }
}

@QueryHandler(ObservationContentQuery)
export class ObservationContentHandler implements IQueryHandler<ObservationContentQuery> {
  constructor(private readonly stored: StoredObservations) {}

  /** @throws DomainError `observation_not_found`, `observation_preview_missing`; BlobError */
  async execute({ ingestId, part, reader }: ObservationContentQuery) {
    const observation = await this.stored.find(ingestId, reader);
    return { observation, ...(await this.stored.open(observation, part)) };
  }
}

export interface ObservationPage {
  readonly observations: readonly Observation[];
  readonly total: number;
  readonly position: bigint;
}

/** A page of the images of an account, by their acquisition, newest first. */
export class ObservationsQuery extends Query<ObservationPage> {
  constructor(
    readonly accountId: string,
    /** From 1. */
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ObservationsQuery)
export class ObservationsHandler implements IQueryHandler<ObservationsQuery> {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list' | 'count'>,
  ) {}

  async execute({ accountId, page, limit }: ObservationsQuery): Promise<ObservationPage> {
    const { documents, total, position } = await numberedPage(this.projections, observations, {
      prefix: observationsPrefix(accountId),
      direction: 'backwards',
      page,
      limit,
    });
    const found = documents.flatMap(({ document }) => document.observation ?? []);
    return { observations: found, total, position };
  }
}

const COLLECTIONS_MAX = 1_000;

/** The collections of an account: one for each type of sensor. */
export class CollectionsQuery extends Query<readonly ObservationCollection[]> {
  constructor(readonly accountId: string) {
    super();
  }
}

@QueryHandler(CollectionsQuery)
export class CollectionsHandler implements IQueryHandler<CollectionsQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>) {}

  async execute({ accountId }: CollectionsQuery): Promise<readonly ObservationCollection[]> {
    const { documents } = await this.projections.list(observationCollections, {
      prefix: collectionKey(accountId, ''),
      direction: 'forwards',
      limit: COLLECTIONS_MAX,
    });
    return documents.map(({ document }) => document);
  }
}

export class CollectionQuery extends Query<ObservationCollection> {
  constructor(
    readonly accountId: string,
    readonly collection: string,
  ) {
    super();
  }
}

@QueryHandler(CollectionQuery)
export class CollectionHandler implements IQueryHandler<CollectionQuery> {
  constructor(@Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get'>) {}

  /** @throws DomainError `observation_collection_not_found` */
  async execute({ accountId, collection }: CollectionQuery): Promise<ObservationCollection> {
    const key = collectionKey(accountId, collection);
    const { document } = await this.projections.get(observationCollections, key);
    const detail = `there is no collection ${collection}`;
    return document ?? reject('observation_collection_not_found', detail);
  }
}
