import { applyDecorators } from '@nestjs/common';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { IsInstant } from '../fields/instant.validator.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField, NullableInstant } from '../fields/answer-fields.js';
import { ChoiceField, IdField, IntegerField, TextField } from '../fields/request-fields.js';
import { PageDto, PageOfListDto } from '../pages/page.dto.js';

const PRIORITIES = ['bulk', 'normal', 'expedited'] as const;
export type PriorityField = (typeof PRIORITIES)[number];

const STATUSES = [
  'en_route',
  'stored_no_route',
  'forwarded',
  'custody_transferred',
  'delivered',
  'rejected',
  'cancelled',
  'expired',
] as const;

const EID_LENGTH_MAX = 255;
/** 262,144 bytes in hex. */
const PAYLOAD_LENGTH_MAX = 524_288;
const LIFETIME_SEC_DEFAULT = 86_400;
const LIFETIME_SEC_MAX = 2_592_000;
const BUNDLE_BYTES_MAX = 16_777_216;
const ALTERNATIVES_MAX = 8;
const BITS_PER_SECOND_MAX = 1_000_000_000_000;
const LIGHT_MS_MAX = 86_400_000;

const EidField = (description: string, example: string, required = true): PropertyDecorator =>
  TextField({ required, minLength: 1, maxLength: EID_LENGTH_MAX, description, example });

const PriorityOption = (): PropertyDecorator =>
  ChoiceField(PRIORITIES, {
    required: false,
    default: 'normal',
    description: 'The class of service at this node; a bundle of version 7 does not carry it.',
  });

const LifetimeField = (): PropertyDecorator =>
  IntegerField({
    required: false,
    default: LIFETIME_SEC_DEFAULT,
    minimum: 0,
    maximum: LIFETIME_SEC_MAX,
    description: 'The bundle is dropped after this time.',
  });

const BitsField = (): PropertyDecorator =>
  IntegerField({ minimum: 1, maximum: BITS_PER_SECOND_MAX, example: 1_000_000 });

export class BundleOrderDto {
  @EidField('The endpoint that sends.', 'dtn://quipu/outbox')
  readonly source_eid!: string;

  @EidField('The endpoint that is to receive.', 'dtn://noaa-15/inbox')
  readonly destination_eid!: string;

  @TextField({
    maxLength: PAYLOAD_LENGTH_MAX,
    example: '68656c6c6f',
    description:
      'An even number of hex digits is hex, anything else base64; at most 262,144 bytes. ' +
      '`payload_encoding` says which it was read as.',
  })
  readonly payload_hex!: string;

  @PriorityOption()
  readonly priority: PriorityField = 'normal';

  @LifetimeField()
  readonly lifetime_seconds: number = LIFETIME_SEC_DEFAULT;
}

export class RouteHopDto {
  @ApiProperty({ example: 'link-1-29402351-up' })
  readonly contact!: string;
  @ApiProperty({ enum: ['ground', 'pass', 'manual'] })
  readonly kind!: 'ground' | 'pass' | 'manual';
  @ApiProperty({ example: 'dtn://station-1/' })
  readonly from!: string;
  @ApiProperty({ example: 'dtn://noaa-15/' })
  readonly to!: string;
  @InstantField('The first bit is to leave then.')
  readonly sends_at!: string;
  @InstantField('The last instant at which the sending may begin.')
  readonly lapses_at!: string;
  @InstantField('The last bit is to arrive then.')
  readonly arrives_at!: string;
}

class HistoryDto {
  @ApiProperty({
    enum: [
      'accepted',
      'rejected',
      'rerouted',
      'forwarded',
      'custody_transferred',
      'delivered',
      'cancelled',
      'expired',
    ],
  })
  readonly event!: string;
  @InstantField('When it was recorded.')
  readonly at!: string;
}

