import { useState } from 'preact/hooks';
import type { Tx } from '../data-types.ts';
import type { BlockData } from '../load-block.ts';
import type { PageContext } from '../page-context.ts';
import { Treemap, type TreemapItem } from '../pictures/treemap.tsx';
import { ageText, amountText, bytesText, dateText, groupDigits, plural, shortId, timeText } from '../text-format.ts';
import { kindOf } from '../tx-kind.ts';
import { burnedAmounts, summarizeTx } from '../tx-summary.ts';
import { AmountText, Chip, CopyButton, Facts, Key, KindPill, PageHead, Panel, Switch } from './parts.tsx';
import { Parties } from './tx-rows.tsx';
import { useWidth } from './use-width.ts';
import type { ViewProps } from './view.ts';

type Area = 'moved' | 'fee' | 'outputs' | 'equal';

const areasFor = (symbol: string): readonly (readonly [Area, string])[] => [
  ['moved', `${symbol} moved`],
  ['fee', 'Fee'],
  ['outputs', 'Outputs'],
  ['equal', 'Equal'],
];

export function BlockView({ data, context, now }: ViewProps<BlockData>) {
  const { block, txs, hasNext, merkleRoot } = data;
  const height = Number(block.blockNumber);
  const { feeAsset } = context.chain;
  const [moved, burned] = [sumOf(txs, (tx) => movedFee(tx, feeAsset)), sumOf(txs, (tx) => feeOf(tx, feeAsset))];
  return (
    <>
      <PageHead
        title={`Block ${groupDigits(height)}`}
        chip={<Chip tone="ok">accepted</Chip>}
        line={
          <>
            {dateText(block.blockTimestamp)} {timeText(block.blockTimestamp)} UTC ·{' '}
            <span data-age={block.blockTimestamp}>{ageText(now - block.blockTimestamp)}</span> ago
          </>
        }
        buttons={
          <>
            {height > 0 && (
              <a class="button" href={`/block/${height - 1}`} data-key="j">
                ← {groupDigits(height - 1)} <Key letter="J" />
              </a>
            )}
            {hasNext && (
              <a class="button" href={`/block/${height + 1}`} data-key="k">
                {groupDigits(height + 1)} → <Key letter="K" />
              </a>
            )}
          </>
        }
      />
      <Facts
        columns={4}
        facts={[
          { name: 'Block ID', value: <IdWithCopy id={block.blockHash} what="block ID" isPageId /> },
          {
            name: 'Parent',
            value:
              height === 0 ? (
                <span class="mono">{shortId(block.parentHash)}</span>
              ) : (
                <a class="mono" href={`/block/${block.parentHash}`} title={block.parentHash}>
                  {shortId(block.parentHash)}
                </a>
              ),
          },
          { name: 'Transactions', value: groupDigits(block.txCount) },
          { name: 'Size', value: bytesText(block.blockSizeBytes) },
          {
            name: 'Merkle root',
            value:
              merkleRoot === undefined ? (
                '– (no Node RPC)'
              ) : /^1+LpoYY$/.test(merkleRoot) ? (
                'not used: all zero'
              ) : (
                <IdWithCopy id={merkleRoot} what="Merkle root" />
              ),
          },
          {
            name: 'Built by',
            value:
              block.proposerDetails === undefined ? (
                '– (not in the block)'
              ) : (
                <span class="mono">{shortNode(block.proposerDetails.proposerNodeId)}</span>
              ),
          },
          { name: 'Moved', value: <AmountText amount={feeAmount(moved, context)} /> },
          { name: 'Burned', value: <AmountText amount={feeAmount(burned, context)} /> },
        ]}
      />
      {txs.length > 0 && <BlockMap txs={txs} count={block.txCount} chain={context.chain} />}
      <section class="panel scroll">
        <table>
          <caption class="hidden">Transactions of block {groupDigits(height)}</caption>
          <thead>
            <tr>
              <th class="number">#</th>
              <th>Kind</th>
              <th>Transaction</th>
              <th>From → to</th>
              <th class="number">In, out</th>
              <th class="number">Amount</th>
              <th class="number">Fee</th>
            </tr>
          </thead>
          <tbody>
            {txs.map((tx, at) => {
              const summary = summarizeTx(tx);
              return (
                <tr id={`tx-${at}`}>
                  <td class="number quiet">{at}</td>
                  <td>
                    <KindPill kind={kindOf(tx)} />
                  </td>
                  <td>
                    <a class="mono" href={`/tx/${tx.txHash}`} title={tx.txHash}>
                      {shortId(tx.txHash)}
                    </a>
                  </td>
                  <td>
                    <Parties summary={summary} context={context} />
                  </td>
                  <td class="number">
                    {tx.consumedUtxos.length}, {tx.emittedUtxos.length}
                  </td>
                  <td class="number">{summary.amount && <AmountText amount={summary.amount} />}</td>
                  <td class="number">{amountText(feeOf(tx, feeAsset), context.chain.feeDecimals)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
        <p class="table-foot">
          {txs.length === 0
            ? height === 0
              ? 'The genesis block has no transactions: the genesis assets and outputs are part of the network.'
              : 'No transactions.'
            : `${plural(txs.length, 'transaction')} of ${groupDigits(block.txCount)}`}
        </p>
      </section>
    </>
  );
}

const shortNode = (id: string): string => `NodeID-${shortId(id.replace('NodeID-', ''))}`;

const IdWithCopy = ({ id, what, isPageId = false }: { id: string; what: string; isPageId?: boolean }) => (
  <span class="mono breakable">
    <span {...(isPageId && { 'data-id': id })}>{id}</span> <CopyButton text={id} what={what} />
  </span>
);

const feeAmount = (amount: bigint, { chain }: ViewProps<unknown>['context']) => ({
  assetId: chain.feeAsset,
  symbol: chain.feeSymbol,
  denomination: chain.feeDecimals,
  amount: amount.toString(),
  isNft: false,
});

const sumOf = (txs: readonly Tx[], value: (tx: Tx) => bigint): bigint => txs.reduce((sum, tx) => sum + value(tx), 0n);

/** What a transaction moves of the fee asset: outputs that do not go back to the first sender. */
function movedFee(tx: Tx, feeAsset: string): bigint {
  const from = tx.consumedUtxos[0]?.addresses[0];
  return tx.emittedUtxos
    .filter(({ asset, addresses }) => asset.assetId === feeAsset && (from === undefined || !addresses.includes(from)))
    .reduce((sum, { asset }) => sum + BigInt(asset.amount), 0n);
}

const feeOf = (tx: Tx, feeAsset: string): bigint => BigInt(burnedAmounts(tx).find(({ assetId }) => assetId === feeAsset)?.amount ?? 0n);

function BlockMap({ txs, count, chain }: { txs: readonly Tx[]; count: number; chain: PageContext['chain'] }) {
  const { feeAsset, feeSymbol, feeDecimals } = chain;
  const [area, setArea] = useState<Area>('moved');
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const { ref, width } = useWidth(1152);
  const areaOf: { readonly [K in Area]: (tx: Tx) => number } = {
    // A transaction that moves nothing is still there, as a small cell.
    moved: (tx) => Math.max(1e6, Number(movedFee(tx, feeAsset))),
    fee: (tx) => Math.max(1e6, Number(feeOf(tx, feeAsset))),
    outputs: (tx) => Math.max(1, tx.emittedUtxos.length),
    equal: () => 1,
  };
  const counts = new Map<string, { count: number; color: number }>();
  for (const tx of txs) {
    const { word, color } = kindOf(tx);
    counts.set(word, { count: (counts.get(word)?.count ?? 0) + 1, color });
  }
  const items = txs
    .filter((tx) => !hidden.includes(kindOf(tx).word))
    .map((tx): TreemapItem => {
      const { word, color } = kindOf(tx);
      const amount = summarizeTx(tx).amount;
      const text =
        amount === undefined
          ? ''
          : amount.isNft
            ? `${amount.amount} NFT`
            : `${amountText(amount.amount, amount.denomination)} ${amount.symbol}`;
      return {
        key: tx.txHash,
        area: areaOf[area](tx),
        color,
        lines: [word, text, shortId(tx.txHash)],
        label: `${word} ${text} ${shortId(tx.txHash)}: ${tx.consumedUtxos.length} in, ${tx.emittedUtxos.length} out; fee ${amountText(feeOf(tx, feeAsset), feeDecimals)}`,
        href: `/tx/${tx.txHash}`,
      };
    });
  const toggle = (word: string): void => setHidden(hidden.includes(word) ? hidden.filter((one) => one !== word) : [...hidden, word]);
  return (
    <Panel
      title={plural(count, 'transaction')}
      side={<Switch label="Area by" options={areasFor(feeSymbol)} value={area} onChange={setArea} />}
    >
      <div ref={ref} class="padded">
        <Treemap
          items={items}
          width={width}
          height={330}
          label={`Transactions of the block by ${area}; the table below has the same facts`}
        />
      </div>
      <ul class="legend">
        {[...counts].map(([word, { count: of, color }]) => (
          <li>
            <button type="button" aria-pressed={!hidden.includes(word)} onClick={() => toggle(word)}>
              <i class={`dot mark-bg-${color}`} />
              {word} <b>{of}</b>
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
