import { orDash } from '../shell/facts.js';
import { bytes, count, instant } from '../shell/figures.js';
import { type ListAnswer, listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type Column } from '../shell/table.js';

interface Quantization {
  readonly job_uuid: string;
  readonly model_name: string;
  readonly quantized_model: string;
  readonly method: string;
  readonly status: string;
  readonly weight_bits: number;
  readonly baseline_perplexity: number | null;
  readonly quantized_perplexity: number | null;
  readonly serving: { readonly file_bytes: number } | null;
  readonly created_at: string;
}

interface Quantizations extends ListAnswer {
  readonly quantizations: readonly Quantization[];
}

const COLUMNS: readonly Column<Quantization>[] = [
  { name: 'Created, UTC', cell: (job) => instant(job.created_at) },
  {
    name: 'Model',
    cell: ({ job_uuid: id, model_name: name }) => (
      <a data-page href={addressOf(`/jobs/${id}`)}>
        {name}
      </a>
    ),
  },
  { name: 'Quantized', cell: (job) => job.quantized_model },
  { name: 'Method', cell: ({ method }) => method },
  { name: 'Status', cell: ({ status }) => status },
  { name: 'Bits of weights', isNumber: true, cell: (job) => count(job.weight_bits) },
  {
    name: 'Perplexity before',
    isNumber: true,
    cell: (job) => orDash(job.baseline_perplexity, count),
  },
  {
    name: 'Perplexity after',
    isNumber: true,
    cell: (job) => orDash(job.quantized_perplexity, count),
  },
  { name: 'File', isNumber: true, cell: ({ serving }) => orDash(serving?.file_bytes, bytes) },
];

export default listPage<Quantizations, Quantization>({
  title: 'Quantization',
  route: '/api/v1/quantize/jobs',
  rowsOf: ({ quantizations }) => quantizations,
  keyOf: (job) => job.job_uuid,
  columns: COLUMNS,
  empty: (
    <>
      No model was quantized. <code>POST /api/v1/quantize/bitnet.php</code> orders it.
    </>
  ),
});
