import { type AnswerOf } from '../shell/routes.js';

type Job = AnswerOf<'/api/v1/jobs'>['jobs'][number];

export interface MadeModel {
  readonly name: string;
  readonly job: Job;
}

export type Figure = string | number | boolean | null;

/** A figure of one model, and of the model beside it. Undefined: the model has none. */
export interface FigureRow {
  readonly name: string;
  readonly one: Figure | undefined;
  readonly other: Figure | undefined;
}

const isFigure = (value: unknown): value is Figure =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** The values of an object and of the objects in it, by their names. Lists are left out. */
const figuresIn = (value: object, above = ''): readonly (readonly [string, Figure])[] =>
  Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    const name = `${above}${key.replaceAll('_', ' ')}`;
    if (isFigure(inner)) return [[name, inner] as const];
    return Array.isArray(inner) ? [] : figuresIn(inner as object, `${name}: `);
  });

/** The models that jobs have made, by their names. A model that was made again is the last one. */
export const modelsOf = (jobs: readonly Job[]): readonly MadeModel[] => {
  const byName = new Map<string, Job>();
  const inOrder = [...jobs].sort((one, next) => one.submitted_at.localeCompare(next.submitted_at));
  for (const job of inOrder) {
    const { model } = job.result?.summary ?? {};
    const { slug } = job.summary;
    if (typeof model === 'string') byName.set(model, job);
    else if (typeof slug === 'string') byName.set(`${job.account_id}/${slug}`, job);
  }
  const models = [...byName].map(([name, job]) => ({ name, job }));
  return models.sort((one, next) => one.name.localeCompare(next.name));
};

/** The order and the measurements of two models side by side. */
export const rowsOf = (one: Job, other: Job): readonly FigureRow[] => {
  const [own = new Map<string, Figure>(), beside = new Map<string, Figure>()] = [one, other].map(
    ({ type, summary, result }) =>
      new Map([['made by', type], ...figuresIn(summary), ...figuresIn(result?.summary ?? {})]),
  );
  return [...new Set([...own.keys(), ...beside.keys()])].map((name) => ({
    name,
    one: own.get(name),
    other: beside.get(name),
  }));
};

/** How far the first is above the second, of two numbers. */
export const differenceOf = ({ one, other }: FigureRow): number | null =>
  typeof one === 'number' && typeof other === 'number' ? one - other : null;
