import { useState } from 'preact/hooks';
import { summaryAmountText } from '../../api/summary/sentence.ts';
import { type BlockData, type BlockTx, rowsPerPage } from '../load/load-block.ts';
import { chainPath, type PageContext, type ViewProps } from '../load/page-context.ts';
import { type Kind, kindOfType } from '../load/tx-kind.ts';
import { Treemap, type TreemapItem } from '../pictures/treemap.tsx';
import { ageText, amountText, bytesText, groupDigits, plural, shortId } from '../text/text-format.ts';
import { FlowPanel } from './flow-panel.tsx';
import { AmountText, Chip, CopyAs, CopyButton, Facts, Key, KindPill, PageHead, Panel, SaveMenu, Switch, TxLink } from './parts.tsx';
import { TimeText } from './time-text.tsx';
import { Moved, partiesText, TitleSentence, TxTable } from './tx-table.tsx';
import { useWidth } from './use-width.ts';

type Area = 'moved' | 'bytes' | 'fee' | 'equal';

const areasFor = (symbol: string): readonly (readonly [Area, string])[] => [
  ['moved', `${symbol} moved`],
  ['bytes', 'Bytes'],
  ['fee', 'Fee'],
  ['equal', 'Equal'],
];

export function BlockView({ data, context, now, origin }: ViewProps<BlockData>) {
  const { block, txs, rows, first, hasNext, merkleRoot, only } = data;
  const height = Number(block.blockNumber);
  const [moved, burned] = [sumOf(txs, ({ moved: one }) => one), sumOf(txs, ({ fee }) => fee)];
  return (
    <>
      <PageHead
        title={`Block ${groupDigits(height)}`}
        chip={<Chip tone="ok">accepted</Chip>}
        line={
          <>
            <TimeText time={block.blockTimestamp} /> · <span data-age={block.blockTimestamp}>{ageText(now - block.blockTimestamp)}</span>{' '}
            ago
          </>
        }
        buttons={
          <>
            <CopyAs origin={origin} path={`${chainPath(context)}/blocks/${block.blockHash}`} />
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
      {only !== undefined && txs[0] !== undefined ? (
        <FlowPanel
          title={<TitleSentence summary={txs[0].line.summary} context={context} />}
          tx={only}
          change={txs[0].line.summary.change}
          context={context}
          now={now}
          csv={`block-${height}`}
          page={`/tx/${only.txHash}`}
        />
      ) : (
        txs.length > 0 && <BlockMap txs={txs} count={block.txCount} moved={moved} context={context} csv={`block-${height}`} />
      )}
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
          // No X-Chain block has used it so far: it is all zero.
          ...(merkleRoot === undefined || /^1+LpoYY$/.test(merkleRoot)
            ? []
            : [{ name: 'Merkle root', value: <IdWithCopy id={merkleRoot} what="Merkle root" /> }]),
          {
            name: 'Built by',
            value:
              block.proposerDetails === undefined ? (
                '– (not in the block)'
              ) : (
                <span class="mono breakable">{block.proposerDetails.proposerNodeId}</span>
              ),
          },
          { name: `${context.chain.feeSymbol} moved`, value: <AmountText amount={feeAmount(moved, context)} /> },
          { name: 'Burned', value: <AmountText amount={feeAmount(burned, context)} /> },
        ]}
      />
      <section class="panel scroll">
        <TxTable
          csv={`block-${height}`}
          caption={`Transactions of block ${groupDigits(height)}`}
          firstIndex={first}
          rows={rows}
          line={({ line }) => line}
          context={context}
          columns={[
            { name: 'In → out', cell: ({ inputs, outputs }) => `${inputs} → ${outputs}` },
            { name: 'Amount', cell: ({ line: { summary } }) => <Moved summary={summary} />, phone: 'line-2-end' },
            { name: 'Fee', cell: ({ fee }) => amountText(fee, context.chain.feeDecimals) },
          ]}
        />
        {block.txCount !== 1 && (
          <div class="table-foot">
            {txs.length === 0
              ? height === 0
                ? 'The genesis block has no transactions: the genesis assets and outputs are part of the network.'
                : 'No transactions.'
              : `${groupDigits(first + 1)}–${groupDigits(first + rows.length)} of ${plural(block.txCount, 'transaction')}`}{' '}
            <Pages block={height} first={first} count={block.txCount} />
          </div>
        )}
      </section>
    </>
  );
}

/** Links to the pages of the table before and after this one. */
const Pages = ({ block, first, count }: { block: number; first: number; count: number }) => (
  <span class="buttons">
    {first > 0 && (
      <a class="button" href={`/block/${block}?from=${first - rowsPerPage}`} rel="prev" data-in-place>
        Previous
      </a>
    )}
    {first + rowsPerPage < count && (
      <a class="button" href={`/block/${block}?from=${first + rowsPerPage}`} rel="next" data-in-place data-list={`block-${block}`}>
        Next
      </a>
    )}
  </span>
);

