import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Bus } from '#platform/bus/bus.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ProductMismatchError } from '#platform/ledger/product.js';
import { type CommandSender } from '#platform/runtime/areas/leader-service.js';
import { ReportRejectedError, ReportTooLargeError } from './attempt-failure.js';
import { JobJsonTooLargeError } from './job-blobs.js';
import {
  CARRIED_JSON_BYTES_MAX,
  type JobReport,
  reportPlace,
  REPORTS_TOPIC,
} from './job.protocol.js';
import { type JobSeal } from './job.seal.js';
import { commandOfReport } from './report-command.js';

/** Where the reports of a host go. */
export interface ReportSink {
  /**
   * Resolves when the report cannot be lost any more. Repeating it is allowed.
   * @throws ReportTooLargeError, ReportRejectedError: repeating helps neither
   */
  send(report: JobReport): Promise<void>;
}

/** Reports of a process without stores: another process takes them off the bus. */
export const busReportSink = (bus: Pick<Bus, 'publish'>, seal: JobSeal): ReportSink => ({
  send: async (report) => {
    const { jobId, attempt, kind, host } = report;
    const body = Buffer.from(JSON.stringify(report), 'utf8');
    if (body.length > CARRIED_JSON_BYTES_MAX) {
      const limit = `${CARRIED_JSON_BYTES_MAX} fit into a message`;
      throw new ReportTooLargeError(`the attempt reported ${body.length} bytes at once; ${limit}`);
    }
    const data = { jobId, ...seal.seal(reportPlace(jobId), body) };
    const headers = { kind, job: jobId, attempt: String(attempt), host };
    await bus.publish(REPORTS_TOPIC, [{ key: jobId, id: randomUUID(), headers, data }]);
  },
});

/** Reports of a process with the areas: their commands are handled at once. */
export const logReportSink = (commands: CommandSender, clock: Clock): ReportSink => ({
  send: async (report) => {
    const requestId = randomUUID();
    const { jobId, host } = report;
    const context = { requestId, correlationId: jobId, causationId: jobId, actor: `host:${host}` };
    try {
      await commands.execute(commandOfReport(report, instant(clock), context));
    } catch (cause) {
      throw rejectionOf(cause) ?? cause;
    }
  },
});

/** Undefined for an error that may pass. */
const rejectionOf = (cause: unknown): Error | undefined => {
  if (cause instanceof JobJsonTooLargeError) {
    return new ReportTooLargeError(cause.message, { cause });
  }
  const isWrong =
    cause instanceof z.ZodError ||
    cause instanceof ProductMismatchError ||
    cause instanceof DomainError;
  return isWrong
    ? new ReportRejectedError('the report does not fit its job', { cause })
    : undefined;
};
