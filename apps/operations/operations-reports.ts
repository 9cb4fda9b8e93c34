import { type IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { Registry } from 'prom-client';
import { type MetricsSource } from '#platform/runtime/areas/operations.js';
import { type Access, OperationsAccess } from './operations-access.js';
import { type MetricValues, ProcessGroup } from './process-group.port.js';
import { Readiness } from './readiness.js';

export const METRICS_SOURCES = Symbol('MetricsSources');

/** An answer of health or metrics. */
export interface OperationsReport {
  readonly status: number;
  readonly contentType: string;
  /** Further headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** The reports of a process, as much as a request may see. */
@Injectable()
export class OperationsReports {
  constructor(
    private readonly readiness: Readiness,
    private readonly registry: Registry,
    @Inject(METRICS_SOURCES) private readonly sources: readonly MetricsSource[],
    private readonly access: OperationsAccess,
    // Absent where one process serves its port alone.
    @Optional() private readonly group?: ProcessGroup,
  ) {}

  live(): OperationsReport {
    return json(200, { status: 'live' });
  }

  /** The HTTP status is the same for everyone; reasons and facts need access. */
  async ready(headers: IncomingHttpHeaders, isOperationsPort = false): Promise<OperationsReport> {
    const report = await this.readiness.report();
    const { status } = report;
    const isGranted = this.access.of(headers, isOperationsPort) === 'granted';
    return json(status === 'ready' ? 200 : 503, isGranted ? report : { status });
  }

  async metrics(headers: IncomingHttpHeaders, isOperationsPort = false): Promise<OperationsReport> {
    const access = this.access.of(headers, isOperationsPort);
    if (access !== 'granted') return REFUSED[access];
    const { contentType } = this.registry;
    const body = await (this.group?.metrics() ?? this.#text());
    return { status: 200, contentType, headers: {}, body };
  }

  /** The metrics of this process alone, for another one of its group. */
  async values(): Promise<readonly MetricValues[]> {
    await this.#collect();
    return this.registry.getMetricsAsJSON();
  }

  async #text(): Promise<string> {
    await this.#collect();
    return this.registry.metrics();
  }

  async #collect(): Promise<void> {
    await Promise.all(this.sources.map(async (source) => source.collect()));
  }
}

const json = (
  status: number,
  body: object,
  headers: OperationsReport['headers'] = {},
): OperationsReport => ({ status, contentType: JSON_TYPE, headers, body: JSON.stringify(body) });

const REFUSED: Readonly<Record<Exclude<Access, 'granted'>, OperationsReport>> = {
  'token-required': json(
    401,
    {
      success: false,
      message: 'send the token of QUIPU_OPERATIONS_TOKEN as Authorization: Bearer',
      code: 'missing_credentials',
    },
    { 'www-authenticate': 'Bearer' },
  ),
  'not-here': json(404, {
    success: false,
    message: 'metrics need QUIPU_OPERATIONS_PORT or QUIPU_OPERATIONS_TOKEN',
    code: 'not_found',
  }),
};
