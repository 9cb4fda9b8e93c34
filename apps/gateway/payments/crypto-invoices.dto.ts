import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, MaxLength } from 'class-validator';
import { IsWebAddress } from '../bodies/web-address.js';
import { CryptoCurrency, CryptoInvoiceStatus } from '#events/payments/crypto.vocabulary.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField } from '../fields/answer-fields.js';
import { PageOfListDto } from '../pages/page.dto.js';
import { ChoiceField, NumberField, TextField, UuidField } from '../fields/request-fields.js';

const CURRENCIES = CryptoCurrency.options;
const STATUSES = CryptoInvoiceStatus.options;
const URL_LENGTH_MAX = 2_048;
/** Beyond any limit that can be configured. */
const USD_MAX = 1_000_000;

const URL_EXPECTED = `an http or https URL of at most ${URL_LENGTH_MAX} characters`;

export class CreateCryptoInvoiceDto {
  @NumberField({
    example: 50,
    minimum: 0.01,
    maximum: USD_MAX,
    description: 'In dollars and cents.',
    decimalsMax: 2,
  })
  readonly amount_usd!: number;

  @ChoiceField(CURRENCIES, { description: 'USDT and USDC are paid on Ethereum.' })
  readonly currency!: CryptoCurrency;

  @ApiProperty({
    required: false,
    type: String,
    maxLength: URL_LENGTH_MAX,
    example: 'https://shop.example/thanks',
    description: 'Where the payment page leads after the payment.',
  })
  @IsOptional()
  @MaxLength(URL_LENGTH_MAX, { message: URL_EXPECTED })
  @IsWebAddress()
  readonly return_url?: string;
}

export class CryptoInvoiceIdDto {
  @UuidField({
    description: 'The `invoice_id` of a crypto invoice.',
    expected: 'the id of a crypto invoice: a UUID',
  })
  readonly id!: string;
}

