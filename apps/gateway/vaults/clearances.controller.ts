import { Body, Controller, Get, HttpCode, Param, Put, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { ClearanceQuery, SetClearanceCommand } from '#areas/vaults/clearance.handlers.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { ApiGuard } from '../identity/api.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Roles } from '../identity/roles.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { vaultCallerOf } from './vault-caller.js';
import {
  ClearanceSetDto,
  ClearedAccountDto,
  SetClearanceDto,
  VaultClearanceDto,
} from './vaults.dto.js';

/** The clearances of accounts and keys. */
@ApiTags('vaults')
@UseGuards(ApiGuard)
@Scope('operate')
@Controller('api/v1/vault')
export class ClearancesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('clearance')
  @Scope('inference')
  @Credentials('api-key', 'app-token', 'renter-key')
  @ApiOperation({
    summary: 'Get the clearance of the caller',
    description: 'The clearance of its account, as far as its key has it, too.',
  })
  @ApiOkResponse({ type: VaultClearanceDto, description: 'The clearance in force.' })
  async find(@CurrentCaller() caller: Caller): Promise<VaultClearanceDto> {
    const clearance = await this.queries.execute(new ClearanceQuery(vaultCallerOf(caller)));
    return { success: true, clearance };
  }

  @Put('clearances/:account_id')
  @HttpCode(200)
  @Roles('Admin')
  @Credentials('api-key', 'app-token')
  @ApiOperation({
    summary: 'Set a clearance',
    description:
      'Only for an Admin. For an account or one of its keys, which is then cleared for no more. ' +
      'An account without a clearance has the lowest level.',
  })
  @ApiOkResponse({ type: ClearanceSetDto, description: 'The clearance.' })
  @FailsWith('invalid_marking', 'too_many_clearances')
  async set(
    @Param() { account_id: accountId }: ClearedAccountDto,
    @Body() body: SetClearanceDto,
    @CurrentCaller() { userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<ClearanceSetDto> {
    const order = { accountId, keyId: body.key_id ?? null, clearance: body.clearance ?? null };
    const context = contextOf(request.id, `user:${userId}`);
    const set = await this.commands.execute(new SetClearanceCommand(order, context));
    return {
      success: true,
      account_id: set.accountId,
      key_id: set.keyId,
      clearance: set.clearance,
    };
  }
}
