import { useState } from 'preact/hooks';
import type { AssetAmount, Tx, Utxo } from '../../client/data-types.ts';
import { flowOf } from '../flow-data.ts';
import type { AcceptedTx, TxData } from '../load-tx.ts';
import { chainTitle, type PageContext } from '../page-context.ts';
import { payloadKind, payloadWord } from '../payload-kind.ts';
import { Flow } from '../pictures/flow.tsx';
import { ageText, amountText, bytesText, dateText, groupDigits, plural, spanText, timeText } from '../text-format.ts';
import { kindOf } from '../tx-kind.ts';
import { burnedAmounts } from '../tx-summary.ts';
import {
  AddressLink,
  AmountText,
  AssetLink,
  BlockLink,
  Chip,
  CsvButton,
  Facts,
  Key,
  PageHead,
  Panel,
  SvgButton,
  Switch,
  TxLink,
} from './parts.tsx';
import { PayloadView } from './payload-view.tsx';
import { PendingTxView } from './pending-tx-view.tsx';
import { CredentialsPanel, RawPanel } from './tx-raw.tsx';
import { useWidth } from './use-width.ts';
import type { ViewProps } from './view.ts';

export const TxView = ({ data, ...rest }: ViewProps<TxData>) =>
  data.state === 'accepted' ? <AcceptedTxView data={data} {...rest} /> : <PendingTxView data={data} {...rest} />;

function AcceptedTxView({ data, context, now, origin }: ViewProps<AcceptedTx>) {
  const { tx, position, size } = data;
  const { index, previousTxHash: previous, nextTxHash: next } = position ?? {};
  const assets = new Set([...tx.amountUnlocked, ...tx.amountCreated].map(({ assetId }) => assetId)).size;
  const burned = burnedAmounts(tx);
  return (
    <>
      <PageHead
        title={tx.assetCreated === undefined ? kindOf(tx).word : `${kindOf(tx).word}: ${tx.assetCreated.name}`}
        chip={<Chip tone="ok">accepted</Chip>}
        line={`${plural(tx.consumedUtxos.length, 'input')} → ${plural(tx.emittedUtxos.length, 'output')}, ${plural(assets, 'asset')}`}
        id={tx.txHash}
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
        columns={6}
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
            name: 'Time, UTC',
            value: (
              <>
                {timeText(tx.timestamp)} <small>{dateText(tx.timestamp)}</small>
              </>
            ),
          },
          { name: 'Age', value: <span data-age={tx.timestamp}>{ageText(now - tx.timestamp)}</span> },
          {
            name: 'Fee',
            value: burned.length === 0 ? '0' : burned.map((one) => <AmountText amount={{ ...one, isNft: one.type === 'nft' }} />),
          },
          { name: 'Size', value: size === undefined ? '– (no Node RPC)' : bytesText(size) },
          { name: 'Type', value: <span class="mono">{tx.txType}</span> },
        ]}
      />
      <FlowPanel tx={tx} context={context} now={now} />
      <div class="two">
        <OutputsPanel title="Consumed" utxos={tx.consumedUtxos} totals={tx.amountUnlocked} side="in" context={context} now={now} />
        <OutputsPanel title="Produced" utxos={tx.emittedUtxos} totals={tx.amountCreated} side="out" context={context} now={now} />
      </div>
      <div class="two">
        <CredentialsPanel tx={tx} context={context} />
        <RawPanel data={data} context={context} origin={origin} />
      </div>
    </>
  );
}

function FlowPanel({ tx, context, now }: { tx: Tx; context: PageContext; now: number }) {
  const [scale, setScale] = useState<'linear' | 'log'>('linear');
  const { ref, width } = useWidth(1152);
  const bundles = flowOf(tx, context, now);
  const label = 'Flow from consumed to produced outputs; the lists below have the same facts';
  return (
    <Panel
      title="Flow"
      side={
        <>
          <span class="wide-only">Width is the share of its asset</span>
          <Switch
            label="Scale"
            options={[
              ['linear', 'Linear'],
              ['log', 'Log'],
            ]}
            value={scale}
            onChange={setScale}
          />
          <SvgButton name="flow" />
        </>
      }
    >
      <div ref={ref} class="padded" data-picture="flow">
        <div class="wide-only">
          <Flow bundles={bundles} width={Math.max(720, width)} isLog={scale === 'log'} label={label} />
        </div>
        <div class="narrow-only">
          <Flow bundles={bundles} width={358} isLog={scale === 'log'} label={label} />
        </div>
      </div>
    </Panel>
  );
}

