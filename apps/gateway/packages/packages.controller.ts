import {
  Body,
  Controller,
  Get,
  HttpStatus,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { OrderPackageCommand } from '#areas/packages/order-package.handler.js';
import { PackageQuery, PackagesQuery } from '#areas/packages/package.queries.js';
import { callerContext } from '../identity/caller-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  OrderPackageDto,
  PackageDetailsDto,
  PackageIdDto,
  PackageListDto,
  PackagesPageDto,
  ScifPackageDto,
} from './packages.dto.js';
import { presentDetails, presentPackage, presentPackages } from './packages.presenter.js';

/** Air-gapped packages of models. */
@ApiTags('packages')
@Credentials('api-key', 'app-token', 'renter-key')
@UseGuards(ApiGuard)
@Scope('inference')
@Controller('api/v1/scif')
export class PackagesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('package.php')
  @Idempotent()
  @ApiOperation({
    summary: 'Package a model',
    description:
      'A sealed tar archive that is verified and run without a network. The price of its bytes ' +
      'is held before the work. If it takes longer than the request waits, the answer is 202 ' +
      'with null in the missing fields, and `GET /api/v1/jobs/{package_uuid}` follows it.',
  })
  @ApiOkResponse({ type: ScifPackageDto, description: 'The package, ready to be downloaded.' })
  @ApiAcceptedResponse({ type: ScifPackageDto, description: 'The package, which is being made.' })
  @FailsWith(
    'package_model_unknown',
    'package_model_unsuitable',
    'package_too_large',
    'package_not_priced',
    'package_limit_reached',
    'insufficient_balance',
    'budget_exceeded',
    'too_many_jobs',
  )
  async order(
    @Body() body: OrderPackageDto,
    @CurrentCaller() { accountId, userId, credential }: Caller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ScifPackageDto> {
    const order = {
      accountId,
      userId,
      packageName: body.package_name,
      modelSource: body.model_source,
      hardwareArchitecture: body.target_hardware_architecture ?? null,
      licenceDays: body.offline_license_duration_days,
    };
    const context = callerContext(request, { userId, credential });
    const shown = await this.commands.execute(new OrderPackageCommand(order, context));
    void reply.status(shown.status === 'ready' ? HttpStatus.OK : HttpStatus.ACCEPTED);
    return presentPackage(shown);
  }

  @Get('packages')
  @ApiOperation({ summary: 'List the packages', description: 'The newest first.' })
  @ApiOkResponse({ type: PackageListDto, description: 'A page of packages.' })
  async list(
    @Query() query: PackagesPageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<PackageListDto> {
    const { page, limit } = query;
    return presentPackages(
      query,
      await this.queries.execute(new PackagesQuery(accountId, page, limit)),
    );
  }

  @Get('packages/:package_uuid')
  @ApiOperation({ summary: 'Get a package', description: 'Its account alone sees it.' })
  @ApiOkResponse({ type: PackageDetailsDto, description: 'The package.' })
  @FailsWith('package_not_found')
  async retrieve(
    @Param() { package_uuid: uuid }: PackageIdDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<PackageDetailsDto> {
    return presentDetails(await this.queries.execute(new PackageQuery(accountId, uuid)));
  }
}
