import { typeWords } from '../../api/summary/sentence.ts';
import type { AddressData } from '../load/load-address.ts';
import { type BalancePlot, balanceRanges, type RangeName } from '../load/load-balance-plot.ts';
import { sumType } from '../load/output-type.ts';
import { Plot, type Point } from '../pictures/plot.tsx';
import { amountText, dateText, timeText } from '../text/text-format.ts';
import { zoneName } from '../text/zone-time.ts';
import { historyUrl } from './address-history.tsx';
import { Panel, SaveMenu } from './parts.tsx';
import { Values } from './table.tsx';
import { TimeCell } from './time-text.tsx';
import { useWidth } from './use-width.ts';

const words: { readonly [name in RangeName]: string } = { '1h': '1 h', '1d': '1 d', '7d': '7 d', '90d': '90 d', all: 'All' };

/** The balance of one asset over time, as a step plot from zero, with its values as a table. */
export function BalancePanel({ data, now }: { data: AddressData; now: number }) {
  const { plot, utxos, shared } = data;
  const { ref, width } = useWidth(560);
  if (plot === undefined)
    return (
      <Panel title="Balance over time">
        <p class="table-foot">– This server cannot show it: the asset is unknown.</p>
      </Panel>
    );
  const { asset, range, isSampled } = plot;
  const unit = asset.type === 'nft' ? asset.symbol + typeWords[sumType(asset, [...utxos, ...shared])][0] : asset.symbol || 'units';
  const denomination = asset.type === 'nft' ? 0 : asset.denomination;
  const points = pointsOf(plot, now);
  const [first, last] = [points[0]?.x ?? now, points.at(-1)?.x ?? now];
  const textOfTime = (time: number): string => (last - first < 3 * 86_400 ? `${dateText(time)} ${timeText(time)}` : dateText(time));
  return (
    <Panel
      title={`${asset.symbol || 'Balance'} over time`}
      side={
        <>
          <nav class="switch" aria-label="Range">
            {Object.keys(balanceRanges).map((name) => (
              <a
                href={historyUrl(data, { asset: asset.assetId, range: name })}
                aria-current={name === range ? 'true' : undefined}
                data-in-place
              >
                {words[name as RangeName]}
              </a>
            ))}
          </nav>
          <SaveMenu csv="balance" svg="balance" />
        </>
      }
    >
      <div ref={ref} class="padded" data-picture="balance">
        {points.length < 2 ? (
          <p class="note">No balance of {unit} in this range.</p>
        ) : (
          <Plot
            points={points}
            width={Math.max(280, width - 32)}
            height={232}
            kind="step"
            unit={unit}
            label={`Balance of ${unit} from ${textOfTime(first)} to ${textOfTime(last)}; the table below has the values`}
          />
        )}
      </div>
      <Values
        csv="balance"
        columns={[`Since, ${zoneName()}`, { number: unit }]}
        summary={isSampled ? 'Values at evenly spaced blocks; changes between them are not listed' : 'Values'}
      >
        {plot.points.toReversed().map(([time, amount]) => (
          <tr>
            <td>
              <TimeCell time={time} form="day" />
            </td>
            <td class="number">{amountText(amount, denomination)}</td>
          </tr>
        ))}
      </Values>
    </Panel>
  );
}

/** The last balance holds until now. */
function pointsOf({ asset, points }: BalancePlot, now: number): Point[] {
  const scale = asset.type === 'nft' ? 1 : 10 ** asset.denomination;
  const shown = points.map(([x, amount]) => ({ x, y: Number(amount) / scale }));
  const last = shown.at(-1);
  return last === undefined || last.x >= now ? shown : [...shown, { x: now, y: last.y }];
}
