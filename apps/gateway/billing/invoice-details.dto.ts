import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString, Length } from 'class-validator';

export class SetInvoiceDetailsDto {
  @ApiProperty({ example: 'Acme AG', maxLength: 200 })
  @IsString()
  @Length(1, 200)
  readonly name!: string;

  @ApiProperty({
    required: false,
    type: String,
    nullable: true,
    maxLength: 500,
    example: 'Hauptstr. 1, 10115 Berlin',
  })
  @IsOptional()
  @IsString()
  @Length(1, 500)
  readonly address?: string | null;

  @ApiProperty({
    required: false,
    type: String,
    nullable: true,
    maxLength: 50,
    example: 'DE123456789',
    description: 'Such as a VAT number; it is not verified.',
  })
  @IsOptional()
  @IsString()
  @Length(1, 50)
  readonly tax_id?: string | null;
}

export class InvoicePartyDto {
  @ApiProperty({ example: 'Acme AG' })
  readonly name!: string;
  @ApiProperty({ type: String, nullable: true, example: 'Hauptstr. 1, 10115 Berlin' })
  readonly address!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'DE123456789' })
  readonly tax_id!: string | null;
}

export class InvoiceDetailsDto {
  @ApiProperty({ example: true })
  readonly success!: boolean;
  @ApiProperty({
    type: InvoicePartyDto,
    nullable: true,
    description: 'From the settings of the operator; null: not stated.',
  })
  readonly seller!: InvoicePartyDto | null;
  @ApiProperty({
    type: InvoicePartyDto,
    nullable: true,
    description: 'Null until it is set, and after an erasure.',
  })
  readonly customer!: InvoicePartyDto | null;
}