const totalsText = (totals: readonly AssetAmount[]): string =>
  totals
    .map(({ amount, denomination, symbol, type }) =>
      type === 'nft' ? `${amount} ${symbol} NFT` : `${amountText(amount, denomination)} ${symbol}`,
    )
    .join(' · ');

type OutputsProps = {
  readonly title: string;
  readonly utxos: readonly Utxo[];
  readonly totals: readonly AssetAmount[];
  readonly side: 'in' | 'out';
  readonly context: PageContext;
  readonly now: number;
};

const OutputsPanel = ({ title, utxos, totals, side, context, now }: OutputsProps) => (
  <Panel
    title={title}
    side={
      <>
        <span>{totalsText(totals)}</span>
        {utxos.length > 0 && <CsvButton name={title} />}
      </>
    }
  >
    <ol class="outputs" data-csv={title} data-head="Index,Owners,State,Amount">
      {utxos.map((utxo, at) => (
        <li id={`${side}-${at}`}>
          <span class="index">{at}</span>
          <div class="owner">
            <p>
              {utxo.addresses.length > 1 && (
                <b>
                  {utxo.threshold} of {utxo.addresses.length}{' '}
                </b>
              )}
              {utxo.addresses.length === 0 && <span class="quiet">no owner</span>}
              {utxo.addresses.map((address) => (
                <>
                  <AddressLink address={address} context={context} />{' '}
                </>
              ))}
            </p>
            <p class="note">
              {side === 'in' ? <Origin utxo={utxo} context={context} /> : <Fate utxo={utxo} context={context} now={now} />}
            </p>
            {utxo.payload !== undefined && (
              <div class="note payload">
                <p>
                  group {utxo.groupId}, {payloadWord(payloadKind(utxo.payload))}, {(utxo.payload.length - 2) / 2} B
                </p>
                <PayloadView payload={utxo.payload} utxoId={utxo.utxoId} title={`${utxo.asset.symbol} #${utxo.groupId}`} />
              </div>
            )}
          </div>
          <span class="sum">
            {utxo.utxoType === 'mint' ? (
              <>
                may mint <AssetLink id={utxo.asset.assetId} symbol={utxo.asset.symbol} />
              </>
            ) : (
              <a class="plain" href={`/asset/${utxo.asset.assetId}`} title={utxo.asset.assetId}>
                <AmountText amount={{ ...utxo.asset, isNft: utxo.asset.type === 'nft' }} />
              </a>
            )}
          </span>
        </li>
      ))}
    </ol>
    {utxos.length === 0 && <p class="table-foot">None.</p>}
  </Panel>
);

const Origin = ({ utxo, context }: { utxo: Utxo; context: PageContext }) => (
  <>
    output {utxo.outputIndex} of{' '}
    {utxo.createdOnChainId === context.chain.id ? (
      <TxLink id={utxo.creationTxHash} />
    ) : (
      <span class="mono">{utxo.creationTxHash.slice(0, 8)}…</span>
    )}
    {utxo.createdOnChainId !== context.chain.id && <> on {chainTitle(context, utxo.createdOnChainId)}</>}
  </>
);

/** What became of an output: its lock, and the transaction that spent it. */
function Fate({ utxo, context, now }: { utxo: Utxo; context: PageContext; now: number }) {
  const isExported = utxo.consumedOnChainId !== context.chain.id;
  return (
    <>
      {utxo.locktime > now ? (
        <span class="locked">
          locked until {dateText(utxo.locktime)} {timeText(utxo.locktime)} ·{' '}
          <span data-until={utxo.locktime}>{spanText(utxo.locktime - now)}</span> left
        </span>
      ) : (
        <span>no lock</span>
      )}{' '}
      {utxo.consumingTxHash !== undefined && !isExported && (
        <span>
          spent by <TxLink id={utxo.consumingTxHash} />
        </span>
      )}
      {utxo.consumingTxHash === undefined && utxo.consumingTxTimestamp === undefined && !isExported && <span class="unspent">unspent</span>}
      {isExported && (
        <span>
          {utxo.consumingTxTimestamp === undefined ? 'waits on' : 'imported by'} {chainTitle(context, utxo.consumedOnChainId)}
        </span>
      )}
    </>
  );
}
