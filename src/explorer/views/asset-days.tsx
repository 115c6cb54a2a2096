import { type AssetData, assetRanges } from '../load/load-asset.ts';
import { Plot } from '../pictures/plot.tsx';
import { dateText, groupDigits, plural } from '../text/text-format.ts';
import { Panel, SaveMenu } from './parts.tsx';
import { Values } from './table.tsx';
import { useWidth } from './use-width.ts';

/** Transactions with an asset by day, as bars from zero, with their values as a table. */
export function AssetDaysPanel({ data: { asset, days, range } }: { data: AssetData }) {
  const { ref, width } = useWidth(560);
  const points = days.days.map(({ timestamp, txCount }) => ({ x: timestamp, y: txCount }));
  return (
    <Panel
      title="Transactions per day"
      side={
        <>
          <nav class="switch" aria-label="Range">
            {range === undefined && (
              <a href={`/asset/${asset.assetId}`} aria-current="true" data-in-place>
                All
              </a>
            )}
            {Object.entries(assetRanges).map(([name, { word }]) => (
              <a href={`/asset/${asset.assetId}?range=${name}`} aria-current={name === range ? 'true' : undefined} data-in-place>
                {word}
              </a>
            ))}
          </nav>
          <SaveMenu csv="days" svg="days" />
        </>
      }
    >
      <div ref={ref} class="padded" data-picture="days">
        {points.length === 0 ? (
          <p class="note">– There are too many transactions in one day to count them here.</p>
        ) : (
          <Plot
            points={points}
            width={Math.max(280, width - 32)}
            height={232}
            kind="bars"
            unit="tx"
            label={`Transactions per day, ${plural(points.length, 'day')}; the table below has the values`}
            isByDay
          />
        )}
      </div>
      {!days.isComplete && points.length > 0 && <p class="table-foot">Older days have too many transactions to count them at once.</p>}
      <Values csv="days" columns={['Day, UTC', { number: 'Transactions' }]}>
        {points.toReversed().map(({ x, y }) => (
          <tr>
            <td>{dateText(x)}</td>
            <td class="number">{groupDigits(y)}</td>
          </tr>
        ))}
      </Values>
    </Panel>
  );
}
