import { Controller, Get, Inject, Optional, Param, UseGuards } from '@nestjs/common';
import {
  ApiExcludeEndpoint,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { Catalog } from '#areas/catalog/catalog.js';
import { FLEET_SETTINGS, type FleetSettings } from '#areas/fleet/fleet.settings.js';
import { ListedNetworks } from '#areas/spiking/listed-networks.js';
import { type StoredCard } from '#areas/spiking/spiking-models.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { HttpFailure } from '../errors/http-failure.js';
import { withEntryPoints } from '../fleet/entry-points.dto.js';
import { ApiGuard } from '../identity/api.guard.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { presentModel, presentNetwork } from './catalog.presenter.js';
import { ModelDto, ModelListDto } from './models.dto.js';

/** The models of the catalog in OpenAI's shape, under both bases that clients are set up with. */
@ApiTags('catalog')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Controller(['v1/models', 'api/v1/models'])
export class ModelsController {
  constructor(
    @Inject(Catalog) private readonly catalog: Catalog,
    @Inject(FLEET_SETTINGS) private readonly fleet: FleetSettings,
    /** Absent in a process without the area. */
    @Optional() private readonly listed?: ListedNetworks,
  ) {}

  get #networks(): readonly StoredCard[] {
    return this.listed?.list ?? [];
  }

  @Get()
  @OpenAiErrors()
  @ApiOperation({
    summary: 'List the models',
    description:
      'Every model of the catalog and every spiking network that has a price, in the format of ' +
      'OpenAI: chats take them all. `api_urls` is an extra field with the regional bases of the ' +
      'API, where they are configured.',
  })
  @ApiOkResponse({ type: ModelListDto, description: 'The models that the account can call.' })
  list(): Readonly<ModelListDto> {
    const networks = this.#networks.filter(({ slug }) => !this.catalog.model(slug));
    const data = [...this.catalog.models().map(presentModel), ...networks.map(presentNetwork)];
    return { object: 'list', data, ...withEntryPoints(this.fleet) };
  }

  @Get(':id')
  @OpenAiErrors()
  @ApiOperation({
    summary: 'Get a model',
    description:
      'A model of the catalog, or a spiking network. The slashes of its id may be ' +
      'percent-encoded or literal.',
  })
  @ApiParam({ name: 'id', description: 'The id of the model.', example: 'quipu/nano' })
  @ApiOkResponse({ type: ModelDto, description: 'The model.' })
  @FailsWith('model_not_found')
  find(@Param('id') id: string): Readonly<ModelDto> {
    return this.#found(id);
  }

  /** A wildcard, since a route parameter ends at a slash and most ids contain one. */
  @Get('*')
  @OpenAiErrors()
  @ApiExcludeEndpoint()
  findWithSlashes(@Param('*') id: string): Readonly<ModelDto> {
    return this.#found(id);
  }

  #found(id: string): Readonly<ModelDto> {
    const model = this.catalog.model(id);
    if (model) return presentModel(model);
    const network = this.#networks.find(({ slug }) => slug === id);
    if (network) return presentNetwork(network);
    throw new HttpFailure({
      status: 404,
      code: 'model_not_found',
      message: `the model '${id}' does not exist`,
      param: 'model',
      type: 'invalid_request_error',
    });
  }
}
