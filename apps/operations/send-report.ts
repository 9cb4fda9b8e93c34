import { type FastifyReply } from 'fastify';
import { type OperationsReport } from './operations-reports.js';

export const sendReport = (
  reply: FastifyReply,
  { status, contentType, headers, body }: OperationsReport,
): void => {
  void reply.status(status).headers(headers).type(contentType).send(body);
};
