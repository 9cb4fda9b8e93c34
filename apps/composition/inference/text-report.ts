import { textEngine } from '#areas/inference/text/text.engine.js';
import { type WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';

/** The report of a worker on its engine for language models. */
export type TextReport = WorkerHeartbeat['engines'][number];

/** Undefined for a worker without the engine. */
export const textReportOf = ({ engines }: WorkerHeartbeat): TextReport | undefined =>
  engines.find(({ name }) => name === textEngine.name);
