import { type ICommand } from '@nestjs/cqrs';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import {
  ChangeJobCommand,
  CompleteJobCommand,
  EndAttemptCommand,
  type ReportedContent,
  ReportProgressCommand,
} from './job.commands.js';
import { type Carried, type JobReport } from './job.protocol.js';

/** The command for a report. @param at the instant at which it is taken, ISO 8601 */
export const commandOfReport = (
  report: JobReport,
  at: string,
  context: CommandContext,
): ICommand => {
  const { jobId, attempt, host } = report;
  const reported = { jobId, attempt, host };
  switch (report.kind) {
    case 'started': {
      const data = { ...reported, startedAt: at };
      return new ChangeJobCommand({ type: 'StartAttempt', data }, context);
    }
    case 'progressed': {
      const { sequence, done, total, shown, usage } = report;
      const checkpoint = report.checkpoint && contentOf(report.checkpoint);
      const progress = { sequence, done, total, shown, checkpoint, usage, progressedAt: at };
      return new ReportProgressCommand({ ...reported, ...progress }, context);
    }
    case 'completed': {
      const { shown, usage } = report;
      const result = contentOf(report.result);
      return new CompleteJobCommand(
        { ...reported, result, shown, usage, completedAt: at },
        context,
      );
    }
    case 'ended': {
      const { reason, code, message } = report;
      return new EndAttemptCommand({ ...reported, reason, code, message, endedAt: at }, context);
    }
  }
};

const contentOf = (carried: Carried): ReportedContent =>
  'blob' in carried ? { kind: 'blob', blob: carried.blob } : { kind: 'json', value: carried.json };