export class CryptoInvoiceDto extends AnswerDto {
  @ApiProperty({ format: 'uuid' })
  readonly invoice_id!: string;
  @ApiProperty({ example: 'CI-01890A5DAC96' })
  readonly order_id!: string;
  @ApiProperty({ example: 50 })
  readonly amount_fiat!: number;
  @ApiProperty({ example: 'USD' })
  readonly fiat_currency!: string;
  @ApiProperty({ example: 0.00076923, description: 'What is due, in coins.' })
  readonly crypto_amount!: number;
  @ApiProperty({ example: '76923', description: 'The same in the smallest unit, exactly.' })
  readonly crypto_amount_units!: string;
  @ApiProperty({ enum: CURRENCIES })
  readonly crypto_currency!: string;
  @ApiProperty({ example: 'bitcoin', description: 'The network on which it must be paid.' })
  readonly network!: string;
  @ApiProperty({ example: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu' })
  readonly pay_address!: string;
  @NullableField(
    String,
    'The reference of Solana Pay that the transfer must name. Null on other networks.',
  )
  readonly reference!: string | null;
  @ApiProperty({ description: 'What wallets open: BIP-21, EIP-681 or Solana Pay.' })
  readonly payment_uri!: string;
  @ApiProperty({ description: 'A page for the payer. It needs no credential.' })
  readonly payment_url!: string;
  @ApiProperty({ description: 'The payment URI as a QR code: PNG.' })
  readonly qr_code_url!: string;
  @ApiProperty({ enum: STATUSES })
  readonly status!: string;
  @ApiProperty({ example: '2026-11-22T10:15:00.000Z' })
  readonly expires_at!: string;
}

class CryptoPaymentDto {
  @ApiProperty({ description: 'The transaction.' })
  readonly txid!: string;
  @ApiProperty({ description: 'The output, log or instruction of the transaction that pays.' })
  readonly output!: number;
  @ApiProperty({ example: 0.00076923 })
  readonly amount!: number;
  @ApiProperty({ enum: ['detected', 'confirming', 'dropped', 'confirmed', 'reverted'] })
  readonly state!: string;
  @ApiProperty({ description: 'It was paid after the invoice had expired.' })
  readonly late!: boolean;
  @ApiProperty({ example: 50, description: 'What the account was credited for it.' })
  readonly credited_usd!: number;
  @ApiProperty({ example: '2026-11-22T10:05:00.000Z' })
  readonly paid_at!: string;
}

export class CryptoInvoiceStatusDto extends CryptoInvoiceDto {
  @ApiProperty({ example: 65_000, description: 'The price of a coin that the invoice applies.' })
  readonly price_usd!: number;
  @ApiProperty({ example: 2, description: 'That a payment needs.' })
  readonly confirmations!: number;
  @ApiProperty({ example: 0, description: 'All confirmed payments, in coins.' })
  readonly paid_amount!: number;
  @ApiProperty({ example: 0, description: 'What the account was credited.' })
  readonly credited_usd!: number;
  @ApiProperty({ type: [CryptoPaymentDto] })
  readonly payments!: readonly CryptoPaymentDto[];
  @ApiProperty({
    description: 'How many events of the log the answer reflects, for `asOf`.',
    example: '42',
  })
  readonly position!: string;
}

class CryptoInvoiceRowDto {
  @ApiProperty({ format: 'uuid' })
  readonly invoice_id!: string;
  @InstantField('When it was made.')
  readonly created_at!: string;
  @ApiProperty({ enum: STATUSES })
  readonly status!: string;
  @ApiProperty({ example: 50 })
  readonly amount_fiat!: number;
  @ApiProperty({ example: 0.00076923, description: 'What is due, in coins.' })
  readonly crypto_amount!: number;
  @ApiProperty({ enum: CURRENCIES })
  readonly crypto_currency!: string;
  @ApiProperty({ example: 'bitcoin' })
  readonly network!: string;
  @ApiProperty({ example: 0, description: 'All confirmed payments, in coins.' })
  readonly paid_amount!: number;
  @ApiProperty({ example: 0, description: 'What the account was credited.' })
  readonly credited_usd!: number;
  @InstantField('Until when the price is fixed.')
  readonly expires_at!: string;
}

export class CryptoInvoiceListDto extends PageOfListDto {
  @ApiProperty({ type: [CryptoInvoiceRowDto], description: 'The last one first.' })
  readonly invoices!: readonly CryptoInvoiceRowDto[];
}

/** The part of an invoice that the payer sees. */
export class PaymentStatusDto extends AnswerDto {
  @ApiProperty({ enum: STATUSES })
  readonly status!: string;
  @ApiProperty({ example: 0.00076923 })
  readonly due_amount!: number;
  @ApiProperty({ example: 0 })
  readonly paid_amount!: number;
  @ApiProperty({ enum: CURRENCIES })
  readonly currency!: string;
  @ApiProperty({ example: '2026-11-22T10:15:00.000Z' })
  readonly expires_at!: string;
  @ApiProperty({ example: 512, description: 'Until the price expires; 0 afterwards.' })
  readonly seconds_left!: number;
}

export class PaymentNoticeDto {
  @UuidField()
  readonly invoice_id!: string;

  @ChoiceField(CURRENCIES)
  readonly currency!: CryptoCurrency;

  @TextField({
    example: '0.00076923',
    description: 'The amount of the invoice, in coins.',
    matches: /^\d{1,15}(\.\d{1,18})?$/,
    expected: 'a decimal text',
  })
  readonly amount!: string;
}

export class NoticeTakenDto extends AnswerDto {
  @ApiProperty({ enum: STATUSES, description: 'After the chain was looked at.' })
  readonly status!: string;
}

export class PaymentReferenceDto {
  @TextField({ description: 'The reference at the end of `payment_url`.' })
  readonly reference!: string;
}
