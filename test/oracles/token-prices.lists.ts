/** Price lists of providers, from their pages of September and October 2026. */
const per = (input: number, read: number | null, output: number, more: object = {}) => ({
  input_usd_per_mtok: input,
  output_usd_per_mtok: output,
  ...(read !== null && { cache_read_usd_per_mtok: read }),
  ...more,
});

const writes = (five: number, hour: number) => ({
  cache_write_5m_usd_per_mtok: five,
  cache_write_1h_usd_per_mtok: hour,
});

const write30m = (price: number) => ({ cache_write_30m_usd_per_mtok: price });

const above = (tokens: number, prices: object) => ({
  tiers: [{ above_input_tokens: tokens, mode: 'whole', ...prices }],
});

/** Twice the price on working days. */
const peak = (name: string, from: string, to: string) => ({
  name,
  daily: { from, to },
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  percent: 200,
});

export const LISTS = {
  'gpt-6.1-sol': per(2, 0.1, 10, {
    ...write30m(2.5),
    ...above(272_000, per(4, 0.2, 15, write30m(5))),
    search_usd_per_thousand: 10,
  }),
  'gpt-5.6-sol': per(4, 0.4, 20, {
    ...write30m(5),
    service_tiers: { priority: per(8, 0.8, 40, write30m(10)) },
  }),
  'gpt-4.1': per(2, 0.5, 8),
  'gpt-5.1': per(1.25, 0.125, 10),
  'gpt-audio-1.5': per(2.5, null, 10, {
    audio_input_usd_per_mtok: 32,
    audio_output_usd_per_mtok: 64,
  }),
  'gpt-image-2': per(5, null, 30, { image_input_usd_per_mtok: 8, image_output_usd_per_mtok: 30 }),
  'text-embedding-3-small': { input_usd_per_mtok: 0.02 },
  'claude-opus-5-5': per(4, 0.2, 20, {
    ...writes(5, 8),
    service_tiers: { fast: per(8, 0.4, 40, writes(10, 16)) },
  }),
  'claude-sonnet-5-5': per(2, 0.1, 10, { ...writes(2.5, 4), search_usd_per_thousand: 10 }),
  'claude-fable-5-1': per(10, 0.25, 50, { ...writes(12.5, 20), residency_percent: { us: 110 } }),
  'claude-haiku-5-5': per(0.1, 0.01, 0.5, {
    ...writes(0.125, 0.2),
    ...above(100_000, per(0.5, 0.05, 2.5, writes(0.625, 1))),
  }),
  'claude-opus-4-7': per(5, 0.5, 25, writes(6.25, 10)),
  'claude-3-7-sonnet': per(3, 0.3, 15, writes(3.75, 6)),
  'claude-3-5-haiku': per(0.8, 0.08, 4, writes(1, 1.6)),
  'gemini-2.5-pro of 2025': per(1.25, 0.3125, 10, above(200_000, per(2.5, 0.625, 15))),
  'gemini-2.5-pro': per(1.25, 0.125, 10, above(200_000, per(2.5, 0.25, 15))),
  'gemini-3.1-pro': per(2, 0.2, 12, above(200_000, per(4, 0.4, 18))),
  'gemini-2.5-flash-lite': per(0.1, 0.01, 0.4, {
    audio_input_usd_per_mtok: 0.3,
    cache_read_audio_usd_per_mtok: 0.03,
  }),
  'gemini-3.8-flash': per(0.75, 0.075, 3.75, {
    service_tiers: { priority: { percent: 180 } },
    periods: [{ name: 'from_2027', valid_from: '2027-01-01', ...per(1.5, 0.15, 7.5) }],
  }),
  'nova-pro': per(0.8, 0.2, 3.2),
  'gpt-oss-120b': per(0.15, null, 0.6, {
    service_tiers: { flex: { percent: 50 }, priority: { percent: 175 } },
  }),
  'claude-sonnet-5': per(2, 0.2, 10, writes(2.5, 4)),
  'grok-4.6': per(2, 0.5, 6),
  'deepseek-flash': per(0.15, 0.003, 0.6, {
    periods: [peak('morning', '01:00', '04:00'), peak('day', '06:00', '10:00')],
  }),
  reseller: per(1, 0.1, 5),
  'another reseller': per(1, 0.25, 2),
  'self-hosted': per(0.2, 0.02, 0.6),
} as const satisfies Readonly<Record<string, object>>;
