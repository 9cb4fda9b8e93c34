import { ApiProperty } from '@nestjs/swagger';
import { PositionedAnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { FlagField, IntegerField } from '../fields/request-fields.js';
import { UsdField } from '../fields/usd-field.js';

const DAYS_MAX = 365;

/** All rules: one that is left out is removed. */
export class SetAlertsDto {
  @UsdField('Alert while the available amount is below it, in dollars.')
  readonly balance_below_usd?: number | null;

  @IntegerField({
    type: 'integer',
    required: false,
    nullable: true,
    minimum: 1,
    maximum: DAYS_MAX,
    example: 3,
    description:
      'Alert while the available amount lasts fewer days at the rate of the last 24 hours. ' +
      'Null: no such alert.',
  })
  readonly days_left_below?: number | null;

  @FlagField({
    required: false,
    default: false,
    description:
      'Alert after an hour with charges of at least 1 USD, above four times the mean hour of the ' +
      '23 hours before it.',
  })
  readonly spend_anomaly: boolean = false;

  @IntegerField({
    type: 'integer',
    required: false,
    nullable: true,
    minimum: 1,
    maximum: DAYS_MAX,
    example: 14,
    description:
      'Alert once when a key ends within so many days. Keys of sessions and keys that were ' +
      'rotated are left out. Null: no such alert.',
  })
  readonly key_ends_within_days?: number | null;

  @FlagField({
    required: false,
    default: false,
    description:
      'For operators: alert once a day for each rig that has been down for five minutes ' +
      '(`QUIPU_ALERT_RIG_SECONDS`).',
  })
  readonly rig_down: boolean = false;
}

class LastAlertDto {
  @ApiProperty({
    enum: ['balance_low', 'days_left_short', 'spend_anomaly', 'key_ending', 'rig_down'],
  })
  readonly kind!: string;
  @ApiProperty({ example: '2026-11-26T10:00:00.000Z' })
  readonly raised_at!: string;
}

export class AlertsDto extends PositionedAnswerDto {
  @NullableField(Number, 'Null: no such alert.', 5)
  readonly balance_below_usd!: number | null;
  @NullableField(Number, 'Null: no such alert.', 3)
  readonly days_left_below!: number | null;
  @ApiProperty({ example: false })
  readonly spend_anomaly!: boolean;
  @NullableField(Number, 'Null: no such alert.', 14)
  readonly key_ends_within_days!: number | null;
  @ApiProperty({ example: false })
  readonly rig_down!: boolean;
  @ApiProperty({ type: [LastAlertDto], description: 'The last one of each kind, newest first.' })
  readonly last_alerts!: readonly LastAlertDto[];
}
