import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { type Filter, Filters, valueOf } from '../shell/filters.js';
import { OfNow } from '../shell/list.js';
import { LossChart, shownLoss, useLosses } from '../shell/loss-chart.js';
import { routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import {
  differenceOf,
  type Figure,
  type FigureRow,
  type MadeModel,
  modelsOf,
  rowsOf,
} from './model-figures.js';

/** The most of one read, of each kind. */
const LIMIT = '100';

const filter = (name: 'one' | 'other', label: string, models: readonly MadeModel[]): Filter => ({
  name,
  label,
  choices: models.map((model) => model.name),
});

const shown = (figure: Figure | undefined) => {
  if (figure === undefined || figure === null) return '–';
  return typeof figure === 'number' ? shownLoss(figure) : String(figure);
};

const columnsOf = (one: MadeModel, other: MadeModel): readonly Column<FigureRow>[] => [
  { name: 'Figure', cell: ({ name }) => name },
  { name: one.name, cell: (row) => shown(row.one) },
  { name: other.name, cell: (row) => shown(row.other) },
  { name: 'Difference', isNumber: true, cell: (row) => shown(differenceOf(row)) },
];

interface ComparedProps {
  readonly one: MadeModel;
  readonly other: MadeModel;
}

const Compared = ({ one, other }: ComparedProps) => {
  const own = useLosses(one.job.id).points.value;
  const beside = useLosses(other.job.id).points.value;
  const curves = [
    { name: one.name, points: own },
    { name: other.name, points: beside },
  ];
  return (
    <>
      {own.length + beside.length > 0 && <LossChart curves={curves} />}
      <Table
        label="Figures"
        columns={columnsOf(one, other)}
        rows={rowsOf(one.job, other.job)}
        keyOf={({ name }) => name}
      />
      <p class="quiet">Perplexities of different texts cannot be compared.</p>
    </>
  );
};

const Choice = ({ models }: { readonly models: readonly MadeModel[] }) => {
  const filters = [filter('one', 'Model', models), filter('other', 'Beside it', models)];
  const [one, other] = filters.map((field) => models.find(({ name }) => name === valueOf(field)));
  if (models.length < 2) {
    return <p>Two models are needed: fine-tunings, distillations and quantizations make them.</p>;
  }
  return (
    <>
      <Filters filters={filters} />
      {one && other ? (
        <Compared key={`${one.job.id} ${other.job.id}`} one={one} other={other} />
      ) : (
        <p>Choose two of the models that your jobs have made.</p>
      )}
    </>
  );
};

const madeBy = (type: string) => () =>
  routeOf('/api/v1/jobs', { type, state: 'completed', limit: LIMIT });

const ComparisonPage = () => {
  const tuned = usePageRead(madeBy('fine-tuning'));
  const distilled = useRead(madeBy('distillation'));
  const quantized = useRead(madeBy('quantization'));
  return (
    <>
      <h1>Compare models</h1>
      <OfNow />
      <Answered state={tuned}>
        {(one) => (
          <Answered state={distilled}>
            {(two) => (
              <Answered state={quantized}>
                {(three) => <Choice models={modelsOf([...one.jobs, ...two.jobs, ...three.jobs])} />}
              </Answered>
            )}
          </Answered>
        )}
      </Answered>
    </>
  );
};

export default ComparisonPage;