const IdWithCopy = ({ id, what, isPageId = false }: { id: string; what: string; isPageId?: boolean }) => (
  <span class="mono breakable">
    <span data-id={isPageId ? id : undefined}>{id}</span> <CopyButton text={id} what={what} />
  </span>
);

const feeAmount = (amount: bigint, { chain }: ViewProps<unknown>['context']) => ({
  assetId: chain.feeAsset,
  symbol: chain.feeSymbol,
  denomination: chain.feeDecimals,
  amount: amount.toString(),
  type: 'secp256k1' as const,
});

const sumOf = (txs: readonly BlockTx[], value: (tx: BlockTx) => string): bigint => txs.reduce((sum, tx) => sum + BigInt(value(tx)), 0n);

const kindOfRow = ({ line: { type, summary } }: BlockTx): Kind => kindOfType(type, summary.action === 'mint');

type BlockMapProps = {
  readonly txs: readonly BlockTx[];
  readonly count: number;
  /** What `txs` move of the fee asset. */
  readonly moved: bigint;
  readonly context: PageContext;
  /** Name of the table of the transactions. */
  readonly csv: string;
};

function BlockMap({ txs, count, moved, context, csv }: BlockMapProps) {
  const { feeSymbol, feeDecimals } = context.chain;
  const [area, setArea] = useState<Area>('moved');
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const { ref, width } = useWidth(1152);
  const areaOf: { readonly [K in Area]: (tx: BlockTx) => number } = {
    // A transaction that moves nothing is still there, as a small cell.
    moved: (tx) => Math.max(1e6, Number(tx.moved)),
    bytes: ({ bytes }) => bytes,
    fee: ({ fee }) => Math.max(1e6, Number(fee)),
    equal: () => 1,
  };
  const counts = new Map<string, { count: number; color: number }>();
  for (const tx of txs) {
    const { word, color } = kindOfRow(tx);
    counts.set(word, { count: (counts.get(word)?.count ?? 0) + 1, color });
  }
  const items = txs
    .filter((tx) => !hidden.includes(kindOfRow(tx).word))
    .map((tx): TreemapItem => {
      const { word, color } = kindOfRow(tx);
      const { id, summary } = tx.line;
      const [amount] = summary.amounts;
      const text = amount === undefined ? '' : summaryAmountText(amount);
      return {
        key: id,
        area: areaOf[area](tx),
        color,
        lines: [word, text, partiesText(summary, context), shortId(id)],
        label: `${word} ${text} ${shortId(id)}: ${tx.inputs} in, ${tx.outputs} out; ${tx.bytes} bytes; fee ${amountText(tx.fee, feeDecimals)}`,
        card: [
          ['Amount', text === '' ? '–' : text],
          ['In → out', `${tx.inputs} → ${tx.outputs}`],
          ['Size', bytesText(tx.bytes)],
          ['Fee', `${amountText(tx.fee, feeDecimals)} ${feeSymbol}`],
        ],
        href: `/tx/${id}`,
      };
    });
  const toggle = (word: string): void => setHidden(hidden.includes(word) ? hidden.filter((one) => one !== word) : [...hidden, word]);
  return (
    <Panel
      weight="answer"
      title={
        <span class="sentence">
          {plural(count, 'transaction')}
          {moved > 0n && (
            <>
              {count > txs.length ? `, of which the first ${groupDigits(txs.length)} moved ` : ' moved '}
              <AmountText amount={feeAmount(moved, context)} />
            </>
          )}
        </span>
      }
      side={
        <>
          <Switch label="Area by" options={areasFor(feeSymbol)} value={area} onChange={setArea} />
          <SaveMenu csv={csv} svg="block" />
        </>
      }
    >
      <LargestPayments txs={txs} context={context} />
      <div ref={ref} class="padded" data-picture="block">
        <Treemap
          items={items}
          width={width}
          height={Math.min(330, 72 + 24 * items.length)}
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

/** The most payments that are named above the map. */
const maxNamed = 3;

/** The transactions that move most of the fee asset, in words. The cells of the map with the same amounts are the largest. */
function LargestPayments({ txs, context }: { txs: readonly BlockTx[]; context: PageContext }) {
  const paying = txs.filter(({ moved }) => moved !== '0');
  if (paying.length === 0) return null;
  const largest = paying.toSorted((a, b) => Number(BigInt(b.moved) - BigInt(a.moved))).slice(0, maxNamed);
  return (
    <ol class="padded largest" aria-label="Largest payments">
      {largest.map((tx) => (
        <li>
          <KindPill kind={kindOfRow(tx)} /> <TitleSentence summary={tx.line.summary} context={context} /> <TxLink id={tx.line.id} />
        </li>
      ))}
    </ol>
  );
}
