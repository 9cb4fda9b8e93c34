import { ApiProperty } from '@nestjs/swagger';
import { IsISO8601, Matches } from 'class-validator';
import { AnswerDto, PositionedAnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import {
  IdField,
  IntegerField,
  NumberField,
  TextField,
  UuidField,
} from '../fields/request-fields.js';
import { PageDto, PageOfListDto } from '../pages/page.dto.js';
import { AsOfDto } from '../time-travel/as-of.dto.js';

const RIG_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** In dollars. */
const PRICE_MAX = 1_000_000_000;
const GPUS_MAX = 100_000;

const DAY = 'a day of the calendar such as 2026-10-01';
const ASKED_INVESTOR =
  'The user id. An Admin who names none sees the first investor with a share; for others it is ' +
  'their own id.';
const hour = (description: string) => ({
  type: String,
  nullable: true,
  example: '2026-11-21T04:00:00.000Z',
  description,
});

export class AskedInvestorDto extends AsOfDto {
  @IdField(ASKED_INVESTOR, { required: false })
  readonly investor_id?: number;
}

export class RevenuePageDto extends PageDto {
  @IdField(ASKED_INVESTOR, { required: false })
  readonly investor_id?: number;
}

export class NewRigShareDto {
  @IdField('A user with the role Investor.', { fromText: false })
  readonly investor_id!: number;

  @TextField({
    example: 'local-vllm',
    description: 'The name of a rig of the catalog.',
    matches: RIG_PATTERN,
    expected: 'the name of a rig',
  })
  readonly rig!: string;

  @NumberField({
    example: 50,
    minimum: 0.01,
    maximum: 100,
    description: 'The part of the rig; two decimals at most.',
    decimalsMax: 2,
  })
  readonly share_pct!: number;

  @NumberField({
    example: 20,
    minimum: 0,
    maximum: 100,
    description: 'What the platform keeps of the revenue of the share; two decimals at most.',
    decimalsMax: 2,
  })
  readonly platform_fee_pct!: number;

  @IntegerField({ example: 4, minimum: 0, maximum: GPUS_MAX })
  readonly gpus!: number;

  @NumberField({ example: 12_000, minimum: 0, maximum: PRICE_MAX, decimalsMax: 6 })
  readonly purchase_price_usd!: number;

  @ApiProperty({ example: '2026-10-01', description: 'Today at the latest, UTC.' })
  @Matches(/^\d{4}-\d{2}-\d{2}$/, { message: DAY })
  @IsISO8601({ strict: true }, { message: DAY })
  readonly purchased_on!: string;
}

export class RigSharePathDto {
  @TextField({
    description: 'The name of the rig.',
    matches: RIG_PATTERN,
    expected: 'the name of a rig',
  })
  readonly rig!: string;

  @UuidField({ description: 'The id of the allocation.' })
  readonly allocation_id!: string;
}

class PortfolioDto {
  @ApiProperty({ example: 12_000, description: 'The purchase prices of the shares that are held.' })
  readonly total_valuation_usd!: number;
  @ApiProperty({ example: 4 })
  readonly allocated_gpus!: number;
  @ApiProperty({ example: 1, description: 'Rigs with a charge in the last 24 hours.' })
  readonly active_nodes_count!: number;
  @ApiProperty({ example: 1 })
  readonly nodes_count!: number;
  @NullableField(
    Number,
    'Net revenue of the last 30 days × 365 days / Σ (purchase price × time held in them). ' +
      'Null while no share was held for a day, and where the shares cost nothing.',
    9.5,
  )
  readonly apy_annualized_pct!: number | null;
  @ApiProperty({ example: 'USD' })
  readonly currency!: string;
}

export class InvestorRevenueDto {
  @ApiProperty({ example: 12.5, description: 'What customers paid for the investor’s share.' })
  readonly gross_revenue_usd!: number;
  @ApiProperty({ example: 8.5, description: 'Less the shares of partners and the platform.' })
  readonly net_revenue_usd!: number;
}

class YieldDto {
  @ApiProperty({ type: InvestorRevenueDto, description: 'From the hour in which they begin.' })
  readonly last_24h!: InvestorRevenueDto;
  @ApiProperty({ type: InvestorRevenueDto, description: 'From the hour in which they begin.' })
  readonly last_30d!: InvestorRevenueDto;
  @ApiProperty({ type: InvestorRevenueDto })
  readonly lifetime!: InvestorRevenueDto;
}

export class InvestorDashboardDto extends PositionedAnswerDto {
  @ApiProperty({ example: 9 })
  readonly investor_id!: number;
  @ApiProperty({ type: PortfolioDto })
  readonly portfolio_summary!: PortfolioDto;
  @ApiProperty({ type: YieldDto })
  readonly yield_metrics!: YieldDto;
  @ApiProperty({
    description: 'Charges count that are among so many events of the log.',
    example: '41',
  })
  readonly accrued_through!: string;
}

export class RigAllocationDto {
  @ApiProperty({ example: '01890a5d-ac96-774b-bcce-b302099a8102' })
  readonly allocation_id!: string;
  @ApiProperty({ example: 50 })
  readonly share_pct!: number;
  @ApiProperty({ example: 20 })
  readonly platform_fee_pct!: number;
  @ApiProperty({ example: 4 })
  readonly gpus!: number;
  @ApiProperty({ example: 12_000 })
  readonly purchase_price_usd!: number;
  @ApiProperty({ example: '2026-10-01' })
  readonly purchased_on!: string;
  @ApiProperty({ example: '2026-11-21T04:48:00.000Z' })
  readonly allocated_at!: string;
  @ApiProperty(hour('Null: the investor holds it.'))
  readonly ended_at!: string | null;
}

export class RigTemperatureDto {
  @ApiProperty({ example: 'text', description: 'The engine that reports it.' })
  readonly device!: string;
  @ApiProperty({ example: 61.5 })
  readonly celsius!: number;
  @ApiProperty({ example: '2026-11-21T04:48:00.000Z' })
  readonly measured_at!: string;
}

export class InvestorRigDto {
  @ApiProperty({ example: 'local-vllm', description: 'The name of the rig.' })
  readonly name!: string;
  @ApiProperty({ enum: ['allocated', 'ended'], description: 'Ended: no share is held any more.' })
  readonly status!: 'allocated' | 'ended';
  @ApiProperty({ description: 'Whether the catalog has the rig now.' })
  readonly is_in_catalog!: boolean;
  @ApiProperty({ example: 50, description: 'Of the shares that are held.' })
  readonly share_pct!: number;
  @ApiProperty({ example: 4 })
  readonly gpus!: number;
  @ApiProperty({ type: [RigAllocationDto] })
  readonly allocations!: readonly RigAllocationDto[];
  @NullableField(
    [RigTemperatureDto],
    'The last report of the rig’s workers; null where none has come in 30 seconds.',
  )
  readonly temperatures!: readonly RigTemperatureDto[] | null;
  @ApiProperty({ type: InvestorRevenueDto, description: 'Of 30 days, UTC, with today.' })
  readonly last_30d!: InvestorRevenueDto;
  @ApiProperty({ type: InvestorRevenueDto })
  readonly lifetime!: InvestorRevenueDto;
  @ApiProperty({ example: 31, description: 'Charges while a share was held.' })
  readonly charges!: number;
  @ApiProperty(hour('The beginning of the last hour with a charge; null for none.'))
  readonly last_charged_hour!: string | null;
}

export class InvestorRigsDto extends PositionedAnswerDto {
  @ApiProperty({ example: 9 })
  readonly investor_id!: number;
  @ApiProperty({ type: [InvestorRigDto], description: 'By name.' })
  readonly nodes!: readonly InvestorRigDto[];
}

export class DailyRevenueDto extends InvestorRevenueDto {
  @ApiProperty({ example: '2026-11-21', description: 'A day in UTC.' })
  readonly date!: string;
  @ApiProperty({ example: 'local-vllm' })
  readonly node!: string;
  @ApiProperty({ example: 31 })
  readonly charges!: number;
  @ApiProperty({ example: 4, description: 'Gross less net: partners and platform.' })
  readonly deductions_usd!: number;
}

export class RevenueListDto extends PageOfListDto {
  @ApiProperty({ example: 9 })
  readonly investor_id!: number;
  @ApiProperty({ type: [DailyRevenueDto], description: 'One for each rig and day, newest first.' })
  readonly revenue!: readonly DailyRevenueDto[];
}

export class RigShareResultDto extends AnswerDto {
  @ApiProperty({ example: '01890a5d-ac96-774b-bcce-b302099a8102' })
  readonly allocation_id!: string;
}
