import { ApiProperty } from '@nestjs/swagger';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { TextField } from '../fields/request-fields.js';

export class SetInvoiceDetailsDto {
  @TextField({ example: 'Acme AG', maxLength: 200, minLength: 1 })
  readonly name!: string;

  @TextField({
    required: false,
    type: String,
    nullable: true,
    maxLength: 500,
    example: 'Hauptstr. 1, 10115 Berlin',
    minLength: 1,
  })
  readonly address?: string | null;

  @TextField({
    required: false,
    type: String,
    nullable: true,
    maxLength: 50,
    example: 'DE123456789',
    description: 'Such as a VAT number; it is not verified.',
    minLength: 1,
  })
  readonly tax_id?: string | null;
}

export class InvoicePartyDto {
  @ApiProperty({ example: 'Acme AG' })
  readonly name!: string;
  @NullableField(String, undefined, 'Hauptstr. 1, 10115 Berlin')
  readonly address!: string | null;
  @NullableField(String, undefined, 'DE123456789')
  readonly tax_id!: string | null;
}

export class InvoiceDetailsDto extends AnswerDto {
  @NullableField(InvoicePartyDto, 'From the settings of the operator; null: not stated.')
  readonly seller!: InvoicePartyDto | null;
  @NullableField(InvoicePartyDto, 'Null until it is set, and after an erasure.')
  readonly customer!: InvoicePartyDto | null;
}
