import { instant } from '../shell/figures.js';
import { type RoutedRig } from './routing.js';

export const Breaker = ({ rig }: { readonly rig: RoutedRig }) => (
  <span class={rig.breaker === 'closed' ? 'success' : 'failure'}>{rig.breaker}</span>
);

/** Since when a breaker is as it is. */
export const sinceOf = ({ breaker_since: since }: RoutedRig): string =>
  since === null ? 'since the gateway asks it' : instant(since);

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
