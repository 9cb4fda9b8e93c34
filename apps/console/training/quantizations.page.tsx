import { orDash } from '../shell/facts.js';
import { bytes, count, instant } from '../shell/figures.js';
import { listPage } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf } from '../shell/routes.js';
import { type Column } from '../shell/table.js';

type Quantization = AnswerOf<'/api/v1/quantize/jobs'>['quantizations'][number];

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

export default listPage({
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
