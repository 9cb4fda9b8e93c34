import { type DataMovedInMonth } from '#areas/statistics/data-moved.handler.js';
import { type PlatformStatistics } from '#areas/statistics/platform-statistics.handler.js';
import {
  type DataMovedDto,
  type DataScope,
  type MetricType,
  type StatisticsDto,
} from './statistics.dto.js';

const MS_PER_SECOND = 1_000;

export const presentStatistics = (
  { figures, groupMin, position: at, nowMs }: PlatformStatistics,
  timespan: string,
  metricType: MetricType,
): StatisticsDto => {
  const position = at.toString();
  const asked = (chart: MetricType): boolean => metricType === 'all' || metricType === chart;
  const labels = figures.points;
  return {
    success: true,
    timestamp: Math.floor(nowMs / MS_PER_SECOND),
    timespan,
    metric_type: metricType,
    privacy_policy: policyOf(groupMin),
    summary: {
      total_compute_nodes: figures.nodes,
      online_nodes: figures.nodesOnline,
      total_active_units: figures.units,
      total_tflops_capacity: figures.tflops,
      avg_gpu_temperature_c: figures.temperatureC,
      avg_power_draw_w: figures.powerW,
      total_inferences_24h: figures.inferences24h,
      revenue_usd_timespan: figures.revenueUsd,
      position,
    },
    charts: {
      revenue_trend: asked('revenue')
        ? {
            title: 'Revenue in USD',
            labels,
            datasets: [{ name: 'revenue_usd', data: figures.revenueTrendUsd }],
            position,
          }
        : null,
      gpu_brand_distribution: asked('hardware')
        ? {
            title: 'Nodes by brand',
            labels: figures.brands.map(({ brand }) => brand),
            series: figures.brands.map(({ nodes }) => nodes),
            position,
          }
        : null,
      telemetry_timeseries: asked('telemetry')
        ? {
            title: 'Telemetry of the nodes',
            labels,
            datasets: [
              { name: 'avg_gpu_temperature_c', data: figures.temperatureTrendC },
              { name: 'avg_power_draw_w', data: figures.powerTrendW },
            ],
            position,
          }
        : null,
    },
    position,
  };
};

const policyOf = (groupMin: number): StatisticsDto['privacy_policy'] => ({
  data_type: 'aggregated',
  pii_protection:
    'no user, account, balance, address, serial number, prompt or reply is in this answer',
  aggregation:
    groupMin > 1
      ? `a figure of fewer than ${groupMin} accounts or nodes is null`
      : 'figures are published whatever the size of their group',
});

export const presentDataMoved = (
  { month, sent, byRig, position }: DataMovedInMonth,
  scope: DataScope,
): DataMovedDto => ({
  success: true,
  scope,
  month,
  bytes_out: sent.bytes,
  answers: sent.answers,
  charged: {
    bytes_out: byRig.reduce((sum, { bytesOut }) => sum + bytesOut, 0),
    answers: byRig.reduce((sum, { answers }) => sum + answers, 0),
    unmeasured_answers: byRig.reduce((sum, { unmeasured }) => sum + unmeasured, 0),
  },
  rigs: byRig.map(({ rig, bytesOut, answers, unmeasured }) => ({
    rig,
    bytes_out: bytesOut,
    answers,
    unmeasured_answers: unmeasured,
  })),
  position: position.toString(),
});
