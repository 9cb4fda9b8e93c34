import { SetMetadata } from '@nestjs/common';
import { type Role } from '#events/identity/identity.vocabulary.js';

export const ROLES_KEY = 'quipu:roles';

/** The roles that a controller or route accepts; without it, every role. */
export const Roles = (...roles: readonly Role[]): MethodDecorator & ClassDecorator =>
  SetMetadata(ROLES_KEY, roles);
