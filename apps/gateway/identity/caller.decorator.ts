import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { missingCredentials } from './identity.failures.js';

export type { Caller } from '#areas/identity/authentication/caller.js';

/** The caller of the request; for routes behind a guard in this folder. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => {
    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    // A route without a guard rejects every request.
    if (!caller) throw missingCredentials();
    return caller;
  },
);
