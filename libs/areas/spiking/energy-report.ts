import { type SpikingCounts } from '#events/spiking/spiking.evidence.js';
import { compareEnergy, type EnergyComparison } from './spiking.engine.js';

/** The rules by which `energyReport` computes; another figure for the same counts is another name. */
export const ENERGY_MODEL = 'horowitz-2014-45nm/1';

const JOULES_PER_KWH = 3.6e6;

/** Modelled energy of counted operations. Nothing here was measured. */
export interface EnergyReport {
  /** Against the same network with ReLU in 32-bit floats. */
  readonly fp32: EnergyComparison;
  /** Against the same in 8-bit integers that accumulate in 32-bit floats: the harder comparison. */
  readonly int8: EnergyComparison;
  /** Of the saved joules against `fp32`; negative where the network needs more. */
  readonly savedGramsCo2e: number;
}

/** Pure: the log has everything that it needs. */
export const energyReport = (counts: SpikingCounts, gridGramsPerKwh: number): EnergyReport => {
  const network = { macs: counts.macs, acs: counts.acs };
  const ann = { macs: counts.annMacs, acs: counts.annAcs };
  const fp32 = compareEnergy(network, ann, 'fp32');
  return {
    fp32,
    int8: compareEnergy(network, ann, 'int8'),
    savedGramsCo2e: (fp32.savedJoules / JOULES_PER_KWH) * gridGramsPerKwh,
  };
};
