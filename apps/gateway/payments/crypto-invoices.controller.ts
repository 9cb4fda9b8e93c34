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
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { CreateCryptoInvoiceCommand } from '#areas/payments/invoices/create-invoice.handler.js';
import {
  CryptoInvoiceQuery,
  CryptoInvoicesQuery,
} from '#areas/payments/invoices/crypto-invoice.query.js';
import { parseUsd } from '#platform/kernel/money.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { ApiKeyGuard } from '../identity/api-key.guard.js';
import { CurrentCaller } from '../identity/caller.decorator.js';
import { Scope } from '../identity/scope.decorator.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { FailsWith } from '../openapi/failures.docs.js';
import {
  CreateCryptoInvoiceDto,
  CryptoInvoiceDto,
  CryptoInvoiceIdDto,
  CryptoInvoiceListDto,
  CryptoInvoiceStatusDto,
} from './crypto-invoices.dto.js';
import { PageDto } from '../pages/page.dto.js';
import { AsOfDto, asOfOf } from '../time-travel/as-of.dto.js';
import { PaymentPages } from './payment-pages.js';
import {
  presentCryptoInvoice,
  presentCryptoInvoices,
  presentCryptoInvoiceStatus,
} from './crypto-invoices.presenter.js';

@ApiTags('payments')
@Credentials('api-key')
@UseGuards(ApiKeyGuard)
@Scope('manage_money')
@Controller('api/v1/billing')
export class CryptoInvoicesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly pages: PaymentPages,
  ) {}

  @Post('create_crypto_invoice.php')
  @HttpCode(200)
  @Idempotent()
  @ApiOperation({
    summary: 'Create an invoice for a deposit in a crypto-currency',
    description:
      'The price is fixed until `expires_at`. Each invoice has an address or a reference of its ' +
      'own. Confirmed payments are credited to the account, also if they are too small, too ' +
      'large or late; late ones at the price of their confirmation.',
  })
  @ApiOkResponse({ type: CryptoInvoiceDto, description: 'The invoice.' })
  @FailsWith(
    'crypto_amount_too_small',
    'crypto_amount_too_large',
    'too_many_crypto_invoices',
    'crypto_not_configured',
    'crypto_price_unavailable',
    'deposit_indexes_exhausted',
  )
  async create(
    @Body() { amount_usd: amountUsd, currency, return_url: returnUrl }: CreateCryptoInvoiceDto,
    @CurrentCaller() { accountId, userId }: Caller,
    @Req() request: FastifyRequest,
  ): Promise<CryptoInvoiceDto> {
    const amountMicroUsd = parseUsd(amountUsd);
    const order = { accountId, amountMicroUsd, currency, returnUrl: returnUrl ?? null };
    const context = contextOf(request.id, `user:${userId}`);
    const terms = await this.commands.execute(new CreateCryptoInvoiceCommand(order, context));
    return presentCryptoInvoice(terms, 'pending', this.pages.of(terms.invoiceId));
  }

  @Get('crypto_invoices')
  @Scope('read_billing')
  @ApiOperation({
    summary: 'List the crypto invoices',
    description: 'A page of the crypto invoices of the account with their status.',
  })
  @ApiOkResponse({ type: CryptoInvoiceListDto, description: 'The invoices, the last one first.' })
  async list(
    @Query() query: PageDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<CryptoInvoiceListDto> {
    const { page, limit } = query;
    const asked = new CryptoInvoicesQuery(accountId, page, limit, asOfOf(query));
    return presentCryptoInvoices(query, await this.queries.execute(asked));
  }

  @Get('crypto_invoices/:id')
  @Scope('read_billing')
  @ApiOperation({
    summary: 'A crypto invoice and its payments',
    description: 'Its status, and each payment that the chain has shown for it.',
  })
  @ApiOkResponse({ type: CryptoInvoiceStatusDto, description: 'The invoice and its payments.' })
  @FailsWith('crypto_invoice_not_found')
  async find(
    @Param() { id }: CryptoInvoiceIdDto,
    @Query() query: AsOfDto,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<CryptoInvoiceStatusDto> {
    const asked = new CryptoInvoiceQuery(id, accountId, asOfOf(query));
    const found = await this.queries.execute(asked);
    return presentCryptoInvoiceStatus(found, this.pages.of(id));
  }
}
