import { SpikingModels } from '#areas/spiking/spiking-models.js';
import { SPIKING_SETTINGS, type SpikingSettings } from '#areas/spiking/spiking.settings.js';
import { settingsOf } from '../installation.js';
import { type Invocation } from '../invocation.js';

/** The networks that a server with these settings would run. */
export const networksOf = ({
  environment,
  parts,
}: Invocation): { readonly settings: SpikingSettings; readonly models: SpikingModels } => {
  const { ofAreas } = settingsOf(environment, parts?.areas);
  const settings = ofAreas.get(SPIKING_SETTINGS) as SpikingSettings;
  return { settings, models: new SpikingModels(settings) };
};
