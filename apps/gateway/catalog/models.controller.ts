import { Controller, Delete, Get, Inject, Optional, Param, Req, UseGuards } from '@nestjs/common';
import {
  ApiExcludeEndpoint,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { Catalog } from '#areas/catalog/catalog.js';
import { FLEET_SETTINGS, type FleetSettings } from '#areas/fleet/fleet.settings.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { OwnModels } from '#platform/own-models/own-models.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { callerContext } from '../identity/caller-context.js';
import { OpenAiErrors } from '../errors/envelope.js';
import { HttpFailure } from '../errors/http-failure.js';
import { withEntryPoints } from '../fleet/entry-points.dto.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { AreaModels } from './area-models.js';
import { presentAreaModel, presentModel, presentOwnModel } from './catalog.presenter.js';
import { DeletedModelDto, ModelDto, ModelListDto } from './models.dto.js';

/** The models of the catalog in OpenAI's shape, under both bases that clients are set up with. */
@ApiTags('catalog')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller(['v1/models', 'api/v1/models'])
export class ModelsController {
  constructor(
    @Inject(Catalog) private readonly catalog: Catalog,
    @Inject(FLEET_SETTINGS) private readonly fleet: FleetSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly ofAreas: AreaModels,
    /** Absent in a process without the area. */
    @Optional() private readonly own?: OwnModels,
  ) {}

  @Get()
  @OpenAiErrors()
  @ApiOperation({
    summary: 'List the models',
    description:
      'Every model of the catalog, every model of the account, and the priced models of spiking ' +
      'networks, pictures, speech and vision, embedded or of an upstream, in the format of ' +
      'OpenAI. `endpoints` names the routes of a model that answers no chats. `api_urls` is an ' +
      'extra field with the regional bases of the API, where they are configured.',
  })
  @ApiOkResponse({
    type: ModelListDto,
    description: 'The models that the account can call with this credential.',
  })
  list(@CurrentCaller() { accountId, credential }: Caller): Readonly<ModelListDto> {
    const others = this.ofAreas.list.filter(({ id }) => !this.catalog.model(id));
    const own = this.own?.ofAccount(accountId) ?? [];
    const all = [
      ...this.catalog.models().map(presentModel),
      ...others.map(presentAreaModel),
      ...own.map(presentOwnModel),
    ];
    const data = all.filter(({ id }) => credential.lists?.allowsModel(id) ?? true);
    return { object: 'list', data, ...withEntryPoints(this.fleet) };
  }

  @Get(':id')
  @OpenAiErrors()
  @ApiOperation({
    summary: 'Get a model',
    description:
      'A model of the catalog, of the account or of an area. The slashes of its id ' +
      'may be percent-encoded or literal.',
  })
  @ApiParam({ name: 'id', description: 'The id of the model.', example: 'quipu/nano' })
  @ApiOkResponse({ type: ModelDto, description: 'The model.' })
  @FailsWith('model_not_found')
  find(@Param('id') id: string, @CurrentCaller() caller: Caller): Readonly<ModelDto> {
    return this.#found(id, caller);
  }

  /** A wildcard, since a route parameter ends at a slash and most ids contain one. */
  @Get('*')
  @OpenAiErrors()
  @ApiExcludeEndpoint()
  findWithSlashes(@Param('*') id: string, @CurrentCaller() caller: Caller): Readonly<ModelDto> {
    return this.#found(id, caller);
  }

  @Delete(':id')
  @OpenAiErrors()
  @ApiOperation({
    summary: 'Delete a model',
    description:
      'A model of the account, such as the result of a distillation. Requests that run ' +
      'finish; the next ones do not find it. The slash of its id may be percent-encoded.',
  })
  @ApiParam({ name: 'id', description: 'The id of the model.', example: '7/nano-tuned' })
  @ApiOkResponse({ type: DeletedModelDto, description: 'The model is deleted.' })
  @FailsWith('model_not_found')
  remove(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<Readonly<DeletedModelDto>> {
    return this.#removed(id, caller, request);
  }

  @Delete('*')
  @OpenAiErrors()
  @ApiExcludeEndpoint()
  removeWithSlashes(
    @Param('*') id: string,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<Readonly<DeletedModelDto>> {
    return this.#removed(id, caller, request);
  }

  async #removed(
    id: string,
    { accountId, userId, credential }: Caller,
    request: FastifyRequest,
  ): Promise<Readonly<DeletedModelDto>> {
    if (!this.own?.find(id, accountId)) return modelNotFound(id);
    const context = callerContext(request, { userId, credential });
    await this.own.remove(accountId, id, instant(this.clock), context);
    return { id, object: 'model', deleted: true };
  }

  #found(id: string, { accountId }: Caller): Readonly<ModelDto> {
    const model = this.catalog.model(id);
    if (model) return presentModel(model);
    const own = this.own?.find(id, accountId);
    if (own) return presentOwnModel(own);
    const other = this.ofAreas.list.find((one) => one.id === id);
    if (other) return presentAreaModel(other);
    return modelNotFound(id);
  }
}

export const modelNotFound = (id: string): never => {
  throw new HttpFailure({
    status: 404,
    code: 'model_not_found',
    message: `the model '${id}' does not exist`,
    param: 'model',
    type: 'invalid_request_error',
  });
};
