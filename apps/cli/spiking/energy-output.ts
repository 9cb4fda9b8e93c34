import { ENERGY_MODEL, type EnergyReport } from '#areas/spiking/energy-report.js';

/** As the route of runs shows it. */
export const energyJson = ({ fp32, int8, savedGramsCo2e }: EnergyReport) => ({
  is_modelled: true,
  energy_model: ENERGY_MODEL,
  joules_network: fp32.joules,
  joules_baseline: fp32.baselineJoules,
  joules_saved: fp32.savedJoules,
  energy_reduction_pct: fp32.reductionPct,
  energy_savings_ratio: fp32.savingsRatio,
  scope3_carbon_offset_gco2e: savedGramsCo2e,
  int8_baseline: {
    joules_saved: int8.savedJoules,
    energy_reduction_pct: int8.reductionPct,
    energy_savings_ratio: int8.savingsRatio,
  },
});

export const energyText = ({ fp32, int8 }: EnergyReport): string =>
  `${fp32.joules.toExponential(3)} J modelled, ${fp32.savingsRatio} against 32-bit floats, ` +
  `${int8.savingsRatio} against 8-bit integers`;
