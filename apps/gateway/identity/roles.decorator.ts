import { applyDecorators, SetMetadata } from '@nestjs/common';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { FailsWith } from '../openapi/failures.docs.js';

export const ROLES_KEY = 'quipu:roles';

/** The roles that a controller or route accepts; without it, every role. */
export const Roles = (...roles: readonly Role[]): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(ROLES_KEY, roles), FailsWith('insufficient_role'));
