import { Controller, Get, Header, Inject, Param, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import {
  CryptoInvoiceQuery,
  type FoundCryptoInvoice,
} from '#areas/payments/invoices/crypto-invoice.query.js';
import { PaymentLinks } from '#areas/payments/invoices/payment-links.js';
import { reject } from '#areas/payments/payments.errors.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { Scope } from '../identity/scope.decorator.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { PaymentReferenceDto, PaymentStatusDto } from './crypto-invoices.dto.js';
import { presentPayment, uriOf } from './crypto-invoices.presenter.js';
import { paymentPage } from './payment-page.js';
import { PAGE_POLICY, PAGE_SCRIPT, PAGE_STYLE } from './payment-page.assets.js';
import { QrCodes } from './qr-codes.js';

const CACHE = 'cache-control';
/** Set after the invoice was found: a failure is JSON. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': PAGE_POLICY,
  'referrer-policy': 'no-referrer',
  [CACHE]: 'no-store',
};
/** The assets change with a release only. */
const AN_HOUR = 'public, max-age=3600';

const text = (type: string) => ({ [type]: { schema: { type: 'string' as const } } });

/** Public: a payer has no account. The reference of the page is the only thing needed. */
@ApiTags('payments')
@Scope('open')
@Controller('pay')
export class PaymentPageController {
  constructor(
    private readonly queries: QueryBus,
    private readonly links: PaymentLinks,
    private readonly codes: QrCodes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('assets/page.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  @Header(CACHE, AN_HOUR)
  @ApiOperation({
    summary: 'The script of the payment page',
    description: 'It asks for the status.',
  })
  @ApiOkResponse({ description: 'The script.', content: text('text/javascript') })
  script(): string {
    return PAGE_SCRIPT;
  }

  @Get('assets/page.css')
  @Header('content-type', 'text/css; charset=utf-8')
  @Header(CACHE, AN_HOUR)
  @ApiOperation({ summary: 'The style of the payment page', description: 'Static.' })
  @ApiOkResponse({ description: 'The style sheet.', content: text('text/css') })
  style(): string {
    return PAGE_STYLE;
  }

  @Get(':reference')
  @ApiOperation({
    summary: 'The payment page of a crypto invoice',
    description: 'Amount, address, QR code, time left and status, for the payer.',
  })
  @ApiOkResponse({ description: 'The page.', content: text('text/html') })
  @FailsWith('crypto_invoice_not_found')
  async page(
    @Param() { reference }: PaymentReferenceDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const found = await this.#find(reference);
    void reply.headers(PAGE_HEADERS);
    return paymentPage(found, `/pay/${reference}`, this.clock.now());
  }

  @Get(':reference/status')
  @Header(CACHE, 'no-store')
  @ApiOperation({
    summary: 'The status of a crypto invoice, for its payment page',
    description: 'What was paid so far, and how long the price is valid.',
  })
  @ApiOkResponse({ type: PaymentStatusDto, description: 'The status of the invoice.' })
  @FailsWith('crypto_invoice_not_found')
  async status(@Param() { reference }: PaymentReferenceDto): Promise<PaymentStatusDto> {
    return presentPayment(await this.#find(reference), this.clock.now());
  }

  @Get(':reference/qr.png')
  @ApiOperation({
    summary: 'The payment URI of a crypto invoice as a QR code',
    description: 'A PNG image.',
  })
  @ApiOkResponse({
    description: 'The image.',
    content: { 'image/png': { schema: { type: 'string', format: 'binary' } } },
  })
  @FailsWith('crypto_invoice_not_found')
  async qrCode(
    @Param() { reference }: PaymentReferenceDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    const { terms } = await this.#find(reference);
    const image = await this.codes.imageOf(uriOf(terms));
    void reply.header('content-type', 'image/png').header(CACHE, 'private, max-age=3600');
    return image;
  }

  async #find(reference: string): Promise<FoundCryptoInvoice> {
    const invoiceId = this.links.invoiceOf(reference);
    if (invoiceId === null) {
      return reject('crypto_invoice_not_found', 'there is no payment page with this reference');
    }
    return this.queries.execute(new CryptoInvoiceQuery(invoiceId, null));
  }
}
