import { useState } from 'preact/hooks';
import type { Balances } from '../../api/contract/answers.ts';
import type { AddressData } from '../load/load-address.ts';
import type { PageContext, ViewProps } from '../load/page-context.ts';
import type { CanvasOutput } from '../load/slim.ts';
import type { TreemapItem } from '../pictures/treemap.tsx';
import { UtxoCanvas } from '../pictures/utxo-canvas.tsx';
import { ageText, amountText, compactAmount, groupDigits, plural, shortId, spanText } from '../text/text-format.ts';
import { Panel, SaveMenu, Switch } from './parts.tsx';
import { useWidth } from './use-width.ts';

/** Unspent outputs of this chain that the address owns alone. */
const countOutputs = ({ unlocked, locked }: Balances): number =>
  [...unlocked, ...locked].reduce((sum, { utxoCount }) => sum + utxoCount, 0);

/** The unspent outputs of an address as a picture, with a link to the whole list. */
export function AddressOutputs({
  data: { address, utxos: own, shared, hasMoreUtxos, balances },
  context,
  now,
}: Omit<ViewProps<AddressData>, 'origin'>) {
  const outputs = [...own, ...shared];
  const title = hasMoreUtxos
    ? `The newest ${groupDigits(own.length)} of ${groupDigits(countOutputs(balances))} unspent outputs`
    : plural(outputs.length, 'unspent output');
  return <OutputCanvas outputs={outputs} context={context} now={now} title={title} listHref={`/outputs/${address}`} />;
}

type CanvasProps = {
  readonly outputs: readonly CanvasOutput[];
  readonly context: PageContext;
  readonly now: number;
  readonly title: string;
  /** Where all of them are listed. */
  readonly listHref?: string;
};

/** Outputs as a picture: area by amount or age, hatch for locks, a dashed inset for several owners. */
export function OutputCanvas({ outputs, context, now, title, listHref }: CanvasProps) {
  const [by, setBy] = useState<'area' | 'age'>('area');
  const { ref, width } = useWidth(560);
  const groups = Map.groupBy(outputs, ({ asset }) => `${asset.assetId} ${asset.type}`);
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
  if (outputs.length === 0 && listHref === undefined) return null;
  return (
    <Panel
      title={title}
      side={
        <>
          {listHref !== undefined && <a href={listHref}>List all</a>}
          <Switch
            label="Size by"
            options={[
              ['area', 'Amount'],
              ['age', 'Age'],
            ]}
            value={by}
            onChange={setBy}
          />
          {outputs.length > 0 && <SaveMenu svg="outputs" />}
        </>
      }
    >
      <div ref={ref} class="padded" data-picture="outputs">
        {outputs.length === 0 ? (
          <p class="note">None now; the list has the spent ones.</p>
        ) : (
          <UtxoCanvas slabs={slabs} width={width} height={220} label="Outputs by asset; each links to its page" />
        )}
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
    href: `/output/${utxo.utxoId}`,
    isLocked,
    isShared: owners > 1,
  };
}
