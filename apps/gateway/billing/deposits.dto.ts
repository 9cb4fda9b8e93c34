import { ApiProperty } from '@nestjs/swagger';
import { AccountIdDto } from '../fields/account-id.dto.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { ChoiceField, NumberField, TextField } from '../fields/request-fields.js';

const UUID = '7c0f3a52-1b9c-4d1e-9a37-0f3a1b9c4d1e';
/** A number with six decimals is exact up to here. */
const USD_MAX = 1_000_000_000;
const REASON_MAX = 500;
const PAYMENT = 'pi_3PqrXyz';

const ReasonField = (): PropertyDecorator =>
  TextField({
    required: false,
    maxLength: REASON_MAX,
    example: 'card payment',
    description: 'The log keeps it, so it must name no person.',
  });

/** Printable ASCII without the characters that end a part of a path. */
const DEPOSIT_ID = /^[A-Za-z0-9._:@-]{1,200}$/;

const DepositIdField = (): PropertyDecorator =>
  TextField({
    matches: DEPOSIT_ID,
    expected: '1 to 200 letters, digits and . _ : @ -',
    example: PAYMENT,
    description: 'The id of the payment: the same one is credited once.',
  });

export class DepositPathDto extends AccountIdDto {
  @DepositIdField()
  readonly deposit_id!: string;
}

export class CreateDepositDto {
  @DepositIdField()
  readonly deposit_id!: string;

  @NumberField({ minimum: 0.000001, maximum: USD_MAX, decimalsMax: 6, example: 50 })
  readonly amount_usd!: number;

  @ReasonField()
  readonly reason: string = '';
}

export class ReverseDepositDto {
  @ChoiceField(['refund', 'chargeback'], { example: 'chargeback' })
  readonly kind!: 'refund' | 'chargeback';

  @NumberField({
    minimum: 0.000001,
    maximum: USD_MAX,
    decimalsMax: 6,
    example: 50,
    description:
      'All that went back of the deposit in this way, and not the last part of it: notices may ' +
      'come twice and in any order, and the largest total counts.',
  })
  readonly total_usd!: number;

  @ReasonField()
  readonly reason: string = '';
}

export class DepositAnswerDto extends AnswerDto {
  @ApiProperty({ example: '7' })
  readonly account_id!: string;
  @ApiProperty({ example: PAYMENT })
  readonly deposit_id!: string;
  @ApiProperty({ description: 'False: it was known, and nothing changed.' })
  readonly changed!: boolean;
  @ApiProperty({ example: 59.7, description: 'Below zero: more went back than was left.' })
  readonly available_usd!: number;
  @NullableField(String, 'Of the event in the log; null where nothing changed.', UUID)
  readonly event_id!: string | null;
}