export class BundleDto {
  @ApiProperty({ example: '7d1f0c52-1d3e-5f6a-8b9c-0d1e2f3a4b5c' })
  readonly bundle_id!: string;
  @ApiProperty({ description: 'Whether this node has stored the bundle durably and keeps it.' })
  readonly custody_accepted!: boolean;
  @NullableField(String, 'The node of the first contact. Null: no route.', 'dtn://station-1/')
  readonly next_hop!: string | null;
  @NullableInstant('When the first contact of the route with space is to send. Null: no route.')
  readonly est_ground_window_utc!: string | null;
  @ApiProperty({
    enum: STATUSES,
    description:
      '`forwarded`: the next node has it, and its report is awaited. `custody_transferred`: ' +
      'another node has reported that it stored the bundle.',
  })
  readonly status!: (typeof STATUSES)[number];
  @ApiProperty({
    enum: ['gateway-store'],
    description: 'This node stores the bundle; status reports of RFC 9171 are its custody signals.',
  })
  readonly custody_model!: 'gateway-store';
  @ApiProperty({ type: String, nullable: true, enum: ['lifetime_passed', 'store_full', null] })
  readonly rejection_reason!: string | null;
  @ApiProperty({ example: 'dtn://quipu/outbox' })
  readonly source_eid!: string;
  @ApiProperty({ example: 'dtn://noaa-15/inbox' })
  readonly destination_eid!: string;
  @ApiProperty({ enum: PRIORITIES })
  readonly priority!: PriorityField;
  @ApiProperty({ enum: ['hex', 'base64'] })
  readonly payload_encoding!: 'hex' | 'base64';
  @ApiProperty({ example: 5 })
  readonly payload_bytes!: number;
  @NullableField(Number, 'As encoded. Null: rejected.', 96)
  readonly bundle_bytes!: number | null;
  @InstantField('When the bundle was accepted or rejected.')
  readonly accepted_at!: string;
  @NullableInstant('Null: rejected.')
  readonly expires_at!: string | null;
  @ApiProperty({ type: [RouteHopDto], description: 'Empty: no route.' })
  readonly route!: readonly RouteHopDto[];
}

export class HandedOverDto extends BundleDto {
  @ApiProperty({ example: true })
  readonly success!: true;
}

class BundleDetailDto extends BundleDto {
  @ApiProperty({ type: [HistoryDto] })
  readonly history!: readonly HistoryDto[];
}

export class BundleAnswerDto extends AnswerDto {
  @ApiProperty({ type: BundleDetailDto })
  readonly bundle!: BundleDetailDto;
}

/** The list has no past states: whether a bundle has a route depends on the present. */
export class BundlesPageDto extends OmitType(PageDto, ['asOf']) {}

export class BundleListDto extends PageOfListDto {
  @ApiProperty({ type: [BundleDetailDto], description: 'Newest first.' })
  readonly bundles!: readonly BundleDetailDto[];
}

export class RouteOrderDto {
  @EidField('Where the bundle is. Default: this node.', 'dtn://quipu/', false)
  readonly source_eid?: string;

  @EidField('The endpoint that is to receive.', 'dtn://noaa-15/inbox')
  readonly destination_eid!: string;

  @IntegerField({
    required: false,
    default: 1_024,
    minimum: 1,
    maximum: BUNDLE_BYTES_MAX,
    description: 'Of the encoded bundle.',
  })
  readonly bundle_bytes: number = 1_024;

  @PriorityOption()
  readonly priority: PriorityField = 'normal';

  @LifetimeField()
  readonly lifetime_seconds: number = LIFETIME_SEC_DEFAULT;

  @IntegerField({
    required: false,
    default: 3,
    minimum: 1,
    maximum: ALTERNATIVES_MAX,
    description: 'The routes at most, the first to arrive first.',
  })
  readonly alternatives: number = 3;
}

class ExplainedRouteDto {
  @ApiProperty({ example: 'dtn://station-1/' })
  readonly next_hop!: string;
  @InstantField('The last bit is to reach the destination then.')
  readonly arrives_at!: string;
  @ApiProperty({ type: [RouteHopDto] })
  readonly hops!: readonly RouteHopDto[];
}

class PlanGapDto {
  @ApiProperty({ example: 1 })
  readonly link_id!: number;
  @ApiProperty({ description: 'Why the link has no contacts.' })
  readonly reason!: string;
}

