import type { paths } from '../../../packages/client/dist/api.d.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Routes as the OpenAPI document names them: `/api/v1/jobs/{id}`. */
export type Route = keyof paths;

declare const ROUTE: unique symbol;

/** The path and query of a call, which is of this route. */
export type Address<Of extends string = string> = string & { readonly [ROUTE]: Of };

type JsonOf<Reply> = Reply extends {
  readonly content: { readonly 'application/json': infer Answer };
}
  ? Answer
  : never;

type Success = 200 | 201 | 202;

/** The answer of a route, where the document states one; else some object. */
export type AnswerOf<Of extends string, By extends Method = 'GET'> = Of extends Route
  ? paths[Of][Lowercase<By>] extends { readonly responses: infer Replies }
    ? JsonOf<Replies[keyof Replies & Success]> & object
    : object
  : object;

type KeysOf<Parameters> = Parameters extends object ? keyof Parameters & string : never;

type ParametersOf<Of extends Route, In extends 'path' | 'query'> = {
  readonly [By in Lowercase<Method>]: paths[Of][By] extends {
    readonly parameters: { readonly [Place in In]?: infer Parameters };
  }
    ? KeysOf<Parameters>
    : never;
}[Lowercase<Method>];

/** The fields of the query of a route. */
export type QueryOf<Of extends Route> = ParametersOf<Of, 'query'>;

type Fields<Of extends Route> = {
  readonly [Name in ParametersOf<Of, 'path'>]: string | number;
} & { readonly [Name in QueryOf<Of>]?: string | undefined };

type FieldsOf<Of extends Route> = [ParametersOf<Of, 'path'>] extends [never]
  ? [fields?: Fields<Of>]
  : [fields: Fields<Of>];

/** The address of a route of the document, whose fields are checked. */
export const routeOf = <Of extends Route>(route: Of, ...[fields = {}]: FieldsOf<Of>) =>
  addressFor(route, fields);

/** Fields of the path are filled in; the others are the query, without undefined ones. */
export const addressFor = <Of extends Route>(
  route: Of,
  fields: Readonly<Record<string, string | number | undefined>>,
): Address<Of> => {
  const search = new URLSearchParams();
  let address: string = route;
  for (const [name, value] of Object.entries(fields)) {
    const place = `{${name}}`;
    if (address.includes(place)) address = address.replace(place, encodeURIComponent(value ?? ''));
    else if (value !== undefined && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return (text === '' ? address : `${address}?${text}`) as Address<Of>;
};
