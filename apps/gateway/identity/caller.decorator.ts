import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type FastifyRequest } from 'fastify';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { missingCredentials } from './identity.failures.js';

export type { Caller } from '#areas/identity/authentication/caller.js';

/** Who sent the request; for routes behind a guard of this folder. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => {
    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    // A route that forgot its guard lets nobody in.
    if (!caller) throw missingCredentials();
    return caller;
  },
);