export class RoutesDto extends AnswerDto {
  @ApiProperty({ example: 'dtn://quipu/' })
  readonly source_node!: string;
  @ApiProperty({ example: 'dtn://noaa-15/' })
  readonly destination_node!: string;
  @ApiProperty({ type: [ExplainedRouteDto], description: 'The first to arrive first.' })
  readonly routes!: readonly ExplainedRouteDto[];
  @ApiProperty({ example: 240, description: 'The contacts that were searched.' })
  readonly contacts_considered!: number;
  @ApiProperty({ type: [PlanGapDto] })
  readonly gaps!: readonly PlanGapDto[];
}

const InstantBody = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ example: '2026-11-25T19:00:00Z', description }),
    IsInstant({ message: 'an ISO 8601 instant such as 2026-11-25T19:00:00Z' }),
  );

export class ContactOrderDto {
  @EidField('The node that sends.', 'dtn://relay/')
  readonly from!: string;
  @EidField('The node that receives.', 'dtn://moon/')
  readonly to!: string;
  @InstantBody('The beginning.')
  readonly starts_at!: string;
  @InstantBody('The end, in the future.')
  readonly ends_at!: string;
  @BitsField()
  readonly bits_per_second!: number;
  @IntegerField({
    required: false,
    default: 0,
    minimum: 0,
    maximum: LIGHT_MS_MAX,
    description: 'The one-way light time in milliseconds.',
  })
  readonly light_ms: number = 0;
}

export class LinkOrderDto {
  @IdField('The number of the ground station.', { fromText: false })
  readonly station_id!: number;
  @IdField('The number of the satellite.', { fromText: false })
  readonly satellite_id!: number;
  @EidField('The node of the station.', 'dtn://station-1/')
  readonly station_node!: string;
  @EidField('The node of the satellite.', 'dtn://noaa-15/')
  readonly satellite_node!: string;
  @BitsField()
  readonly bits_per_second!: number;
}

export class PlanIdDto {
  @IdField('The number that the plan shows.')
  readonly id!: number;
}

export class ContactDto {
  @ApiProperty({ example: 'link-1-29402351-up' })
  readonly contact!: string;
  @ApiProperty({ enum: ['ground', 'pass', 'manual'] })
  readonly kind!: 'ground' | 'pass' | 'manual';
  @ApiProperty({ example: 'dtn://station-1/' })
  readonly from!: string;
  @ApiProperty({ example: 'dtn://noaa-15/' })
  readonly to!: string;
  @InstantField('The beginning.')
  readonly starts_at!: string;
  @InstantField('The end.')
  readonly ends_at!: string;
  @ApiProperty({ example: 1_000_000 })
  readonly bits_per_second!: number;
  @ApiProperty({ example: 8 })
  readonly light_ms!: number;
}

export class LinkDto {
  @ApiProperty({ example: 1 })
  readonly link_id!: number;
  @ApiProperty({ example: 1 })
  readonly station_id!: number;
  @ApiProperty({ example: 25_338 })
  readonly satellite_id!: number;
  @ApiProperty({ example: 'dtn://station-1/' })
  readonly station_node!: string;
  @ApiProperty({ example: 'dtn://noaa-15/' })
  readonly satellite_node!: string;
  @ApiProperty({ example: 1_000_000 })
  readonly bits_per_second!: number;
}

export class PlanDto extends AnswerDto {
  @ApiProperty({ type: [LinkDto] })
  readonly links!: readonly LinkDto[];
  @ApiProperty({ example: 240 })
  readonly total_contacts!: number;
  @ApiProperty({ type: [ContactDto], description: 'The next 500 contacts, by their beginnings.' })
  readonly contacts!: readonly ContactDto[];
  @ApiProperty({ type: [PlanGapDto] })
  readonly gaps!: readonly PlanGapDto[];
}

export class PlanChangedDto extends AnswerDto {
  @ApiProperty({ example: 1, description: 'The number of the contact or the link.' })
  readonly id!: number;
}
