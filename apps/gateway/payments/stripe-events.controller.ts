import { Controller, Headers, HttpCode, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiBody,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { type FastifyRequest } from 'fastify';
import { TakeStripeEventCommand } from '#areas/payments/stripe/take-stripe-event.handler.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { Scope } from '../identity/scope.decorator.js';
import { FailsWith } from '../openapi/failures.docs.js';

class StripeEventAnswerDto extends AnswerDto {
  @ApiProperty({ description: 'False: the event moves no money of an account.' })
  readonly taken!: boolean;
}

/** Events of Stripe. Their signature is their credential. */
@ApiTags('payments')
@Scope('open')
@Controller('api/v1/billing/stripe_events')
export class StripeEventsController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Receive an event of Stripe',
    description:
      'Signed with `QUIPU_STRIPE_WEBHOOK_SECRET`. `payment_intent.succeeded` credits the account ' +
      'that `metadata.quipu_account` of the PaymentIntent names. `charge.refunded` and ' +
      '`charge.dispute.funds_withdrawn` take the deposit back, and ' +
      '`charge.dispute.funds_reinstated` credits it again. Other events change nothing. Stripe ' +
      'sends an event again after every other answer.',
  })
  @ApiHeader({ name: 'stripe-signature', required: false, description: '`t=…,v1=…`' })
  @ApiBody({ schema: { type: 'object', description: 'An event, as Stripe documents it.' } })
  @ApiOkResponse({ type: StripeEventAnswerDto, description: 'The event was taken.' })
  @FailsWith(
    'stripe_not_configured',
    'stripe_signature_invalid',
    'stripe_event_invalid',
    'stripe_payment_not_found',
    'account_not_found',
    'deposit_conflict',
    'deposit_not_found',
    'reversal_above_deposit',
  )
  async take(
    @Headers('stripe-signature') signature: string | undefined,
    @Req() { id, signedBody }: FastifyRequest,
  ): Promise<StripeEventAnswerDto> {
    const context = contextOf(id, 'stripe');
    const body = signedBody ?? Buffer.alloc(0);
    const command = new TakeStripeEventCommand(signature, body, context);
    return { success: true, taken: await this.commands.execute(command) };
  }
}
