import { Body, Controller, Get, Put, Query, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { AlertsQuery, ChangeAlertsCommand } from '#areas/alerts/alerts.handlers.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { type AsOf } from '#platform/runtime/history/as-of.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { AccountOwnerGuard } from '../identity/account-owner.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { AsOfDto, asOfOf } from '../time-travel/as-of.dto.js';
import { AlertsDto, SetAlertsDto } from './alerts.dto.js';
import { presentAlerts, rulesOf } from './alerts.presenter.js';

/** Messages before the money ends; an addition to the promised interface. */
@ApiTags('alerts')
@Credentials('api-key', 'app-token', 'provider-token')
@UseGuards(AccountOwnerGuard)
@Scope('manage_money')
@Controller('api/v1/alerts')
export class AlertsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Scope('read_billing')
  @ApiOperation({
    summary: 'The rules of alerts and the last alerts',
    description: 'An alert is a message to the webhooks of the account, at most once a day.',
  })
  @ApiOkResponse({ type: AlertsDto, description: 'The rules and the last alert of each kind.' })
  find(@CurrentCaller() { accountId }: Caller, @Query() query: AsOfDto): Promise<AlertsDto> {
    return this.#alertsOf(accountId, asOfOf(query));
  }

  @Put()
  @ApiOperation({
    summary: 'Set the rules of alerts',
    description: 'Replaces all rules. An account has none before.',
  })
  @ApiOkResponse({ type: AlertsDto, description: 'The rules after the change.' })
  @FailsWith('alert_for_operators')
  async set(
    @CurrentCaller() { accountId, userId, role }: Caller,
    @Body() body: SetAlertsDto,
    @Req() request: FastifyRequest,
  ): Promise<AlertsDto> {
    const context = contextOf(request.id, `user:${userId}`);
    const data = { rules: rulesOf(body) };
    const change = { type: 'SetAlertRules', data, isOperator: role === 'Admin' } as const;
    await this.commands.execute(new ChangeAlertsCommand(accountId, change, context));
    return this.#alertsOf(accountId);
  }

  async #alertsOf(accountId: string, asOf?: AsOf): Promise<AlertsDto> {
    return presentAlerts(await this.queries.execute(new AlertsQuery(accountId, asOf)));
  }
}
