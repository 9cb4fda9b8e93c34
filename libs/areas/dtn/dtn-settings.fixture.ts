import { type DtnSettings } from './dtn.settings.js';

/** A node without links. */
export const dtnSettingsOf = (more: Partial<DtnSettings> = {}): DtnSettings => ({
  ...{ node: 'dtn://quipu/', bundlesMax: 1, bytesMax: 1_000 },
  ...{ peers: new Map(), listen: null, tls: null, planFile: null },
  ...more,
});
