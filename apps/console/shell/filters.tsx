import { addressWith, goTo, query } from './location.js';

/** A filter of a list: a field of its route, and of the address of its page. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  /** The values that it takes. Default: any text. */
  readonly choices?: readonly string[];
}

const FilterField = ({ name, label, choices }: Filter) => {
  const value = query.value.get(name) ?? '';
  return (
    <label>
      {label}
      {choices ? (
        <select name={name} defaultValue={value}>
          <option value="">any</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input name={name} defaultValue={value} maxLength={512} />
      )}
    </label>
  );
};

/** Sets the filters of the shown list. They are in the address, which is how a view is kept. */
export const Filters = ({ filters }: { readonly filters: readonly Filter[] }) => {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const fields = [...new FormData(event.currentTarget)].map(
      ([name, value]) => [name, typeof value === 'string' ? value.trim() : ''] as const,
    );
    goTo(addressWith(Object.fromEntries(fields)));
  };
  return (
    <form class="filters" onSubmit={submit} key={[...query.value].join('\n')}>
      {filters.map((filter) => (
        <FilterField key={filter.name} {...filter} />
      ))}
      <button type="submit">Filter</button>
    </form>
  );
};

/** The fields of the address that the filters set, for the route of the list. */
export const filtered = (
  filters: readonly Filter[],
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(filters.map(({ name }) => [name, query.value.get(name)]));
