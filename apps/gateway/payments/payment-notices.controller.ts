import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { NotifyPaymentCommand } from '#areas/payments/invoices/notify-payment.handler.js';
import { Scope } from '../identity/scope.decorator.js';
import { FailsWith } from '../openapi/failures.docs.js';
import { NoticeTakenDto, PaymentNoticeDto } from './crypto-invoices.dto.js';

/** Notifications of a payment processor or a node. Their signature is their credential. */
@ApiTags('payments')
@Scope('open')
@Controller('api/v1/billing/crypto_notifications')
export class PaymentNoticesController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Notify of a payment',
    description:
      'Signed as Standard Webhooks with `QUIPU_CRYPTO_NOTIFY_SECRET`. Invoice, currency and ' +
      'amount must match the invoice. A notification credits nothing: it has the chain ' +
      'looked at.',
  })
  @ApiHeader({ name: 'webhook-id', required: false, description: 'Of Standard Webhooks.' })
  @ApiHeader({ name: 'webhook-timestamp', required: false, description: 'Epoch seconds.' })
  @ApiHeader({ name: 'webhook-signature', required: false, description: '`v1,` and base 64.' })
  @ApiOkResponse({ type: NoticeTakenDto, description: 'Whether the payment is known now.' })
  @FailsWith(
    'crypto_notification_invalid',
    'crypto_invoice_not_found',
    'crypto_notification_mismatch',
    'crypto_chain_unavailable',
  )
  async take(
    @Body() { invoice_id: invoiceId, currency, amount }: PaymentNoticeDto,
    @Req() { headers, signedBody }: FastifyRequest,
  ): Promise<NoticeTakenDto> {
    const signed = {
      id: one(headers['webhook-id']),
      timestamp: one(headers['webhook-timestamp']),
      signature: one(headers['webhook-signature']),
    };
    const notice = { invoiceId, currency, amount };
    const command = new NotifyPaymentCommand(notice, signed, signedBody ?? Buffer.alloc(0));
    return { success: true, status: await this.commands.execute(command) };
  }
}

/** A header that is there once. */
const one = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
