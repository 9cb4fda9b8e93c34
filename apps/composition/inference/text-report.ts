import { textEngine } from '#areas/inference/text/text.engine.js';
import { type WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';

/** What a worker says of its engine for language models. */
export type TextReport = WorkerHeartbeat['engines'][number];

/** Undefined for a worker without the engine. */
export const textReportOf = ({ engines }: WorkerHeartbeat): TextReport | undefined =>
  engines.find(({ name }) => name === textEngine.name);
