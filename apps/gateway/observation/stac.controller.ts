import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import {
  CollectionQuery,
  CollectionsQuery,
  ObservationQuery,
} from '#areas/observation/observation.queries.js';
import { reject } from '#areas/observation/observation.errors.js';
import {
  type ObservationSearch,
  SearchObservationsQuery,
} from '#areas/observation/search-observations.query.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  StacCollectionDto,
  StacItemDto,
  StacItemsQueryDto,
  StacSearchDto,
  StacSearchQueryDto,
} from './stac.dto.js';
import { STAC_EXAMPLES } from './stac.examples.js';
import { CONFORMANCE, type StacDocument, StacPresenter } from './stac.presenter.js';

const document = (description: string, example: StacDocument) => ({
  schema: { type: 'object', additionalProperties: true },
  description,
  example,
});

/** The images of an account as a SpatioTemporal Asset Catalog. */
@ApiTags('observation')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/stac')
export class StacController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({
    summary: 'Get the STAC catalog',
    description: 'The landing page of STAC API 1.0.',
  })
  @ApiOkResponse(document('A catalog of STAC 1.1.', STAC_EXAMPLES.landing))
  async landing(
    @CurrentCaller() { accountId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<StacDocument> {
    const all = await this.queries.execute(new CollectionsQuery(accountId));
    return presenterOf(request).landing(all);
  }

  @Get('conformance')
  @ApiOperation({ summary: 'List the classes of STAC API', description: 'As URIs.' })
  @ApiOkResponse(document('The classes that are implemented.', STAC_EXAMPLES.conformance))
  conformance(): StacDocument {
    return { conformsTo: CONFORMANCE };
  }

  @Get('collections')
  @ApiOperation({ summary: 'List the collections', description: 'One for each type of sensor.' })
  @ApiOkResponse(document('The collections of the account.', STAC_EXAMPLES.collections))
  async collections(
    @CurrentCaller() { accountId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<StacDocument> {
    const all = await this.queries.execute(new CollectionsQuery(accountId));
    return presenterOf(request).collections(all);
  }

  @Get('collections/:collection')
  @ApiOperation({ summary: 'Get a collection', description: 'With its extent.' })
  @ApiOkResponse(document('A collection of STAC 1.1.', STAC_EXAMPLES.collection))
  @FailsWith('observation_collection_not_found')
  async collection(
    @Param() { collection }: StacCollectionDto,
    @CurrentCaller() { accountId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<StacDocument> {
    const found = await this.queries.execute(new CollectionQuery(accountId, collection));
    return presenterOf(request).collection(found);
  }

  @Get('collections/:collection/items')
  @ApiOperation({ summary: 'List the items of a collection', description: 'Newest first.' })
  @ApiOkResponse(document('A GeoJSON feature collection.', STAC_EXAMPLES.items))
  @FailsWith('observation_collection_not_found', 'observation_search_invalid')
  async items(
    @Param() { collection }: StacCollectionDto,
    @Query() query: StacItemsQueryDto,
    @CurrentCaller() { accountId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<StacDocument> {
    await this.queries.execute(new CollectionQuery(accountId, collection));
    const path = `/api/v1/stac/collections/${collection}/items`;
    return this.#searchByGet(path, query, { accountId, collections: [collection] }, request);
  }

  @Get('collections/:collection/items/:id')
  @ApiOperation({ summary: 'Get an item', description: 'An image as STAC 1.1 describes it.' })
  @ApiOkResponse(document('An item of STAC 1.1.', STAC_EXAMPLES.item))
  @FailsWith('observation_not_found')
  async item(
    @Param() { collection, id }: StacItemDto,
    @CurrentCaller() { accountId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<StacDocument> {
    const found = await this.queries.execute(new ObservationQuery(id, { accountId }));
    if (found.collection !== collection) {
      return reject('observation_not_found', 'there is no such item in the collection');
    }
    return presenterOf(request).item(found);
  }

  @Get('search')
  @ApiOperation({
    summary: 'Search the items',
    description: 'Items meet every condition. Lists are separated by commas. Newest first.',
  })
  @ApiOkResponse(document('A GeoJSON feature collection.', STAC_EXAMPLES.items))
  @FailsWith('observation_search_invalid')
  searchByGet(
    @Query() query: StacSearchQueryDto,
    @CurrentCaller() { accountId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<StacDocument> {
    const more = {
      accountId,
      collections: listOf(query.collections),
      ids: listOf(query.ids),
      intersects: query.intersects ?? null,
    };
    return this.#searchByGet('/api/v1/stac/search', query, more, request);
  }

  @Post('search')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Search the items by a body',
    description: 'As the search by GET, with the conditions as JSON.',
  })
  @ApiOkResponse(document('A GeoJSON feature collection.', STAC_EXAMPLES.items))
  @FailsWith('observation_search_invalid')
  async searchByPost(
    @Body() body: StacSearchDto,
    @CurrentCaller() { accountId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<StacDocument> {
    const found = await this.queries.execute(
      new SearchObservationsQuery({
        ...searchOf(body),
        accountId,
        bbox: body.bbox ?? null,
        collections: body.collections ?? null,
        ids: body.ids ?? null,
        intersects: body.intersects ? JSON.stringify(body.intersects) : null,
      }),
    );
    const presenter = presenterOf(request);
    return presenter.items(
      found,
      found.next === null ? null : presenter.nextByPost(body, found.next),
    );
  }

  async #searchByGet(
    path: string,
    query: StacItemsQueryDto,
    more: Pick<ObservationSearch, 'accountId'> & Partial<ObservationSearch>,
    request: FastifyRequest,
  ): Promise<StacDocument> {
    const bbox = query.bbox?.split(',').map(Number) ?? null;
    const search = { ...searchOf(query), ids: null, collections: null, intersects: null, bbox };
    const found = await this.queries.execute(new SearchObservationsQuery({ ...search, ...more }));
    const presenter = presenterOf(request);
    const { next } = found;
    return presenter.items(found, next === null ? null : presenter.nextByGet(path, query, next));
  }
}

const presenterOf = ({ protocol, host }: FastifyRequest): StacPresenter =>
  new StacPresenter(`${protocol}://${host}`);

const listOf = (text: string | undefined): readonly string[] | null =>
  text === undefined ? null : text.split(',');

const searchOf = ({
  datetime,
  limit,
  token,
}: Pick<StacItemsQueryDto, 'datetime' | 'limit' | 'token'>) => ({
  datetime: datetime ?? null,
  limit,
  token: token ?? null,
});
