import { ExportLogQuery } from '#areas/audit/export-log.handler.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { writeWhole } from '../written-file.js';

export interface ExportLogOptions extends CommonOptions {
  readonly file: string;
  readonly first: number;
  readonly end?: number;
}

/** The audit area names the sources of bills. */
const NEEDS = {
  areas: ['identity', 'billing', 'audit'],
  installation: 'exists',
  projections: [],
} as const;

/** Writes events with the proof that the log has them; a running server keeps it published. */
export const exportLog = async (
  { file, ...range }: ExportLogOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ queries }) => {
    const { archive, first, end, root } = await queries.execute(
      new ExportLogQuery(range.first, range.end),
    );
    await writeWhole(archive, file, invocation.signal);
    return {
      json: { file, first, end, events: end - first, root: root.toString('hex') },
      text: `Wrote the leaves ${first} to ${end - 1} of the log with their proof to ${file}.`,
    };
  });
