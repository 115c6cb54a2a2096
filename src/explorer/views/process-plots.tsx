import { useEffect, useState } from 'preact/hooks';
import type { NodeData } from '../load/load-node.ts';
import { Plot, type Point } from '../pictures/plot.tsx';
import { bytesText, groupDigits, shortNumber, timeText } from '../text/text-format.ts';
import { Panel } from './parts.tsx';
import { useWidth } from './use-width.ts';

/** Memory and height of the node at a time. */
type Sample = { readonly time: number; readonly bytes: number; readonly height: number };

/** Samples kept in the tab: an hour at one per 5 s. */
const maxSamples = 720;

/** Memory, and blocks per second, since this page was opened: the node keeps no record of them. */
export function ProcessPlots({ data: { process, height }, now }: { data: NodeData; now: number }) {
  const bytes = process?.residentBytes;
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const { ref, width } = useWidth(1152);
  useEffect(() => {
    if (bytes === undefined || height === undefined) return;
    // A clock that was set back, or a revert, starts the record again.
    const isLater = (last: Sample | undefined): boolean => last === undefined || (last.time < now && last.height <= height);
    setSamples((all) => (isLater(all.at(-1)) ? [...all, { time: now, bytes, height }].slice(-maxSamples) : [{ time: now, bytes, height }]));
  }, [now]);
  if (bytes === undefined || height === undefined) return null;
  const shown = samples.length === 0 ? [{ time: now, bytes, height }] : samples;
  const rates = shown.map((sample, at): Point => {
    const before = shown[at - 1];
    return { x: sample.time, y: before === undefined ? 0 : (sample.height - before.height) / (sample.time - before.time) };
  });
  const plots = [
    {
      title: 'Memory',
      unit: 'MB',
      points: shown.map((sample): Point => ({ x: sample.time, y: sample.bytes / 1e6 })),
      now: bytesText(bytes),
    },
    {
      title: 'Blocks per second',
      unit: 'blocks/s',
      points: rates.length > 1 ? rates.slice(1) : rates,
      now: `height ${groupDigits(height)}`,
    },
  ];
  const plotWidth = Math.max(280, width >= 900 ? (width - 16) / 2 - 32 : width - 32);
  return (
    <div ref={ref} class="plots">
      {plots.map(({ title, unit, points, now: current }) => (
        <Panel title={title} side={<span>since this page was opened · {current}</span>}>
          <div class="padded">
            <Plot
              points={points}
              width={plotWidth}
              height={160}
              kind="line"
              unit={unit}
              label={`${title} since this page was opened`}
              from={timeText(points[0]?.x ?? now)}
              to={timeText(now)}
              valueText={({ x, y }) => `${timeText(x)}: ${shortNumber(y)} ${unit}`}
            />
          </div>
        </Panel>
      ))}
    </div>
  );
}
