import { ApiProperty } from '@nestjs/swagger';
import { CHOSEN_BY, type ChosenBy } from '#areas/spiking/spiking-models.js';
import { NEURON_MODELS } from '#areas/spiking/spiking.modes.js';
import { NullableField } from '../fields/answer-fields.js';

export class SpikingClassificationDto {
  @ApiProperty({ example: 'code' })
  readonly top_class!: string;
  @ApiProperty({
    example: 0.93,
    description: 'Softmax of the logits, averaged over time and scaled to be calibrated.',
  })
  readonly confidence!: number;
  @ApiProperty({ example: 'text', description: 'The read-out that answered.' })
  readonly domain!: string;
}

export class SpikingActionDto {
  @ApiProperty({ example: 'push-left' })
  readonly action!: string;
  @ApiProperty({ example: 0.81 })
  readonly probability!: number;
}

export class SpikingPolicyDto {
  @ApiProperty({
    type: [SpikingActionDto],
    description: 'By which the network was trained to act.',
  })
  readonly actions!: readonly SpikingActionDto[];
  @ApiProperty({ example: 62.4, description: 'The discounted return that the critic expects.' })
  readonly value!: number;
}

export class SpikingTelemetryDto {
  @ApiProperty({ example: 0.12, description: 'Spikes per neuron and timestep.' })
  readonly firing_rate!: number;
  @ApiProperty({ example: 88, description: 'Of the spiking layers, in percent.' })
  readonly activation_sparsity_pct!: number;
  @ApiProperty({ example: 5_120, description: 'Spikes times the targets of each.' })
  readonly total_synaptic_spikes!: number;
  @ApiProperty({ example: 40, description: 'Neurons without a spike in all timesteps.' })
  readonly quiescent_neurons!: number;
  @ApiProperty({ example: 1.8, description: 'Measured, of the run alone.' })
  readonly latency_ms!: number;
  @ApiProperty({ example: 123 })
  readonly spikes_emitted!: number;
  @ApiProperty({ example: 128, description: 'Spiking neurons.' })
  readonly neurons!: number;
  @ApiProperty({ example: 20_480, description: 'Multiply-accumulates.' })
  readonly macs!: number;
  @ApiProperty({ example: 5_120, description: 'Accumulates.' })
  readonly acs!: number;
}

const inWords = (example: string, description: string): PropertyDecorator =>
  ApiProperty({ type: String, nullable: true, example, description });

/** Always all of them. */
export class HybridTelemetryDto {
  @inWords('dense convolutional front end, spiking back end', 'The kind of network.')
  readonly architecture_type!: string | null;
  @inWords('convolutions 3x3, stride 2, run once', 'What reads the input.')
  readonly front_end!: string | null;
  @inWords('two layers of 64 LIF neurons', 'What answers.')
  readonly back_end!: string | null;
  @inWords('4x4x8', 'Of the features between both.')
  readonly feature_map_dim!: string | null;
  @inWords('7x7 pixels', 'What a feature sees; null where that is no part of the input.')
  readonly receptive_field!: string | null;
  @inWords('61.3 % exact zeros after ReLU', 'Measured; null without a dense side.')
  readonly spatial_to_spike_sparsity!: string | null;
  @inWords('12.5 % of 96 events are noise', 'Measured; null without a filter of events.')
  readonly motion_event_filter_efficiency!: string | null;
  @inWords('the run ends when the first class leads by 8 votes', 'Null where there is none.')
  readonly synergy_mechanism!: string | null;
}

export class EnergyComparisonDto {
  @ApiProperty({ example: '0.83x', description: 'Baseline over network.' })
  readonly energy_savings_ratio!: string;
  @ApiProperty({ example: -20.5, description: 'Negative: the network needs more.' })
  readonly energy_reduction_pct!: number;
  @ApiProperty({ example: -1.2e-8, description: 'Baseline less network.' })
  readonly joules_saved!: number;
}

