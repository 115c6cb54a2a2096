import { useEffect, useState } from 'preact/hooks';
import type { MethodJson } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from '../load/page-context.ts';
import { amountText, plural } from '../text/text-format.ts';
import { useActions } from './actions.ts';
import { AddressLink, AssetLink, Scroll } from './parts.tsx';

export type StateDiff = MethodJson<'dev.diff'>;

/** Balances that are listed. */
const maxRows = 20;

type Label = { readonly symbol: string; readonly denomination: number };

/** What changed since a snapshot; after a revert to it, the opposite. */
export function Changes({ diff, name, isReverted, context }: { diff: StateDiff; name: string; isReverted: boolean; context: PageContext }) {
  const labels = useLabels(diff, context);
  const rows = diff.balances.slice(0, maxRows);
  const { added, removed } = diff.blocks;
  return (
    <div class="undone" role="status">
      <p class="table-foot">
        {isReverted
          ? `The revert to ${name} removed ${plural(added.length, 'block')} and ${plural(diff.txs.added.length, 'transaction')}`
          : `Since ${name}: ${plural(added.length, 'block')} and ${plural(diff.txs.added.length, 'transaction')} more`}
        {removed.length > 0 && `, ${isReverted ? 'and brought back' : 'and without'} ${plural(removed.length, 'block')}`}
        {diff.balances.length === 0 ? '. No balance changed.' : `. ${plural(diff.balances.length, 'balance')} changed:`}
      </p>
      {rows.length > 0 && (
        <Scroll>
          <table>
            <tbody>
              {rows.map(({ address, assetID, change, sharedChange }) => {
                const sum = BigInt(change) + BigInt(sharedChange);
                const shown = isReverted ? -sum : sum;
                const label = labels.get(assetID);
                return (
                  <tr>
                    <td>
                      <AddressLink address={address} context={context} />
                    </td>
                    <td class={`number ${shown < 0n ? 'loss' : 'gain'}`}>
                      {shown > 0n ? '+' : ''}
                      {amountText(shown, label?.denomination ?? 0)} <AssetLink id={assetID} symbol={label?.symbol ?? ''} />
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </Scroll>
      )}
      {diff.balances.length > maxRows && <p class="table-foot">{`and ${plural(diff.balances.length - maxRows, 'more balance')}`}</p>}
    </div>
  );
}

/** Symbols and decimals of the assets. An asset that the revert removed has none: its smallest units are shown. */
function useLabels(diff: StateDiff, context: PageContext): ReadonlyMap<string, Label> {
  const actions = useActions();
  const { feeAsset, feeSymbol, feeDecimals } = context.chain;
  const own: [string, Label] = [feeAsset, { symbol: feeSymbol, denomination: feeDecimals }];
  const [labels, setLabels] = useState<ReadonlyMap<string, Label>>(new Map([own]));
  useEffect(() => {
    const ids = new Set(diff.balances.slice(0, maxRows).map(({ assetID }) => assetID));
    const load = async (id: string): Promise<[string, Label][]> => {
      const text = id === feeAsset ? undefined : await actions?.getText(`${chainPath(context)}/assets/${id}`);
      return text === undefined ? [] : [[id, JSON.parse(text) as Label]];
    };
    void Promise.all([...ids].map(load)).then((loaded) => setLabels(new Map([own, ...loaded.flat()])));
  }, [diff]);
  return labels;
}
