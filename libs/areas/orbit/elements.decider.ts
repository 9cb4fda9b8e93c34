import { ElementsImported } from '#events/orbit/orbit.events.js';
import { type Decider } from '#platform/kernel/decider.js';

export interface ElementsCommand {
  readonly type: 'ImportElements';
  readonly data: ElementsImported['data'];
}

export interface ElementsState {
  /** The newest; empty before the first import. */
  readonly epoch: string;
}

/** Older elements than those in force, and the same ones again, change nothing. */
const decide = ({ data }: ElementsCommand, { epoch }: ElementsState): ElementsImported[] =>
  data.epoch > epoch ? [ElementsImported.of(data)] : [];

const evolve = (_: ElementsState, { data: { epoch } }: ElementsImported): ElementsState => ({
  epoch,
});

export const elementsDecider: Decider<ElementsCommand, ElementsState, ElementsImported> = {
  initialState: { epoch: '' },
  decide,
  evolve,
};
