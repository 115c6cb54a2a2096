/** Figures of the process, from the Prometheus text of `/ext/metrics`. */
export type ProcessMetrics = {
  readonly residentBytes: number | undefined;
  readonly cpuSeconds: number | undefined;
  /** Unix seconds. */
  readonly startTime: number | undefined;
};

export const parseProcessMetrics = (text: string): ProcessMetrics => ({
  residentBytes: metricValue(text, 'process_resident_memory_bytes'),
  cpuSeconds: metricValue(text, 'process_cpu_seconds_total'),
  startTime: metricValue(text, 'process_start_time_seconds'),
});

/** The first value of a metric, whatever its labels; undefined if it is missing. */
export function metricValue(text: string, name: string): number | undefined {
  const found = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
