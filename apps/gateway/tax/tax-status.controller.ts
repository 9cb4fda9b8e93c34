import { Body, Controller, Get, Param, Put, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { SetTaxStatusCommand, TaxStatusQuery } from '#areas/tax/tax-status.handlers.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { AccountIdDto } from '../fields/account-id.dto.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Roles } from '../identity/roles.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { AccountHolderGuard } from './account-holder.guard.js';
import { DeclareCountryDto, SetTaxStatusDto, TaxStatusDto } from './tax.dto.js';
import { presentTaxStatus } from './tax.presenter.js';

@ApiTags('tax')
@Credentials('api-key', 'app-token')
@UseGuards(AccountHolderGuard)
@Scope('manage_money')
@Controller('api/v1/tax_status')
export class TaxStatusController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Scope('read_billing')
  @ApiOperation({
    summary: 'Get the tax status of the account',
    description: 'Every field is null until a country is set.',
  })
  @ApiOkResponse({ type: TaxStatusDto, description: 'The tax status.' })
  find(@CurrentCaller() { accountId }: Caller): Promise<TaxStatusDto> {
    return this.#statusOf(accountId);
  }

  @Put()
  @ApiOperation({
    summary: 'Declare the country of the account',
    description:
      'Another country than before ends the exemption, the business status and the treaty claim, ' +
      'which only an Admin sets.',
  })
  @ApiOkResponse({ type: TaxStatusDto, description: 'The tax status after the change.' })
  @FailsWith('country_unknown', 'region_unknown')
  async declare(
    @CurrentCaller() { accountId, userId }: Caller,
    @Body() { country, region }: DeclareCountryDto,
    @Req() request: FastifyRequest,
  ): Promise<TaxStatusDto> {
    const change = { accountId, country, region: region ?? null };
    const context = contextOf(request.id, `user:${userId}`);
    await this.commands.execute(new SetTaxStatusCommand(change, context));
    return this.#statusOf(accountId);
  }

  @Put(':account_id')
  @Roles('Admin')
  @ApiOperation({
    summary: 'Set the tax status of an account',
    description: 'Only for an Admin, who has verified the exemption, tax number or treaty claim.',
  })
  @ApiOkResponse({ type: TaxStatusDto, description: 'The tax status after the change.' })
  @FailsWith('country_unknown', 'region_unknown')
  async set(
    @CurrentCaller() { userId }: Caller,
    @Param() { account_id: accountId }: AccountIdDto,
    @Body() body: SetTaxStatusDto,
    @Req() request: FastifyRequest,
  ): Promise<TaxStatusDto> {
    const { country, region, tax_exempt, business, treaty_claimed } = body;
    const verified = { taxExempt: tax_exempt, business, treatyClaimed: treaty_claimed };
    const change = { accountId, country, region: region ?? null, ...verified };
    const context = contextOf(request.id, `user:${userId}`);
    await this.commands.execute(new SetTaxStatusCommand(change, context));
    return this.#statusOf(accountId);
  }

  async #statusOf(accountId: string): Promise<TaxStatusDto> {
    return presentTaxStatus(accountId, await this.queries.execute(new TaxStatusQuery(accountId)));
  }
}
