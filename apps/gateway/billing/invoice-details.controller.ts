import { Body, Controller, Get, Put, Req, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import {
  InvoicePartiesQuery,
  SetInvoiceDetailsCommand,
} from '#areas/billing/statements/invoice-details.handlers.js';
import { type Party } from '#areas/billing/statements/statements.settings.js';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { ApiKeyGuard } from '../identity/api-key.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import {
  InvoiceDetailsDto,
  type InvoicePartyDto,
  SetInvoiceDetailsDto,
} from './invoice-details.dto.js';

@ApiTags('billing')
@Credentials('api-key')
@UseGuards(ApiKeyGuard)
@Scope('read_billing')
@Controller('api/v1/billing/invoice_details')
export class InvoiceDetailsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Get who sells and who buys on invoices',
    description: 'The seller is the operator. A closed statement keeps the parties that it had.',
  })
  @ApiOkResponse({ type: InvoiceDetailsDto, description: 'The parties.' })
  async find(@CurrentCaller() { accountId }: Caller): Promise<InvoiceDetailsDto> {
    const { seller, customer } = await this.queries.execute(new InvoicePartiesQuery(accountId));
    return { success: true, seller: present(seller), customer: present(customer) };
  }

  @Put()
  @Scope('manage_money')
  @ApiOperation({
    summary: 'Set what invoices say of the customer',
    description: 'Name, address and tax number, for statements that are not closed yet.',
  })
  @ApiOkResponse({ type: InvoiceDetailsDto, description: 'The parties after the change.' })
  async set(
    @Body() body: SetInvoiceDetailsDto,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<InvoiceDetailsDto> {
    const { name, address = null, tax_id: taxId = null } = body;
    const context = contextOf(request.id, `user:${caller.userId}`);
    const details = { name, address, taxId };
    await this.commands.execute(new SetInvoiceDetailsCommand(caller.accountId, details, context));
    return this.find(caller);
  }
}

const present = (party: Party | null): InvoicePartyDto | null =>
  party && { name: party.name, address: party.address, tax_id: party.taxId };
