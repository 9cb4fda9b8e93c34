import { type ComponentChildren } from 'preact';
import { session } from './session.js';

interface ForRoleProps {
  readonly roles: readonly string[];
  readonly children: ComponentChildren;
}

/** A page of some roles. It reads nothing for the others, whom the gateway would reject. */
export const ForRole = ({ roles, children }: ForRoleProps) => {
  const role = session.value?.user?.role ?? '';
  if (roles.includes(role)) return <>{children}</>;
  return (
    <p>
      This page is for the role {roles.join(' or ')}. Your role is {role}.
    </p>
  );
};
