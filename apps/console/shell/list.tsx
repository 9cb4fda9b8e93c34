import { type ComponentChildren, type FunctionComponent } from 'preact';
import { Answered, usePageRead } from './answer.js';
import { filtered, type Filter, Filters } from './filters.js';
import { addressWith, asOf, query } from './location.js';
import { type PageProps } from './page.js';
import { addressFor, type AnswerOf, type QueryOf, type Route } from './routes.js';
import { type Column, Table } from './table.js';

/** The place of an answer in its list: numbered, by the last row, or in OpenAI's manner. */
interface ListAnswer {
  readonly position?: string | null;
  readonly page?: number;
  readonly total_pages?: number;
  readonly next_after?: string | number | null;
  readonly has_more?: boolean;
  readonly last_id?: string | null;
}

export interface List<Of extends Route, Row> {
  readonly title: string;
  /** The parameters of the page have the names of the fields of its path. */
  readonly route: Of;
  /** Whether the route answers of past states, too. */
  readonly isTimed?: 'asOf' extends QueryOf<Of> ? boolean : false;
  readonly filters?: readonly Filter<QueryOf<Of>>[];
  readonly rowsOf: (answer: AnswerOf<Of>) => readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly columns: readonly Column<Row>[];
  /** How the first row comes to be. */
  readonly empty: ComponentChildren;
  /** Above the table. */
  readonly above?: (answer: AnswerOf<Of>) => ComponentChildren;
}

interface PlaceProps {
  readonly fields: Readonly<Record<string, string>>;
  readonly name: string;
}

/** A link to another place in the list of the page. */
const Place = ({ fields, name }: PlaceProps) => (
  <a data-page href={addressWith(fields)}>
    {name}
  </a>
);

interface PlacesProps {
  readonly answer: object;
  /** The key of the last row, where the answer names it by no field. */
  readonly lastKey?: string | number | undefined;
  /** Whether the next page can be of the same state of the log. */
  readonly isTimed: boolean;
}

const nextOf = (
  { next_after: next, has_more: hasMore, last_id: last }: ListAnswer,
  lastKey: PlacesProps['lastKey'],
) => next ?? (hasMore === true ? (last ?? lastKey) : null) ?? null;

/** The places before and after the shown one. */
export const Places = ({ answer, lastKey, isTimed }: PlacesProps) => {
  const list = answer as ListAnswer;
  const { page = 1, total_pages: pages = 1, position } = list;
  const next = nextOf(list, lastKey);
  const state = asOf.value ?? (isTimed ? position : null);
  const kept = state == null ? {} : { asOf: state };
  return (
    <p class="pages">
      {query.value.has('after') && <Place name="First page" fields={{}} />}
      {next !== null && <Place name="Next page" fields={{ after: String(next), ...kept }} />}
      {page > 1 && <Place name="Page before" fields={{ page: String(page - 1), ...kept }} />}
      {pages > 1 && (
        <span>
          Page {page} of {pages}
        </span>
      )}
      {page < pages && <Place name="Next page" fields={{ page: String(page + 1), ...kept }} />}
    </p>
  );
};

/** Where the time control is set and the route knows the present alone. */
export const OfNow = () =>
  asOf.value === undefined ? null : (
    <p class="quiet">This page shows the present: its route has no past states.</p>
  );

/** A page that is one list. */
export const listPage = <Of extends Route, Row>(
  list: List<Of, Row>,
): FunctionComponent<Partial<PageProps>> => {
  const { title, route, isTimed = false, filters = [], rowsOf, empty, above } = list;
  return ({ parameters = {} }) => {
    const state = usePageRead(() =>
      addressFor(route, {
        ...parameters,
        ...filtered(filters),
        after: query.value.get('after'),
        page: query.value.get('page'),
        asOf: isTimed ? asOf.value : undefined,
      }),
    );
    return (
      <>
        <h1>{title}</h1>
        {!isTimed && <OfNow />}
        {filters.length > 0 && <Filters filters={filters} />}
        <Answered state={state}>
          {(answer) => (
            <>
              {above?.(answer)}
              {rowsOf(answer).length === 0 ? (
                <p>{empty}</p>
              ) : (
                <Table
                  label={title}
                  columns={list.columns}
                  rows={rowsOf(answer)}
                  keyOf={list.keyOf}
                />
              )}
              <Places
                answer={answer}
                lastKey={rowsOf(answer).map(list.keyOf).at(-1)}
                isTimed={isTimed}
              />
            </>
          )}
        </Answered>
      </>
    );
  };
};
