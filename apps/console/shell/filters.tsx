import { addressWith, goTo, query } from './location.js';

interface FilterLook {
  readonly label: string;
  /** A choice of these; otherwise a text. */
  readonly choices?: readonly string[];
  readonly type?: 'text' | 'date';
  /** Shown, and asked for, where the address has none. */
  readonly initial?: string;
}

/** A field of the address by its name, and of the route by its field, which is else the name. */
export type Filter<Field extends string = string> = FilterLook &
  (
    | { readonly name: Field; readonly field?: never }
    | { readonly name: string; readonly field: Field }
  );

export const valueOf = ({ name, initial }: Filter): string =>
  query.value.get(name) ?? initial ?? '';

/** The fields of the filters, for a route. */
export const filtered = <Field extends string>(
  filters: readonly Filter<Field>[],
): Readonly<Partial<Record<Field, string | undefined>>> =>
  Object.fromEntries(
    filters.map((filter) => [filter.field ?? filter.name, valueOf(filter) || undefined]),
  ) as Partial<Record<Field, string | undefined>>;

/** The texts of a form by their names. */
export const textsOf = (form: HTMLFormElement): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [
      name,
      typeof value === 'string' ? value.trim() : '',
    ]),
  );

const TEXT_LENGTH_MAX = 512;

const Field = ({ filter }: { readonly filter: Filter }) => {
  const { name, choices, type = 'text', initial } = filter;
  const value = valueOf(filter);
  if (!choices) {
    if (type === 'date') return <input name={name} type="date" defaultValue={value} />;
    return <input name={name} defaultValue={value} maxLength={TEXT_LENGTH_MAX} />;
  }
  return (
    <select name={name} defaultValue={value}>
      {initial === undefined && <option value="">any</option>}
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
};

/** Sets the filters of the shown page. */
export const Filters = ({ filters }: { readonly filters: readonly Filter[] }) => {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement) {
      goTo(addressWith(textsOf(event.currentTarget)));
    }
  };
  return (
    <form class="filters" onSubmit={submit} key={[...query.value].join('\n')}>
      {filters.map((filter) => (
        <label key={filter.name}>
          {filter.label}
          <Field filter={filter} />
        </label>
      ))}
      <button type="submit">Filter</button>
    </form>
  );
};
