import { useState } from 'preact/hooks';
import type { Balances } from '../../api/contract/answers.ts';
import type { AddressData } from '../load/load-address.ts';
import type { CanvasOutput } from '../load/slim.ts';
import type { TreemapItem } from '../pictures/treemap.tsx';
import { UtxoCanvas } from '../pictures/utxo-canvas.tsx';
import { ageText, amountText, compactAmount, groupDigits, plural, shortId, spanText } from '../text/text-format.ts';
import { Panel, SvgButton, Switch } from './parts.tsx';
import { useWidth } from './use-width.ts';
import type { ViewProps } from './view.ts';

/** Unspent outputs of this chain that the address owns alone. */
const countOutputs = ({ unlocked, locked }: Balances): number =>
  [...unlocked, ...locked].reduce((sum, { utxoCount }) => sum + utxoCount, 0);

/** The unspent outputs of an address as a picture: area by amount or age, hatch for locks, a dashed inset for several owners. */
export function AddressOutputs({
  data: { utxos: own, shared, hasMoreUtxos, balances },
  context,
  now,
}: Omit<ViewProps<AddressData>, 'origin'>) {
  const utxos = [...own, ...shared];
  const [by, setBy] = useState<'area' | 'age'>('area');
  const { ref, width } = useWidth(560);
  const groups = Map.groupBy(utxos, ({ asset }) => `${asset.assetId} ${asset.type}`);
  const ordered = [...groups.values()].toSorted(
    (a, b) =>
      Number(b[0]?.asset.assetId === context.chain.feeAsset) - Number(a[0]?.asset.assetId === context.chain.feeAsset) ||
      b.length - a.length,
  );
  const shown = ordered.slice(0, 6);
  const slabs = shown.map((list, at) => ({
    asset: list[0]?.asset.symbol ?? '',
    items: list.map((utxo) => canvasItem(utxo, (at % 5) + 1, by, now)),
  }));
  if (utxos.length === 0) return null;
  return (
    <Panel
      title={
        hasMoreUtxos
          ? `The newest ${groupDigits(own.length)} of ${groupDigits(countOutputs(balances))} unspent outputs`
          : plural(utxos.length, 'unspent output')
      }
      side={
        <>
          <Switch
            label="Size by"
            options={[
              ['area', 'Amount'],
              ['age', 'Age'],
            ]}
            value={by}
            onChange={setBy}
          />
          <SvgButton name="outputs" />
        </>
      }
    >
      <div ref={ref} class="padded" data-picture="outputs">
        <UtxoCanvas slabs={slabs} width={width} height={220} label="Unspent outputs by asset; each links to its graph" />
      </div>
      <ul class="legend">
        {shown.map((list, at) => (
          <li>
            <i class={`dot mark-bg-${(at % 5) + 1}`} />
            {list[0]?.asset.symbol || shortId(list[0]?.asset.assetId ?? '')} <b>{list.length}</b>
          </li>
        ))}
        {ordered.length > shown.length && <li>and {plural(ordered.length - shown.length, 'more asset')}</li>}
      </ul>
    </Panel>
  );
}

function canvasItem(utxo: CanvasOutput, color: number, by: 'area' | 'age', now: number): TreemapItem {
  const { asset, locktime, owners, threshold } = utxo;
  const isLocked = locktime > now;
  const text =
    asset.type === 'secp256k1'
      ? `${compactAmount(asset.amount, asset.denomination)} ${asset.symbol}`
      : utxo.groupId === undefined
        ? `${asset.symbol} property`
        : `${asset.symbol} #${utxo.groupId}`;
  const notes = [isLocked ? `locked ${spanText(locktime - now)}` : '', owners > 1 ? `${threshold} of ${owners}` : ''].filter(
    (one) => one !== '',
  );
  return {
    key: utxo.utxoId,
    area: by === 'age' ? Math.max(1, now - utxo.timestamp) : Math.max(1, Number(asset.amount)),
    color,
    lines: [text, ...notes],
    label: `${[text, ...notes].join(' ')}: ${amountText(asset.amount, asset.denomination)} ${asset.symbol}, ${ageText(now - utxo.timestamp)} old`,
    href: `/graph/${utxo.utxoId}`,
    isLocked,
    isShared: owners > 1,
  };
}
