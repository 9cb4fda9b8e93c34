import { Controller, Get, Inject, Query, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Catalog } from '#areas/catalog/catalog.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { modelNotFound } from '../catalog/models.controller.js';
import { ApiGuard } from '../identity/api.guard.js';
import { Roles } from '../identity/roles.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { type ModelRankingDto, RoutingDto, RoutingQueryDto } from './routing.dto.js';
import { presentRanking, presentRoutedRig } from './routing.presenter.js';

/** For Admins only: the purchase prices of rigs are never shown to customers. */
@ApiTags('rigs')
@Credentials('api-key', 'app-token')
@UseGuards(ApiGuard)
@Roles('Admin')
@Scope('operate')
@Controller('api/v1/routing')
export class RoutingController {
  constructor(
    @Inject(RIGS) private readonly router: Pick<RigRouter, 'status' | 'ranking'>,
    private readonly catalog: Catalog,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'How requests are routed',
    description:
      'Only for an Admin. The rigs that this gateway asks, with their circuit breakers, and for ' +
      'a `model` their scores: a chat without wishes asks the rig with the lowest one. Each ' +
      'gateway has its own view.',
  })
  @ApiOkResponse({ type: RoutingDto, description: 'The rigs, and the ranking of the model.' })
  @FailsWith('model_not_found')
  find(@Query() { model }: RoutingQueryDto): RoutingDto {
    return {
      success: true,
      rigs: this.router.status().map(presentRoutedRig),
      models: this.catalog.models().map(({ id }) => id),
      ranking: model === undefined ? null : this.#rankingOf(model),
    };
  }

  #rankingOf(id: string): ModelRankingDto {
    const model = this.catalog.model(id) ?? modelNotFound(id);
    return presentRanking(model, this.router.ranking(id));
  }
}
