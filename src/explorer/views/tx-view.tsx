import type { AcceptedTx, TxData } from '../load/load-tx.ts';
import type { ViewProps } from '../load/page-context.ts';
import { kindOf } from '../load/tx-kind.ts';
import { burnedAmounts } from '../load/tx-row.ts';
import { ageText, bytesText, groupDigits, plural } from '../text/text-format.ts';
import { FlowPanel } from './flow-panel.tsx';
import { OutputsPanel } from './outputs-panel.tsx';
import { AmountText, BlockLink, Chip, Facts, Key, KindPill, PageHead } from './parts.tsx';
import { PendingTxView } from './pending-tx-view.tsx';
import { TimeText } from './time-text.tsx';
import { CredentialsPanel, RawPanel } from './tx-raw.tsx';
import { TitleSentence } from './tx-table.tsx';

export const TxView = ({ data, ...rest }: ViewProps<TxData>) =>
  data.state === 'accepted' ? <AcceptedTxView data={data} {...rest} /> : <PendingTxView data={data} {...rest} />;

function AcceptedTxView({ data, context, now, origin }: ViewProps<AcceptedTx>) {
  const { tx, summary, position, size, signers } = data;
  const { index, previousTxHash: previous, nextTxHash: next } = position ?? {};
  const assets = new Set([...tx.amountUnlocked, ...tx.amountCreated].map(({ assetId }) => assetId)).size;
  const { fee, burned } = burnedAmounts(tx, context.chain.feeAsset);
  return (
    <>
      <PageHead
        title={summary === undefined ? kindOf(tx).word : <TitleSentence summary={summary} context={context} />}
        lead={
          <p class="under-title">
            <KindPill kind={kindOf(tx)} /> <Chip tone="ok">accepted</Chip>
            {` ${plural(tx.consumedUtxos.length, 'input')} → ${plural(tx.emittedUtxos.length, 'output')}, ${plural(assets, 'asset')}`}
          </p>
        }
        id={tx.txHash}
        idName="Transaction"
        buttons={
          <>
            <a class="button" href={`/graph/${tx.txHash}`}>
              UTXO graph
            </a>
            {previous !== undefined && (
              <a class="button" href={`/tx/${previous}`} data-key="j">
                ← {Number(index) - 1} <Key letter="J" />
              </a>
            )}
            {next !== undefined && (
              <a class="button" href={`/tx/${next}`} data-key="k">
                {Number(index) + 1} → <Key letter="K" />
              </a>
            )}
          </>
        }
      />
      <Facts
        columns={5}
        facts={[
          {
            name: 'Block',
            value: (
              <>
                <BlockLink height={tx.blockHeight} /> {index !== undefined && <small>index {groupDigits(index)}</small>}
              </>
            ),
          },
          {
            name: 'Time',
            value: <TimeText time={tx.timestamp} />,
            note: (
              <>
                <span data-age={tx.timestamp}>{ageText(now - tx.timestamp)}</span> ago
              </>
            ),
          },
          {
            name: 'Fee',
            value: fee === undefined ? '0' : <AmountText amount={fee} />,
            note:
              burned.length === 0 ? undefined : (
                <>
                  burned:{' '}
                  {burned.map((one) => (
                    <AmountText amount={one} />
                  ))}
                </>
              ),
          },
          { name: 'Size', value: size === undefined ? '– (no Node RPC)' : bytesText(size) },
          { name: 'Type', value: <span class="mono">{tx.txType}</span> },
        ]}
      />
      <FlowPanel tx={tx} change={summary?.change ?? []} context={context} now={now} />
      <div class="two">
        <OutputsPanel
          title="Consumed"
          utxos={tx.consumedUtxos}
          totals={tx.amountUnlocked}
          side="in"
          signers={signers}
          context={context}
          now={now}
        />
        <OutputsPanel title="Produced" utxos={tx.emittedUtxos} totals={tx.amountCreated} side="out" context={context} now={now} />
      </div>
      <div class="two">
        <CredentialsPanel tx={tx} signers={signers} context={context} />
        <RawPanel data={data} context={context} origin={origin} />
      </div>
    </>
  );
}
