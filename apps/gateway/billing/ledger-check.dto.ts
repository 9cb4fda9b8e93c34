import { ApiProperty } from '@nestjs/swagger';
import { PositionedAnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField } from '../fields/answer-fields.js';

const MicroUsdField = (description: string): PropertyDecorator =>
  ApiProperty({ example: '10000000', description: `Decimal micro-dollars. ${description}` });

export class LedgerFaultDto {
  @ApiProperty({ example: '1' })
  readonly account_id!: string;
  @ApiProperty({ example: '42' })
  readonly position!: string;
  @ApiProperty({ description: 'The law that the event breaks.' })
  readonly law!: string;
}

class DamagedEventDto {
  @ApiProperty({ example: '42' })
  readonly position!: string;
  @NullableField(String)
  readonly stream!: string | null;
  @ApiProperty()
  readonly reason!: string;
}

class CheckedHoldDto {
  @ApiProperty({ example: '1' })
  readonly account_id!: string;
  @ApiProperty({ example: '0198c0de-0000-7000-8000-000000000003' })
  readonly hold_id!: string;
  @ApiProperty({ example: 'chat' })
  readonly purpose!: string;
  @MicroUsdField('With its renewals.')
  readonly amount_micro_usd!: string;
  @InstantField('When it was placed.')
  readonly placed_at!: string;
  @InstantField('When it expires.')
  readonly expires_at!: string;
}

class LedgerChainDto {
  @ApiProperty({ example: 42, description: 'The events that were hashed again.' })
  readonly events!: number;
  @NullableField(String, 'The hash of the last event.')
  readonly hash!: string | null;
}

export class LedgerCheckDto extends PositionedAnswerDto {
  @ApiProperty({ description: 'No law is broken, no event is damaged, the read models agree.' })
  readonly balanced!: boolean;
  @ApiProperty({ example: 3 })
  readonly accounts!: number;
  @ApiProperty({ example: 42, description: 'The events of the accounts.' })
  readonly events!: number;
  @MicroUsdField('Deposits less the deposits that went back.')
  readonly deposited_micro_usd!: string;
  @MicroUsdField('Charges.')
  readonly charged_micro_usd!: string;
  @MicroUsdField('Open holds.')
  readonly held_micro_usd!: string;
  @MicroUsdField('Given back less charged in addition.')
  readonly adjusted_micro_usd!: string;
  @MicroUsdField('The sum of the amounts that the accounts can spend.')
  readonly available_micro_usd!: string;
  @ApiProperty({ type: [LedgerFaultDto] })
  readonly faults!: readonly LedgerFaultDto[];
  @ApiProperty({ type: [DamagedEventDto] })
  readonly damaged!: readonly DamagedEventDto[];
  @ApiProperty({ type: [CheckedHoldDto], description: 'The 100 oldest open holds.' })
  readonly open_holds!: readonly CheckedHoldDto[];
  @NullableField(LedgerChainDto, 'The chain of the log; null where it keeps none.')
  readonly chain!: LedgerChainDto | null;
  @NullableField(String, 'Why the read models could not be compared.')
  readonly read_model_failure!: string | null;
}
