import { type ComponentChildren } from 'preact';
import { type Filter } from '../shell/filters.js';
import { query } from '../shell/location.js';
import { session } from '../shell/session.js';

export const INVESTOR: Filter<'investor_id'> = {
  name: 'investor',
  field: 'investor_id',
  label: 'User id of the investor',
};

/** An Admin names the investor whose figures the page shows. Null: none is named yet. */
export const investorAsked = (): string | undefined | null => {
  const isAdmin = session.value?.user?.role === 'Admin';
  return query.value.get(INVESTOR.name) ?? (isAdmin ? null : undefined);
};

interface ForInvestorProps {
  /** The form that names an investor. */
  readonly ask: ComponentChildren;
  readonly children: ComponentChildren;
}

export const ForInvestor = ({ ask, children }: ForInvestorProps) =>
  investorAsked() === null ? (
    <>
      {ask}
      <p>Name the user whose investments the page shows.</p>
    </>
  ) : (
    <>{children}</>
  );