export class EsgEnergyDto extends EnergyComparisonDto {
  @ApiProperty({ example: -1.6e-12, description: 'Modelled, avoided; no offset.' })
  readonly scope3_carbon_offset_gco2e!: number;
  @ApiProperty({ example: 'none (modelled estimate)' })
  readonly compliance_certification!: string;
  @ApiProperty({ example: true, description: 'No figure here was measured but the last.' })
  readonly is_modelled!: boolean;
  @ApiProperty({ example: 'horowitz-2014-45nm/1', description: 'The rules of the model.' })
  readonly energy_model!: string;
  @ApiProperty({ description: 'What the network is compared with.' })
  readonly baseline!: string;
  @ApiProperty({ example: 20_000, description: 'Multiply-accumulates of the baseline.' })
  readonly baseline_macs!: number;
  @ApiProperty({ example: 9.9e-8 })
  readonly joules_network!: number;
  @ApiProperty({ example: 8.2e-8 })
  readonly joules_baseline!: number;
  @ApiProperty({
    type: EnergyComparisonDto,
    description: 'Against 8-bit integers that accumulate in 32-bit floats.',
  })
  readonly int8_baseline!: EnergyComparisonDto;
  @ApiProperty({ example: 480, description: 'A setting of the operator.' })
  readonly grid_gco2e_per_kwh!: number;
  @NullableField(
    Number,
    'Measured, of the whole machine during the run; null where it is not readable.',
  )
  readonly measured_joules_host!: number | null;
}

/** The promised fields of a result, and qualifiers. */
export class SpikingAnswerDto {
  @ApiProperty({ example: 'success' })
  readonly status!: string;
  @ApiProperty({ example: '0198c2f1-7a3b-7c5d-8e9f-0a1b2c3d4e5f' })
  readonly request_id!: string;
  @ApiProperty({ example: 'Hybrid CNN-SNN', description: 'The display name.' })
  readonly model!: string;
  @ApiProperty({ example: 'snnlib/hybrid-spiking-cnn' })
  readonly slug!: string;
  @ApiProperty({
    enum: CHOSEN_BY,
    description: 'The field that decided the network; `default` where the request names none.',
  })
  readonly model_chosen_by!: ChosenBy;
  @ApiProperty({ example: 'two dense convolutions with ReLU, two LIF layers' })
  readonly architecture!: string;
  @ApiProperty({ example: 'hybrid_cnn' })
  readonly routing_mode!: string;
  @ApiProperty({ enum: NEURON_MODELS })
  readonly neuron_model!: string;
  @ApiProperty({ example: 8 })
  readonly timesteps!: number;
  @ApiProperty({ type: SpikingClassificationDto })
  readonly classification!: SpikingClassificationDto;
  @NullableField(SpikingPolicyDto, 'Of a network that acts, for an array; else null.')
  readonly policy!: SpikingPolicyDto | null;
  @ApiProperty({ type: SpikingTelemetryDto, description: 'Counted while the network ran.' })
  readonly spiking_telemetry!: SpikingTelemetryDto;
  @ApiProperty({ type: HybridTelemetryDto, description: 'In words, of this run.' })
  readonly hybrid_telemetry!: HybridTelemetryDto;
  @ApiProperty({ type: EsgEnergyDto })
  readonly esg_energy_telemetry!: EsgEnergyDto;
  @ApiProperty({
    required: false,
    example: '..|..|..\n.|..|..|',
    description: 'With `return_raster`: a line for each neuron of a layer.',
  })
  readonly spike_raster_ascii?: string;
  @ApiProperty({ description: 'What was classified and counted; of a language model, its text.' })
  readonly completion!: string;
  @ApiProperty({ example: 0, description: 'Runs of the session that this one continues.' })
  readonly session_runs!: number;
  @ApiProperty({ example: 'embedded:spiking@9f86d081884c7d65…' })
  readonly engine!: string;
  @ApiProperty({ example: 1, description: 'Of the rules by which operations are counted.' })
  readonly meter_version!: number;
}
