import { type ComponentChildren } from 'preact';

/** A name and its figure. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** Figures with their names. */
export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl class="figures">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** A value that may be unknown. */
export const orDash = <Value,>(
  value: Value | null | undefined,
  shown: (value: Value) => ComponentChildren = String,
): ComponentChildren => (value === null || value === undefined ? '–' : shown(value));
