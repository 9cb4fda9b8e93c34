/** The groups of a report. `sent` is the model id in the requests to rigs. */
export const MARGIN_GROUPS = ['day', 'account', 'rig', 'model', 'sent'] as const;
export type MarginGroup = (typeof MARGIN_GROUPS)[number];
